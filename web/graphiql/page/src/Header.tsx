import { Brand } from './Brand';
import { longestPurpose, purposeProblem } from './purpose';
import type { Session } from './App';
import { LanguageSwitch } from './LanguageSwitch';
import { useRestriction } from './restriction';
import { everyScope } from './service';
import { useWords } from './useWords';

interface Props {
  session: Session;
  purpose: string;
  onPurpose: (purpose: string) => void;
  onSignOut: () => void;
}

/** The frame's top: who is signed in with which scopes, the stated purpose, and the way out. */
export function Header({ session: { viewer, credentials }, purpose, onPurpose, onSignOut }: Props) {
  const say = useWords();
  const restriction = useRestriction(viewer, credentials);
  const problem = purposeProblem(purpose);
  return (
    <header className="bo-header" data-frame>
      <Brand />
      <div className="bo-purpose">
        <label htmlFor="purpose">{say('Purpose')}</label>
        <input
          id="purpose"
          type="text"
          value={purpose}
          placeholder={say('Why you look up registration numbers')}
          maxLength={longestPurpose}
          autoComplete="off"
          aria-invalid={problem !== null}
          aria-describedby="purpose-hint"
          onChange={(event) => onPurpose(event.currentTarget.value)}
        />
        <p id="purpose-hint" className={problem ? 'bo-problem' : 'bo-unseen'} role={problem ? 'alert' : undefined}>
          {problem ?? say('Sent as x-access-purpose with every query and entered in the register of consultations.')}
        </p>
      </div>
      <div className="bo-viewer">
        <p className="bo-name">
          <span className="bo-unseen">{say('Signed in as')} </span>
          {viewer.name}{' '}
          {viewer.subject === null ? <code title={say('Client id')}>{viewer.clientId}</code> : <code title={say('Subject')}>{viewer.subject}</code>}
        </p>
        {restriction && <p className="bo-restriction">{restriction}</p>}
        <ul className="bo-scopes" aria-label={say('Scopes')}>
          {everyScope.map((scope) =>
            viewer.scopes.includes(scope) ? (
              <li key={scope}>{scope}</li>
            ) : (
              <li key={scope} className="bo-lacking">
                <span className="bo-unseen">{say('not')} </span>
                {scope}
              </li>
            ),
          )}
        </ul>
      </div>
      <LanguageSwitch />
      <button type="button" className="bo-secondary" onClick={onSignOut}>
        {say('Sign out')}
      </button>
    </header>
  );
}
