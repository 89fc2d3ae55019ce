import { pick, useGraphiQL } from '@graphiql/react';
import { useEffect, useMemo, useState } from 'react';
import { AnswerErrors, errorsOf } from './AnswerErrors';
import { AnswerTable, useOrdered } from './AnswerTable';
import { CopyButton } from './CopyButton';
import { isNewest, type Events } from './events';
import { canDraw, GroupsChart } from './GroupsChart';
import { listsOf, tsvOf, type List } from './table';

export type View = 'json' | 'table';

/** Chooses how the answer is shown. */
export function ViewSwitch({ view, onView }: { view: View; onView: (view: View) => void }) {
  return (
    <div className="bo-switch" role="group" aria-label="Show the answer as">
      {(['json', 'table'] as const).map((one) => (
        <button key={one} type="button" aria-pressed={view === one} onClick={() => onView(one)}>
          {one === 'json' ? 'JSON' : 'Table'}
        </button>
      ))}
    </div>
  );
}

/** The answer's errors, and its list as a table, with a chart when it is counted in groups. */
export function AnswerAsTable({ events }: { events?: Events }) {
  const answer = useAnswer();
  const data = answer?.data ?? null;
  const errors = useMemo(() => errorsOf(answer), [answer]);
  return (
    <>
      {errors.length > 0 && <AnswerErrors errors={errors} />}
      {(data || errors.length === 0) && <Lists data={data} events={events} />}
    </>
  );
}

function Lists({ data, events }: { data: unknown; events?: Events }) {
  const lists = useMemo(() => (events && isNewest(events, data) ? [{ path: 'events', rows: events.newest, groups: false }] : listsOf(data)), [data, events]);
  const [path, setPath] = useState('');
  const list = lists.find((l) => l.path === path) ?? lists.find((l) => l.rows.length > 0) ?? lists[0];
  if (!list) return <p className="bo-no-table">{data ? 'This answer has no list to show as a table.' : 'Run a query: its list is shown here as a table.'}</p>;
  return (
    <section className="bo-answer" aria-label="The answer as a table">
      <Listed key={list.path} list={list}>
        {lists.length > 1 && (
          <label>
            List{' '}
            <select value={list.path} onChange={(event) => setPath(event.currentTarget.value)}>
              {lists.map((l) => (
                <option key={l.path}>{l.path}</option>
              ))}
            </select>
          </label>
        )}
      </Listed>
    </section>
  );
}

function Listed({ list, children }: { list: List; children: React.ReactNode }) {
  const { columns, rows, order, onOrder } = useOrdered(list.rows);
  return (
    <>
      <div className="bo-table-bar">
        {children}
        <p role="status">
          {rows.length} {rows.length === 1 ? 'row' : 'rows'}
        </p>
        <CopyButton label="Copy for a spreadsheet" text={() => tsvOf(columns, rows)} />
      </div>
      {rows.length > 0 && canDraw(columns) && <GroupsChart name={list.path} columns={columns} rows={rows} />}
      {rows.length > 0 ? <AnswerTable name={list.path} rows={rows} columns={columns} order={order} onOrder={onOrder} /> : <p className="bo-no-table">The list is empty.</p>}
    </>
  );
}

interface Shown {
  data?: unknown;
}

// What the answer's editor shows, so that both are always the same answer, whichever tab is open.
function useAnswer(): Shown | null {
  const { responseEditor } = useGraphiQL(pick('responseEditor'));
  const [answer, setAnswer] = useState<Shown | null>(null);
  useEffect(() => {
    if (!responseEditor) return;
    const read = () => setAnswer(parsed(responseEditor.getValue()));
    read();
    const listening = responseEditor.onDidChangeModelContent(read);
    return () => listening.dispose();
  }, [responseEditor]);
  return answer;
}

function parsed(text: string): Shown | null {
  try {
    return JSON.parse(text) as Shown | null;
  } catch {
    return null;
  }
}
