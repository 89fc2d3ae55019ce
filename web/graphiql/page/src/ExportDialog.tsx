import { useEffect, useRef, useState } from 'react';
import { noticeOf } from './notice';
import type { Exportable, Whole } from './operation';
import { longestPurpose, purposeProblem } from './purpose';
import { chooseFile, download, save, type Lines, type Progress } from './saving';
import { beginExport, sentence, type Answer, type Wanted } from './service';
import type { Session } from './App';
import { Said } from './Said';
import type { Seen } from './Watch';
import { useWords } from './useWords';
import { numberOf, say, type Sentence } from './words';

interface Format extends Pick<Wanted, 'format' | 'excel'> {
  name: Sentence;
  hint: Sentence;
  ending: string;
  type: string;
  lines: Lines;
}

const formats: Format[] = [
  { format: 'xlsx', excel: false, name: 'XLSX', hint: 'a workbook for Excel and LibreOffice', ending: 'xlsx', type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', lines: 'none' },
  { format: 'csv', excel: true, name: 'CSV for Excel', hint: 'opens with a double click', ending: 'csv', type: 'text/csv', lines: 'quoted' },
  { format: 'csv', excel: false, name: 'CSV', hint: 'for programs', ending: 'csv', type: 'text/csv', lines: 'quoted' },
  { format: 'jsonl', excel: false, name: 'JSON Lines', hint: 'one row a line, with the lists in it', ending: 'jsonl', type: 'application/jsonl', lines: 'plain' },
];

const nothing: Pick<Exportable, 'wide' | 'joined'> = { wide: [], joined: [] };

type State =
  | { at: 'start' }
  | { at: 'running'; progress: Progress }
  | { at: 'done'; progress: Progress; file: string }
  | { at: 'failed'; text: string };

interface Props {
  session: Session;
  seen: Seen;
  purpose: string;
  onPurpose: (purpose: string) => void;
  onClose: () => void;
}

/** Exports the whole list of the query in the editor as a file. */
export function ExportDialog({ session, seen, purpose, onPurpose, onClose }: Props) {
  const say = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  const abort = useRef<AbortController | null>(null);
  const [chosen, setChosen] = useState(formats[0]!);
  const [all, setAll] = useState(true);
  const [state, setState] = useState<State>({ at: 'start' });
  useEffect(() => {
    dialog.current?.showModal();
    return () => abort.current?.abort();
  }, []);

  const { exportable } = seen;
  const possible = typeof exportable !== 'string';
  const [own, setOwn] = useState('');
  const { wide, joined } = possible ? exportable : nothing;
  const rows = wide[0] ?? (joined.includes(own) ? own : null);
  const plan = seen.planned?.of === seen.whole ? seen.planned?.plan : undefined;
  const missing = plan?.missingScopes ?? [];
  const guarded = plan?.requiredScopes.includes('privacy.read') ?? false;
  const problem = guarded ? purposeProblem(purpose) : null;
  const table = chosen.format !== 'jsonl';
  const tooWide = table && wide.length > 1;
  const running = state.at === 'running';

  async function run() {
    const whole = seen.look();
    if (!possible || !whole || whole.question.query !== seen.whole?.question.query) return; // typed just now: what is told here is of before
    setState({ at: 'running', progress: { bytes: 0, lines: null } });
    const ended = (abort.current = new AbortController());
    setState(await exported(whole, exportable, ended.signal));
    abort.current = null;
  }

  async function exported(whole: Whole, { list, part }: Exportable, signal: AbortSignal): Promise<State> {
    const file = `${whole.operation.name?.value ?? list}.${chosen.ending}`;
    let target;
    try {
      target = (await chooseFile(file)) ?? download(file, chosen.type);
    } catch {
      return { at: 'start' }; // no file was chosen
    }
    try {
      const wanted = { ...chosen, rows: table ? rows : null };
      const question = part && all ? part.all : whole.question;
      const response = await beginExport(session.credentials, question, wanted, { purpose: purpose.trim(), signal });
      if (!(response instanceof Response)) {
        await target.abort();
        return { at: 'failed', text: textOf(response, session) };
      }
      const progress = await save(response, target, chosen.lines, (progress) => setState({ at: 'running', progress }));
      return { at: 'done', progress, file };
    } catch {
      await target.abort().catch(() => undefined);
      if (signal.aborted) return { at: 'failed', text: say('Cancelled. No file was saved.') };
      return { at: 'failed', text: say('The export broke off before its end. No file was saved: try again.') };
    }
  }

  return (
    <dialog
      ref={dialog}
      className="bo-export"
      aria-labelledby="bo-export-title"
      data-frame
      onClose={onClose}
      onCancel={(event) => {
        if (running) event.preventDefault(); // the button for that says what it does
      }}
    >
      <h2 id="bo-export-title">{say('Export')} {possible && <code>{exportable.list}</code>}</h2>
      <p>{say(possible ? 'As a file, however long the list is: what is saved is whole.' : exportable)}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <fieldset disabled={!possible || running}>
          <legend>{say('Format')}</legend>
          {formats.map((format) => (
            <label key={format.name}>
              <input type="radio" name="format" checked={chosen === format} onChange={() => setChosen(format)} />
              <span>
                <strong>{say(format.name)}</strong> {say(format.hint)}
              </span>
            </label>
          ))}
        </fieldset>
        {possible && exportable.part && (
          <label className="bo-export-all">
            <input type="checkbox" checked={all} disabled={running} onChange={() => setAll(!all)} />
            {exportable.part.first === null
              ? say('All rows, not only those after the query’s cursor')
              : say('All rows, not only the first {n} that the query asks for', { n: exportable.part.first })}
          </label>
        )}
        {table && wide.length === 0 && joined.length > 0 && (
          <label className="bo-export-rows">
            {say('One row for each of')}{' '}
            <select value={rows ?? ''} disabled={running} onChange={(event) => setOwn(event.currentTarget.value)}>
              <option value="">{possible && exportable.list}</option>
              {joined.map((path) => (
                <option key={path}>{path}</option>
              ))}
            </select>
          </label>
        )}
        {table && wide.length === 1 && (
          <p>
            <Said sentence="One row for each of {list}; what has none has one row, too." list={<code>{wide[0]}</code>} />
          </p>
        )}
        {table && joined.some((path) => path !== rows) && <p>{say('Joined in one cell: {lists}.', { lists: joined.filter((path) => path !== rows).join(', ') })}</p>}
        {tooWide && (
          <p className="bo-export-problem">
            {say('A table has one kind of rows, and this query has {n} lists in its rows ({lists}). Keep one of them, or one field of the others, or take JSON Lines.', {
              n: wide.length,
              lists: wide.join(', '),
            })}
          </p>
        )}
        {missing.length > 0 && <p className="bo-export-problem">{say('Needs {scopes}, which you do not have.', { scopes: missing.join(', ') })}</p>}
        {guarded && missing.length === 0 && (
          <div className="bo-export-purpose">
            <label htmlFor="export-purpose">{say('Purpose')}</label>
            <input
              id="export-purpose"
              type="text"
              value={purpose}
              maxLength={longestPurpose}
              autoComplete="off"
              disabled={running}
              aria-invalid={problem !== null}
              aria-describedby="export-purpose-hint"
              onChange={(event) => onPurpose(event.currentTarget.value)}
            />
            <p id="export-purpose-hint">{problem ?? say('Why you take registration numbers out: it is entered in the register for each customer.')}</p>
          </div>
        )}
        <Told state={state} />
        <div className="bo-export-buttons">
          {running ? (
            <button type="button" className="bo-secondary" onClick={() => abort.current?.abort()}>
              {say('Cancel the export')}
            </button>
          ) : (
            <>
              <button type="button" className="bo-secondary" onClick={() => dialog.current?.close()}>
                {say('Close')}
              </button>
              <button type="submit" className="bo-primary" disabled={!possible || tooWide || missing.length > 0 || problem !== null || (guarded && !purpose.trim())}>
                {say('Save as a file')}
              </button>
            </>
          )}
        </div>
      </form>
    </dialog>
  );
}

function Told({ state }: { state: State }) {
  const say = useWords();
  return (
    <>
      {state.at === 'running' && (
        <p className="bo-export-progress">
          <progress aria-label={say('Exporting')} /> {say('{amount} so far', { amount: amount(state.progress) })}
        </p>
      )}
      <div role="status">{state.at === 'done' && <p className="bo-export-done">{say('{file} is saved: {amount}.', { file: state.file, amount: amount(state.progress) })}</p>}</div>
      <div role="alert">{state.at === 'failed' && <p className="bo-export-problem">{state.text}</p>}</div>
    </>
  );
}

function amount({ bytes, lines }: Progress): string {
  const size = bytes < 1_000_000 ? `${numberOf(bytes / 1000, 1)} kB` : `${numberOf(bytes / 1_000_000, 1)} MB`;
  return lines === null ? size : lines === 1 ? say('1 line, {size}', { size }) : say('{n} lines, {size}', { n: lines, size });
}

function textOf(answer: Answer, { viewer }: Session): string {
  const said = answer.body.errors?.map(({ message }) => sentence(message)).join(' ');
  const notice = noticeOf(answer, viewer);
  return notice && answer.status !== 400 ? `${notice.title}. ${answer.status === 429 ? `${said} ` : ''}${notice.text}` : (said ?? say('The service refused the export.'));
}
