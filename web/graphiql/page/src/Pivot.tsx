import { useState } from 'react';
import { CopyButton } from './CopyButton';
import { linesOf, pivotOf } from './pivot';
import { tsvOfLines, type Column, type List } from './table';
import { useWords } from './useWords';
import { numberOf } from './words';

/** Groups of two dimensions with one of them on each side, by a number that is chosen. */
export function Pivot({ list, columns, dimensions: [down, across] }: { list: List; columns: Column[]; dimensions: [Column, Column] }) {
  const say = useWords();
  const measures = columns.filter((column) => column.numeric);
  const [chosen, setChosen] = useState('count');
  const [swapped, setSwapped] = useState(false);
  const measure = measures.find(({ path }) => path === chosen) ?? measures[0]!;
  const pivoted = pivotOf(list, swapped ? [across, down] : [down, across], measure);
  const [head, ...lines] = linesOf(pivoted, say('Total'));
  return (
    <>
      <div className="bo-table-bar">
        <label>
          {say('Cells show')}{' '}
          <select value={measure.path} onChange={(event) => setChosen(event.currentTarget.value)}>
            {measures.map(({ path }) => (
              <option key={path}>{path}</option>
            ))}
          </select>
        </label>
        <button type="button" className="bo-secondary bo-small" onClick={() => setSwapped(!swapped)}>
          {say('Swap rows and columns')}
        </button>
        <p />
        <CopyButton label={say('Copy for a spreadsheet')} text={() => tsvOfLines([head!, ...lines])} />
      </div>
      <div className="bo-table-scroll" role="region" aria-label={say('{list} as a pivot', { list: list.path })} tabIndex={0}>
        <table className="bo-table bo-pivot">
          <thead>
            <tr>
              {head!.map((name, i) => (
                <th key={i} scope="col" className={i > 0 ? 'bo-number' : undefined}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.map(([name, ...values], i) => (
              <tr key={i}>
                <th scope="row">{name}</th>
                {values.map((value, j) => (
                  <td key={j} className="bo-number">
                    {typeof value === 'number' ? numberOf(value, 4) : <span className="bo-nothing">–</span>}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
