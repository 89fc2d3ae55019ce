import { Fragment, useMemo, useState } from 'react';
import type { Sizes } from './sizes';
import { columnsOf, isInner, sorted, textOf, type Cell, type Column, type Inner, type Row } from './table';
import { useLanguage } from './useWords';
import { numberOf, wholeFraction } from './words';

interface Order {
  path: string;
  descending: boolean;
}

interface Props {
  name: string;
  rows: Row[];
  columns: Column[];
  sizes: Sizes;
  order: Order | null;
  onOrder: (order: Order) => void;
}

/** A list of an answer as a table, ordered by the column that is clicked. */
export function AnswerTable({ name, rows, columns, sizes, order, onOrder }: Props) {
  return (
    <div className="bo-table-scroll" role="region" aria-label={name} tabIndex={0}>
      <table className="bo-table">
        <thead>
          <tr>
            {columns.map(({ path, numeric }) => {
              const now = order?.path === path ? (order.descending ? 'descending' : 'ascending') : undefined;
              return (
                <th key={path} scope="col" aria-sort={now} className={numeric ? 'bo-number' : undefined}>
                  <button type="button" onClick={() => onOrder({ path, descending: now === 'ascending' })}>
                    {path}
                    <span aria-hidden="true">{now ? (order!.descending ? '▼' : '▲') : ''}</span>
                  </button>
                </th>
              );
            })}
          </tr>
        </thead>
        <Rows name={name} rows={rows} columns={columns} sizes={sizes} />
      </table>
    </div>
  );
}

/** The rows of a table in their order, and the columns that they have. */
export function useOrdered(name: string, rows: Row[], sizes: Sizes) {
  const [order, onOrder] = useState<Order | null>(null);
  const columns = useMemo(() => columnsOf(rows, sizes, name), [name, rows, sizes]);
  const by = order && columns.find(({ path }) => path === order.path);
  const ordered = useMemo(() => (by ? sorted(rows, by, order.descending) : rows), [rows, by, order]);
  return { columns, rows: ordered, order: by ? order : null, onOrder };
}

interface RowsProps {
  /** The path of the list in the answer. */
  name: string;
  rows: Row[];
  columns: Column[];
  sizes: Sizes;
}

function Rows({ name, rows, columns, sizes }: RowsProps) {
  useLanguage();
  const [open, setOpen] = useState<{ row: Row; column: Column } | null>(null);
  return (
    <tbody>
      {rows.map((row, i) => (
        <Fragment key={i}>
          <tr>
            {columns.map((column) => {
              const isOpen = open?.row === row && open.column === column;
              return (
                <td key={column.path} className={column.numeric ? 'bo-number' : undefined}>
                  <Value cell={column.of(row)} path={column.path} open={isOpen} onOpen={() => setOpen(isOpen ? null : { row, column })} />
                </td>
              );
            })}
          </tr>
          {open?.row === row && (
            <tr className="bo-nested">
              <td colSpan={columns.length}>
                <Nested rows={(open.column.of(row) as Inner).rows} path={open.column.path} name={`${name}.${open.column.path}`} sizes={sizes} />
              </td>
            </tr>
          )}
        </Fragment>
      ))}
    </tbody>
  );
}

function Value({ cell, path, open, onOpen }: { cell: Cell; path: string; open: boolean; onOpen: () => void }) {
  if (cell === null) return <span className="bo-nothing">–</span>;
  if (typeof cell === 'number') return numberOf(cell, wholeFraction);
  if (!isInner(cell)) return String(cell);
  const text = textOf(cell);
  if (cell.joined !== null || cell.rows.length === 0) return text || <span className="bo-nothing">–</span>;
  return (
    <button type="button" className="bo-count" aria-expanded={open} aria-label={`${text} ${path}`} onClick={onOpen}>
      {text} <span aria-hidden="true">{open ? '▾' : '▸'}</span>
    </button>
  );
}

// A list within a row: a table of its own, in the order of the answer.
function Nested({ rows, path, name, sizes }: Omit<RowsProps, 'columns'> & { path: string }) {
  const columns = useMemo(() => columnsOf(rows, sizes, name), [rows, sizes, name]);
  return (
    <div className="bo-nested-scroll" role="group" aria-label={path} tabIndex={0}>
      <table className="bo-table" aria-label={path}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.path} scope="col" className={column.numeric ? 'bo-number' : undefined}>
                {column.path}
              </th>
            ))}
          </tr>
        </thead>
        <Rows name={name} rows={rows} columns={columns} sizes={sizes} />
      </table>
    </div>
  );
}
