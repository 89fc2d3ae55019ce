import { pick, useGraphiQL } from '@graphiql/react';
import { useEffect, useMemo, useState } from 'react';
import { AnswerErrors, errorsOf } from './AnswerErrors';
import { AnswerTable, useOrdered } from './AnswerTable';
import { CopyButton } from './CopyButton';
import type { Run } from './CostBar';
import { canDraw, GroupsChart } from './GroupsChart';
import { OwnersChart } from './OwnersChart';
import { ownedOf } from './owned';
import { Pivot } from './Pivot';
import { dimensionsOf } from './pivot';
import type { Sizes } from './sizes';
import { listsOf, tsvOf, type List, type Row } from './table';
import { useWords } from './useWords';

export type View = 'json' | 'table';

/** Chooses how the answer is shown. */
export function ViewSwitch({ view, onView }: { view: View; onView: (view: View) => void }) {
  const say = useWords();
  return (
    <div className="bo-switch" role="group" aria-label={say('Show the answer as')}>
      {(['json', 'table'] as const).map((one) => (
        <button key={one} type="button" aria-pressed={view === one} onClick={() => onView(one)}>
          {one === 'json' ? 'JSON' : say('Table')}
        </button>
      ))}
    </div>
  );
}

/** The answer's errors, who owns its customers, and its list as a table, with a chart when it is counted in groups. */
export function AnswerAsTable({ run }: { run: Run | null }) {
  const answer = useAnswer();
  const data = answer?.data ?? null;
  const errors = useMemo(() => errorsOf(answer), [answer]);
  const owned = useMemo(() => ownedOf(data), [data]);
  // Another query in this tab has no answer yet.
  const ran = useMemo(() => (JSON.stringify(run?.answer) === JSON.stringify(answer) ? run : null), [run, answer]);
  const events = ran?.events?.newest ?? none;
  return (
    <>
      {errors.length > 0 && <AnswerErrors errors={errors} />}
      {owned.length > 0 && <OwnersChart owned={owned} />}
      {(data || errors.length === 0 || events.length > 0) && <Lists data={data} events={events} sizes={ran?.sizes ?? nothingAsked} />}
    </>
  );
}

const nothingAsked: Sizes = new Map();
const none: Row[] = [];

function Lists({ data, events, sizes }: { data: unknown; events: Row[]; sizes: Sizes }) {
  const say = useWords();
  const lists = useMemo(() => (events.length > 0 ? [{ path: 'events', rows: events, groups: false, total: null, counted: null }] : listsOf(data)), [data, events]);
  const [path, setPath] = useState('');
  const list = lists.find((l) => l.path === path) ?? lists.find((l) => l.rows.length > 0) ?? lists[0];
  if (!list) return <p className="bo-no-table">{say(data ? 'This answer has no list to show as a table.' : 'Run a query: its list is shown here as a table.')}</p>;
  return (
    <section className="bo-answer" aria-label={say('The answer as a table')}>
      <Listed key={list.path} list={list} sizes={sizes}>
        {lists.length > 1 && (
          <label>
            {say('List')}{' '}
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

function Listed({ list, sizes, children }: { list: List; sizes: Sizes; children: React.ReactNode }) {
  const say = useWords();
  const { columns, rows, order, onOrder } = useOrdered(list.path, list.rows, sizes);
  const [pivoted, setPivoted] = useState(false);
  const dimensions = dimensionsOf(list, columns);
  const count = { n: rows.length, total: list.total ?? 0 };
  return (
    <>
      <div className="bo-table-bar">
        {children}
        <p role="status">{list.total !== null && list.total > rows.length ? say('{n} of {total} rows', count) : rows.length === 1 ? say('1 row') : say('{n} rows', count)}</p>
        {dimensions && (
          <button type="button" className="bo-secondary bo-small" aria-pressed={pivoted} onClick={() => setPivoted(!pivoted)}>
            {say('Pivot')}
          </button>
        )}
        {!(dimensions && pivoted) && <CopyButton label={say('Copy for a spreadsheet')} text={() => tsvOf(columns, rows)} />}
      </div>
      {dimensions && pivoted ? (
        <Pivot list={list} columns={columns} dimensions={dimensions} />
      ) : (
        <>
          {rows.length > 0 && canDraw(columns) && <GroupsChart name={list.path} columns={columns} rows={rows} />}
          {rows.length > 0 ? (
            <AnswerTable name={list.path} rows={rows} columns={columns} sizes={sizes} order={order} onOrder={onOrder} />
          ) : (
            <p className="bo-no-table">{say('The list is empty.')}</p>
          )}
        </>
      )}
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
