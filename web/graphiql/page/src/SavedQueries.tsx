import { pick, useGraphiQL, useGraphiQLActions, type GraphiQLPlugin } from '@graphiql/react';
import { useCallback, useContext, useEffect, useState, type FormEvent } from 'react';
import { SeenContext, useFrame } from './context';
import { CopyButton } from './CopyButton';
import { useOpenInEditor } from './openInEditor';
import { addressOf, endings, linkTo, loadSaved, removeSaved, savedOfAddress, saveQuery, variablesFor, type SavedQuery } from './saved';

/** The drawer of saved queries, as a panel of GraphiQL's own. */
export const savedQueries: GraphiQLPlugin = {
  title: 'Saved queries',
  icon: () => (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.6" aria-hidden="true">
      <path d="M6.5 4h11v16.2L12 16l-5.5 4.2z" />
    </svg>
  ),
  content: Drawer,
};

function Drawer() {
  const { session } = useFrame();
  const { schema } = useGraphiQL(pick('schema'));
  const [all, setAll] = useState<SavedQuery[] | string | null>(null);
  const [wanted, setWanted] = useState('');
  const there = schema ? 'savedQueries' in schema.getQueryType()!.getFields() : null;
  const load = useCallback(() => void loadSaved(session.credentials).then(setAll), [session.credentials]);
  useEffect(() => {
    if (there) load();
  }, [there, load]);

  const words = wanted.toLowerCase().split(/\s+/);
  const found = Array.isArray(all)
    ? all.filter((q) => words.every((word) => `${q.name} ${q.title ?? ''} ${q.description ?? ''}`.toLowerCase().includes(word)))
    : [];
  return (
    <section className="bo-saved" aria-label="Saved queries" data-frame>
      <h2>Saved queries</h2>
      {there === false ? (
        <p>This server does not save queries.</p>
      ) : (
        <>
          <p>Kept by the server, for everybody who signs in here, and at an address that a spreadsheet can refresh from.</p>
          <SaveForm all={Array.isArray(all) ? all : []} onSaved={load} />
          <label className="bo-search">
            <span className="bo-unseen">Search saved queries</span>
            <input type="search" value={wanted} placeholder="Search" onChange={(event) => setWanted(event.currentTarget.value)} />
          </label>
          {typeof all === 'string' && <p role="alert">{all}</p>}
          {Array.isArray(all) && (
            <p role="status" className={found.length > 0 ? 'bo-unseen' : undefined}>
              {all.length === 0 ? 'None is saved yet.' : found.length === 0 ? 'None is called like that.' : `${found.length} saved queries`}
            </p>
          )}
          <ul>
            {found.map((saved) => (
              <Item key={saved.name} saved={saved} onChanged={load} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

type Opened = 'share' | 'remove' | null;

function Item({ saved, onChanged }: { saved: SavedQuery; onChanged: () => void }) {
  const { session } = useFrame();
  const { run } = useGraphiQLActions();
  const open = useOpenInEditor();
  const [opened, setOpened] = useState<Opened>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const variables = variablesFor(saved);
  const called = saved.title ?? saved.name;
  const toggle = (what: Opened) => setOpened(opened === what ? null : what);
  // Who may remove it is for the service to say, before anybody is asked whether they are sure.
  const remove = async () => {
    const problem = opened === 'remove' ? null : await removeSaved(session.credentials, saved.name, true);
    setWrong(problem);
    if (!problem) toggle('remove');
  };
  return (
    <li>
      <strong>{called}</strong>
      {saved.description && <span>{saved.description}</span>}
      <span>
        <code>{saved.name}</code>
        {saved.cost !== null && ` costs ${saved.cost}`}
      </span>
      {saved.requiredScopes.map((scope) => (
        <em key={scope} className={session.viewer.scopes.includes(scope) ? '' : 'bo-lacking'}>
          {session.viewer.scopes.includes(scope) ? scope : `needs ${scope}`}
        </em>
      ))}
      <div className="bo-item-buttons" role="group" aria-label={called}>
        <button type="button" onClick={() => open(saved.document, variables)}>
          Open
        </button>
        {variables === '' && (
          <button
            type="button"
            onClick={() => {
              open(saved.document, '');
              run();
            }}
          >
            Run
          </button>
        )}
        <button type="button" aria-expanded={opened === 'share'} onClick={() => toggle('share')}>
          Share
        </button>
        <button type="button" aria-expanded={opened === 'remove'} onClick={() => void remove()}>
          Delete
        </button>
      </div>
      {opened === 'share' && <Share saved={saved} />}
      {opened === 'remove' && (
        <div className="bo-remove">
          <p>Links and spreadsheets that use it stop working.</p>
          <button
            type="button"
            className="bo-secondary bo-small"
            onClick={async () => {
              const problem = await removeSaved(session.credentials, saved.name);
              setWrong(problem);
              if (!problem) onChanged();
            }}
          >
            Delete {saved.name}
          </button>
        </div>
      )}
      <div role="alert">{wrong && <p className="bo-saved-problem">{wrong}</p>}</div>
    </li>
  );
}

function Share({ saved }: { saved: SavedQuery }) {
  const [ending, setEnding] = useState<(typeof endings)[number]>('xlsx');
  return (
    <div className="bo-share-with">
      <p>A link to this page, which opens the query:</p>
      <div>
        <input type="text" readOnly value={linkTo(saved)} aria-label="Link" onFocus={(event) => event.currentTarget.select()} />
        <CopyButton label="Copy" text={() => linkTo(saved)} />
      </div>
      <p>
        Its answer as{' '}
        <select aria-label="Format" value={ending} onChange={(event) => setEnding(event.currentTarget.value as typeof ending)}>
          {endings.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        , for a program that signs in with a pair:
      </p>
      <div>
        <input type="text" readOnly value={addressOf(saved, ending)} aria-label="Address" onFocus={(event) => event.currentTarget.select()} />
        <CopyButton label="Copy" text={() => addressOf(saved, ending)} />
      </div>
    </div>
  );
}

/** Saves what is in the editor. */
function SaveForm({ all, onSaved }: { all: SavedQuery[]; onSaved: () => void }) {
  const { session, desk } = useFrame();
  const { whole, look } = useContext(SeenContext);
  const [told, setTold] = useState<{ text: string; wrong: boolean } | null>(null);
  const name = whole?.operation.name?.value;
  const before = all.find((saved) => saved.name === name);
  const why = !whole ? 'The query in the editor is not whole yet.' : !name ? 'Give the operation a name, which it is saved under: query CustomersByCity { … }' : null;

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const now = look();
    if (!now || now.operation.name?.value !== name || !name) return; // typed just now: what the form says is of before
    const form = new FormData(event.currentTarget);
    const text = (field: string) => String(form.get(field)).trim() || null;
    const wrong = await saveQuery(session.credentials, { name, title: text('title'), description: text('description'), document: now.question.query });
    setTold({ text: wrong ?? `Saved as ${name}.`, wrong: wrong !== null });
    if (wrong) return;
    desk.give(now.question.query);
    onSaved();
  }

  return (
    <details className="bo-save" onToggle={() => (look(), setTold(null))}>
      <summary>Save the query in the editor</summary>
      <form key={before?.name} onSubmit={(event) => void submit(event)} autoComplete="off">
        {why ? (
          <p>{why}</p>
        ) : (
          <p>
            Saved as <code>{name}</code>, the operation’s name{before && ', in place of the one of that name'}.
          </p>
        )}
        <label htmlFor="save-title">Title</label>
        <input id="save-title" name="title" type="text" defaultValue={before?.title ?? ''} maxLength={200} />
        <label htmlFor="save-description">What it answers</label>
        <textarea id="save-description" name="description" rows={3} defaultValue={before?.description ?? ''} maxLength={2000} />
        <button type="submit" className="bo-primary bo-small" disabled={why !== null}>
          Save
        </button>
        <div role="status">{told && !told.wrong && <p>{told.text}</p>}</div>
        <div role="alert">{told?.wrong && <p className="bo-saved-problem">{told.text}</p>}</div>
      </form>
    </details>
  );
}

/** Opens the saved query that the address names, now and whenever the address changes. Renders nothing. */
export function OpenSavedFromAddress() {
  const { session, say } = useFrame();
  const open = useOpenInEditor();
  const { queryEditor, variableEditor } = useGraphiQL(pick('queryEditor', 'variableEditor'));
  const ready = queryEditor !== undefined && variableEditor !== undefined;
  useEffect(() => {
    if (!ready) return;
    const follow = async () => {
      const name = savedOfAddress();
      if (!name) return;
      const all = await loadSaved(session.credentials);
      const saved = Array.isArray(all) ? all.find((q) => q.name === name) : undefined;
      if (saved) open(saved.document, variablesFor(saved));
      else say({ tone: 'info', title: 'The link’s query is not there', text: 'It was removed, or saved under another name.' });
    };
    void follow();
    const changed = () => void follow();
    window.addEventListener('hashchange', changed);
    return () => window.removeEventListener('hashchange', changed);
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [ready]);
  return null;
}
