import { useState } from 'react';
import type { Column, Row } from './table';
import { useWords } from './useWords';
import { numberOf } from './words';

const shown = 12;

/** Whether rows can be drawn: they have something to be called by, and a count. */
export function canDraw(columns: Column[]): boolean {
  return columns.some((c) => !c.numeric) && columns.some((c) => c.numeric && c.path === 'count');
}

/** The groups of an answer as bars, in the order of the table, which says the same in numbers. */
export function GroupsChart({ name, columns, rows }: { name: string; columns: Column[]; rows: Row[] }) {
  const say = useWords();
  const measures = columns.filter((c) => c.numeric);
  const [chosen, setChosen] = useState('count');
  const measure = measures.find((c) => c.path === chosen) ?? measures[0]!;
  const called = columns.filter((c) => !c.numeric);
  const bars = rows.slice(0, shown).map((row) => ({
    label: called.map((c) => c.of(row) ?? say('None')).join(' · '),
    value: Number(measure.of(row) ?? 0),
  }));
  const largest = Math.max(...bars.map((bar) => bar.value), 0);
  return (
    <figure className="bo-chart">
      <figcaption>
        {measures.length > 1 ? (
          <label>
            {say('Bars show')}{' '}
            <select value={measure.path} onChange={(event) => setChosen(event.currentTarget.value)}>
              {measures.map(({ path }) => (
                <option key={path}>{path}</option>
              ))}
            </select>
          </label>
        ) : (
          measure.path
        )}
        {rows.length > shown && <span>{say('the first {n} of {total}', { n: shown, total: rows.length })}</span>}
      </figcaption>
      <ul aria-label={say('{list} by {measure}', { list: name, measure: measure.path })}>
        {bars.map(({ label, value }, i) => (
          <li key={i}>
            <span className="bo-bar-label" title={label}>
              {label}
            </span>
            <svg className="bo-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
              <rect width={largest > 0 ? Math.max((100 * value) / largest, value > 0 ? 0.5 : 0) : 0} height="10" />
            </svg>
            <span className="bo-bar-value">{numberOf(value, 1)}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}
