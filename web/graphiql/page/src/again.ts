import type { Notice } from './notice';
import type { Person } from './person';
import { openWindow, provider, type Provider } from './provider';

/** What is said while the provider's window is open. */
export const goOnIn = ({ host }: Provider): Notice => ({
  tone: 'info',
  title: `Go on in the window of ${host}`,
  text: 'If it was closed, sign in once more.',
  signInAgain: true,
});

export const blocked: Notice = {
  tone: 'error',
  title: 'The browser did not open the window',
  text: 'Allow this page to open windows, then sign in again.',
  signInAgain: true,
};

export const notUnderstood: Notice = {
  tone: 'error',
  title: 'Not signed in',
  text: 'The service gave an answer that this page does not understand.',
  signInAgain: true,
};

/** Lets the same person sign in again, over what they work on. */
export function again(person: Person, say: (notice: Notice | null) => void): void {
  const opened = openWindow();
  say(opened ? goOnIn(provider!) : blocked);
  if (!opened) return;
  person.signInAgain(opened).then(
    () => say(null),
    (cause: unknown) => {
      if (cause instanceof DOMException && cause.name === 'AbortError') return; // the next attempt speaks for itself
      say(typeof cause === 'object' && cause !== null && 'notice' in cause ? (cause.notice as Notice) : notUnderstood);
    },
  );
}
