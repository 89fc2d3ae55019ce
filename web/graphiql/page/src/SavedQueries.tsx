import { pick, useGraphiQL, useGraphiQLActions, type GraphiQLPlugin } from '@graphiql/react';
import { useCallback, useContext, useEffect, useMemo, useState, type FormEvent } from 'react';
import { SeenContext, useFrame } from './context';
import { CopyButton } from './CopyButton';
import { useOpenInEditor } from './openInEditor';
import { addressOf, linkTo, loadSaved, needsNothing, removeSaved, savedOfAddress, saveQuery, variablesFor, waysOf, type SavedQuery } from './saved';
import { Said } from './Said';
import { useWords } from './useWords';
import { say as inWords } from './words';

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
  const say = useWords();
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
    <section className="bo-saved" aria-label={say('Saved queries')} data-frame>
      <h2>{say('Saved queries')}</h2>
      {there === false ? (
        <p>{say('This server does not save queries.')}</p>
      ) : (
        <>
          <p>{say('Kept by the server, for everybody who signs in here, and at an address that a spreadsheet can refresh from.')}</p>
          <SaveForm all={Array.isArray(all) ? all : []} onSaved={load} />
          <label className="bo-search">
            <span className="bo-unseen">{say('Search saved queries')}</span>
            <input type="search" value={wanted} placeholder={say('Search')} onChange={(event) => setWanted(event.currentTarget.value)} />
          </label>
          {typeof all === 'string' && <p role="alert">{all}</p>}
          {Array.isArray(all) && (
            <p role="status" className={found.length > 0 ? 'bo-unseen' : undefined}>
              {all.length === 0 ? say('None is saved yet.') : found.length === 0 ? say('None is called like that.') : say('{n} saved queries', { n: found.length })}
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
  const say = useWords();
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
        {saved.cost !== null && ` ${say('costs {cost}', { cost: saved.cost })}`}
      </span>
      {saved.requiredScopes.map((scope) => (
        <em key={scope} className={session.viewer.scopes.includes(scope) ? '' : 'bo-lacking'}>
          {session.viewer.scopes.includes(scope) ? scope : say('needs {scope}', { scope })}
        </em>
      ))}
      <div className="bo-item-buttons" role="group" aria-label={called}>
        <button type="button" onClick={() => open(saved.document, variables)}>
          {say('Open')}
        </button>
        {needsNothing(saved) && (
          <button
            type="button"
            onClick={() => {
              open(saved.document, variables);
              run();
            }}
          >
            {say('Run')}
          </button>
        )}
        <button type="button" aria-expanded={opened === 'share'} onClick={() => toggle('share')}>
          {say('Share')}
        </button>
        <button type="button" aria-expanded={opened === 'remove'} onClick={() => void remove()}>
          {say('Delete')}
        </button>
      </div>
      {opened === 'share' && <Share saved={saved} />}
      {opened === 'remove' && (
        <div className="bo-remove">
          <p>{say('Links and spreadsheets that use it stop working.')}</p>
          <button
            type="button"
            className="bo-secondary bo-small"
            onClick={async () => {
              const problem = await removeSaved(session.credentials, saved.name);
              setWrong(problem);
              if (!problem) onChanged();
            }}
          >
            {say('Delete {name}', { name: saved.name })}
          </button>
        </div>
      )}
      <div role="alert">{wrong && <p className="bo-saved-problem">{wrong}</p>}</div>
    </li>
  );
}

function Share({ saved }: { saved: SavedQuery }) {
  const say = useWords();
  const { schema } = useGraphiQL(pick('schema'));
  const ways = useMemo(() => waysOf(saved, schema), [saved, schema]);
  const [chosen, setChosen] = useState('');
  const way = ways.find(({ ending }) => ending === chosen) ?? ways[0]!;
  const address = addressOf(saved, way);
  return (
    <div className="bo-share-with">
      <p>{say('A link to this page, which opens the query:')}</p>
      <div>
        <input type="text" readOnly value={linkTo(saved)} aria-label={say('Link')} onFocus={(event) => event.currentTarget.select()} />
        <CopyButton label={say('Copy')} text={() => linkTo(saved)} />
      </div>
      <p>
        <Said
          sentence="Its answer as {format}, for a program that signs in with a pair:"
          format={
            <select aria-label={say('Format')} value={way.ending} onChange={(event) => setChosen(event.currentTarget.value)}>
              {ways.map(({ ending }) => (
                <option key={ending}>{ending}</option>
              ))}
            </select>
          }
        />
      </p>
      <div>
        <input type="text" readOnly value={address} aria-label={say('Address')} onFocus={(event) => event.currentTarget.select()} />
        <CopyButton label={say('Copy')} text={() => address} />
      </div>
    </div>
  );
}

/** Saves what is in the editor. */
function SaveForm({ all, onSaved }: { all: SavedQuery[]; onSaved: () => void }) {
  const say = useWords();
  const { session, desk } = useFrame();
  const { whole, look } = useContext(SeenContext);
  const [told, setTold] = useState<{ text: string; wrong: boolean } | null>(null);
  const name = whole?.operation.name?.value;
  const before = all.find((saved) => saved.name === name);
  const why = !whole ? say('The query in the editor is not whole yet.') : !name ? say('Give the operation a name, which it is saved under: query CustomersByCity { … }') : null;

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const now = look();
    if (!now || now.operation.name?.value !== name || !name) return; // typed just now: what the form says is of before
    const form = new FormData(event.currentTarget);
    const text = (field: string) => String(form.get(field)).trim() || null;
    const wrong = await saveQuery(session.credentials, { name, title: text('title'), description: text('description'), document: now.question.query });
    setTold({ text: wrong ?? say('Saved as {name}.', { name }), wrong: wrong !== null });
    if (wrong) return;
    desk.give(now.question.query);
    onSaved();
  }

  return (
    <details className="bo-save" onToggle={() => (look(), setTold(null))}>
      <summary>{say('Save the query in the editor')}</summary>
      <form key={before?.name} onSubmit={(event) => void submit(event)} autoComplete="off">
        {why ? (
          <p>{why}</p>
        ) : (
          <p>
            <Said sentence={before ? 'Saved as {name}, the operation’s name, in place of the one of that name.' : 'Saved as {name}, the operation’s name.'} name={<code>{name}</code>} />
          </p>
        )}
        <label htmlFor="save-title">{say('Title')}</label>
        <input id="save-title" name="title" type="text" defaultValue={before?.title ?? ''} maxLength={200} />
        <label htmlFor="save-description">{say('What it answers')}</label>
        <textarea id="save-description" name="description" rows={3} defaultValue={before?.description ?? ''} maxLength={2000} />
        <button type="submit" className="bo-primary bo-small" disabled={why !== null}>
          {say('Save')}
        </button>
        <div role="status">{told && !told.wrong && <p>{told.text}</p>}</div>
        <div role="alert">{told?.wrong && <p className="bo-saved-problem">{told.text}</p>}</div>
      </form>
    </details>
  );
}

/** Opens the saved query of the address, now unless that was done before, and whenever it changes. Renders nothing. */
export function OpenSavedFromAddress() {
  const frame = useFrame();
  const { session, desk, say } = frame;
  const open = useOpenInEditor();
  const { queryEditor, variableEditor } = useGraphiQL(pick('queryEditor', 'variableEditor'));
  const ready = queryEditor !== undefined && variableEditor !== undefined;
  useEffect(() => {
    if (!ready) return;
    const follow = async () => {
      const name = savedOfAddress();
      if (!name) return;
      const mine = ++frame.opened;
      const all = await loadSaved(session.credentials);
      if (typeof all !== 'string') desk.follow('saved');
      if (mine !== frame.opened) return;
      if (typeof all === 'string') return say({ tone: 'error', title: inWords('The link’s query could not be loaded'), text: all });
      const saved = all.find((q) => q.name === name);
      if (saved) open(saved.document, variablesFor(saved));
      else say({ tone: 'info', title: inWords('The link’s query is not there'), text: inWords('It was removed, or saved under another name.') });
    };
    if (desk.isNew('saved')) void follow();
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [ready]);
  return null;
}
