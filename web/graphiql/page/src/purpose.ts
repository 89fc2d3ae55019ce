import { say } from './words';

export const longestPurpose = 200;

/** Why the service would refuse this stated purpose; null when it would not. Its rules: contract, x-access-purpose. */
export function purposeProblem(purpose: string): string | null {
  if ([...purpose].length > longestPurpose) return say('At most {n} characters.', { n: longestPurpose });
  if (/\p{Cc}/u.test(purpose)) return say('No control characters.');
  if (/\p{Nd}{9}/u.test(purpose)) return say('No long numbers: the purpose is kept, and it must not hold a registration number.');
  return null;
}
