import { useEffect, useRef, useState } from 'react';
import type { Session } from './App';
import { notLetIn, type Notice } from './notice';
import { NoticeBar } from './NoticeBar';
import { openWindow, type Provider } from './provider';
import { signIn } from './service';
import { useWords } from './useWords';
import { blocked, goOnIn, notUnderstood } from './again';

/** Lets somebody sign in at the provider, in a window of it. */
export function ProviderSignIn({ provider, onSignIn }: { provider: Provider; onSignIn: (session: Session) => void }) {
  const say = useWords();
  const [notice, setNotice] = useState<Notice | null>(null);
  const attempt = useRef<AbortController>(undefined);
  useEffect(() => () => attempt.current?.abort(), []);

  async function begin() {
    attempt.current?.abort(); // the window of the last one may have been closed, which nobody tells
    const { signal } = (attempt.current = new AbortController());
    const opened = openWindow();
    setNotice(opened ? goOnIn(provider) : blocked());
    if (!opened) return;
    const { Person } = await import('./person');
    const { NotSignedIn } = await import('./authorize');
    try {
      const person = await Person.signIn(opened, signal);
      const { viewer, answer } = await signIn(person);
      if (viewer && !signal.aborted) {
        onSignIn({ credentials: person, viewer });
        return;
      }
      person.signOut();
      if (!signal.aborted) setNotice(notLetIn(answer) ?? notUnderstood());
    } catch (cause) {
      if (!signal.aborted) setNotice(cause instanceof NotSignedIn ? cause.notice : notUnderstood());
    }
  }

  return (
    <>
      <NoticeBar notice={notice} />
      <button type="button" className="bo-primary" autoFocus onClick={() => void begin()}>
        {say('Sign in at {host}', { host: provider.host })}
      </button>
    </>
  );
}
