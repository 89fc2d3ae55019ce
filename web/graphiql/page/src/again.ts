import type { Notice } from './notice';
import type { Person } from './person';
import { say as inWords } from './words';
import { openWindow, provider, type Provider } from './provider';

/** What is said while the provider's window is open. */
export const goOnIn = ({ host }: Provider): Notice => ({
  tone: 'info',
  title: inWords('Go on in the window of {host}', { host }),
  text: inWords('If it was closed, sign in once more.'),
  signInAgain: true,
});

export const blocked = (): Notice => ({
  tone: 'error',
  title: inWords('The browser did not open the window'),
  text: inWords('Allow this page to open windows, then sign in again.'),
  signInAgain: true,
});

export const notUnderstood = (): Notice => ({
  tone: 'error',
  title: inWords('Not signed in'),
  text: inWords('The service gave an answer that this page does not understand.'),
  signInAgain: true,
});

/** Lets the same person sign in again, over what they work on. */
export function again(person: Person, say: (notice: Notice | null) => void): void {
  const opened = openWindow();
  say(opened ? goOnIn(provider!) : blocked());
  if (!opened) return;
  person.signInAgain(opened).then(
    () => say(null),
    (cause: unknown) => {
      if (cause instanceof DOMException && cause.name === 'AbortError') return; // the next attempt speaks for itself
      say(typeof cause === 'object' && cause !== null && 'notice' in cause ? (cause.notice as Notice) : notUnderstood());
    },
  );
}
