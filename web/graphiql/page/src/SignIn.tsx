import { useRef, useState, type FormEvent } from 'react';
import { notUnderstood } from './again';
import { Brand } from './Brand';
import type { Session } from './App';
import { noticeOf, type Notice } from './notice';
import { NoticeBar } from './NoticeBar';
import { provider } from './provider';
import { Said } from './Said';
import { ProviderSignIn } from './ProviderSignIn';
import { LanguageSwitch } from './LanguageSwitch';
import { pairOf, signIn } from './service';
import { useWords } from './useWords';

interface Props {
  /** How many tabs of an earlier session hold what the user wrote. */
  written: number;
  onDiscard: () => void;
  onSignIn: (session: Session) => void;
}

/** Asks for the credential pair and tries it out; where people sign in at a provider, that comes first. */
export function SignIn({ written, onDiscard, onSignIn }: Props) {
  const say = useWords();
  const [busy, setBusy] = useState(false);
  const [notice, setNotice] = useState<Notice | null>(null);
  const secret = useRef<HTMLInputElement>(null);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const credentials = pairOf(String(form.get('client-id')).trim(), String(form.get('client-secret')).trim());
    setBusy(true);
    setNotice(null);
    const { viewer, answer } = await signIn(credentials);
    if (viewer) {
      onSignIn({ credentials, viewer });
      return;
    }
    setBusy(false);
    setNotice(noticeOf(answer, null) ?? notUnderstood());
    secret.current?.select();
    secret.current?.focus();
  }

  const pair = (
    <>
      <NoticeBar notice={notice} />
      <label htmlFor="client-id">{say('Client id')}</label>
      <input
        id="client-id"
        name="client-id"
        type="text"
        required
        autoFocus={!provider}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        aria-invalid={notice !== null}
      />
      <label htmlFor="client-secret">{say('Client secret')}</label>
      <input
        ref={secret}
        id="client-secret"
        name="client-secret"
        type="password"
        required
        autoComplete="off"
        aria-invalid={notice !== null}
      />
      <button type="submit" className={provider ? 'bo-secondary' : 'bo-primary'} disabled={busy}>
        {say(busy ? 'Signing in…' : provider ? 'Sign in with the pair' : 'Sign in')}
      </button>
      <p className="bo-hint">
        <Said
          sentence="The operator makes a pair with {create}; {demo} prints two."
          create={<code>backoffice credentials create</code>}
          demo={<code>backoffice demo</code>}
        />
      </p>
    </>
  );

  return (
    <main className="bo-sign-in" data-frame>
      <form onSubmit={submit} autoComplete="off">
        <Brand />
        <p>
          {say('Explore customers, relations, checklists and transcripts.')}{' '}
          {say(
            provider
              ? 'Your sign-in stays in this tab’s memory, and a reload signs you out.'
              : 'Sign in with a credential pair; it stays in this tab’s memory, and a reload signs you out.',
          )}
        </p>
        {written > 0 && (
          <div className="bo-kept">
            <p>
              {written === 1
                ? say('Your queries and variables (1 tab) are kept in this page, for whoever signs in next. The answers are gone.')
                : say('Your queries and variables ({n} tabs) are kept in this page, for whoever signs in next. The answers are gone.', { n: written })}
            </p>
            <button type="button" className="bo-secondary" onClick={onDiscard}>
              {say('Discard them')}
            </button>
          </div>
        )}
        {provider ? (
          <>
            <ProviderSignIn provider={provider} onSignIn={onSignIn} />
            <details>
              <summary>{say('Sign in with a credential pair')}</summary>
              {pair}
            </details>
          </>
        ) : (
          pair
        )}
        <LanguageSwitch />
      </form>
    </main>
  );
}
