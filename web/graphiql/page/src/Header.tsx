import { Brand } from './Brand';
import { longestPurpose, purposeProblem } from './purpose';
import { everyScope, type Viewer } from './service';

interface Props {
  viewer: Viewer;
  purpose: string;
  onPurpose: (purpose: string) => void;
  onSignOut: () => void;
}

/** The frame's top: who is signed in with which scopes, the stated purpose, and the way out. */
export function Header({ viewer, purpose, onPurpose, onSignOut }: Props) {
  const problem = purposeProblem(purpose);
  return (
    <header className="bo-header" data-frame>
      <Brand />
      <div className="bo-purpose">
        <label htmlFor="purpose">Purpose</label>
        <input
          id="purpose"
          type="text"
          value={purpose}
          placeholder="Why you look up registration numbers"
          maxLength={longestPurpose}
          autoComplete="off"
          aria-invalid={problem !== null}
          aria-describedby="purpose-hint"
          onChange={(event) => onPurpose(event.currentTarget.value)}
        />
        <p id="purpose-hint" className={problem ? 'bo-problem' : 'bo-unseen'} role={problem ? 'alert' : undefined}>
          {problem ?? 'Sent as x-access-purpose with every query and entered in the register of consultations.'}
        </p>
      </div>
      <div className="bo-viewer">
        <p className="bo-name">
          <span className="bo-unseen">Signed in as </span>
          {viewer.name}{' '}
          {viewer.subject === null ? <code title="Client id">{viewer.clientId}</code> : <code title="Subject">{viewer.subject}</code>}
        </p>
        <ul className="bo-scopes" aria-label="Scopes">
          {everyScope.map((scope) =>
            viewer.scopes.includes(scope) ? (
              <li key={scope}>{scope}</li>
            ) : (
              <li key={scope} className="bo-lacking">
                <span className="bo-unseen">not </span>
                {scope}
              </li>
            ),
          )}
        </ul>
      </div>
      <button type="button" className="bo-secondary" onClick={onSignOut}>
        Sign out
      </button>
    </header>
  );
}
