// Groups of two dimensions as a table with one of them on each side.
import type { Column, List, Row } from './table';

export interface Pivoted {
  down: string;
  across: string;
  rows: string[];
  columns: string[];
  /** The number of a row and a column; undefined where there is no such group. */
  of: (row: string, column: string) => number | undefined;
  /** Whether sums of rows and columns mean something. */
  adds: boolean;
}

const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true });

const name = (column: Column, row: Row) => String(column.of(row) ?? '–');
const key = (row: string, column: string) => JSON.stringify([row, column]);

/** The columns of a list's two dimensions; null where there are not two, nothing to count, or two groups of one name. */
export function dimensionsOf({ groups, rows }: List, columns: Column[]): [Column, Column] | null {
  const [down, across, ...more] = columns.filter((column) => !column.numeric);
  if (!groups || !down || !across || more.length > 0 || !columns.some(({ numeric }) => numeric)) return null;
  return new Set(rows.map((row) => key(name(down, row), name(across, row)))).size === rows.length ? [down, across] : null;
}

/** A measure of groups by two dimensions. Counts add up only where all groups together are the total: not where one counts in several. */
export function pivotOf({ rows, counted }: List, [down, across]: [Column, Column], measure: Column): Pivoted {
  const cells = new Map<string, number>();
  for (const row of rows) {
    const value = measure.of(row);
    if (typeof value === 'number') cells.set(key(name(down, row), name(across, row)), value);
  }
  const named = (column: Column) => [...new Set(rows.map((row) => name(column, row)))].sort(collator.compare);
  const sum = rows.reduce((all, row) => all + (typeof row.count === 'number' ? row.count : NaN), 0);
  return {
    down: down.path,
    across: across.path,
    rows: named(down),
    columns: named(across),
    of: (row, column) => cells.get(key(row, column)),
    adds: /^count$|Count$/.test(measure.path) && sum === counted,
  };
}

/** The numbers of a pivot as lines of cells, with their heads, and with sums where they add up. */
export function linesOf({ down, across, rows, columns, of, adds }: Pivoted, total: string): (string | number | undefined)[][] {
  const sum = (values: (number | undefined)[]) => values.reduce<number>((all, value) => all + (value ?? 0), 0);
  const lines = rows.map((row) => {
    const values = columns.map((column) => of(row, column));
    return [row, ...values, ...(adds ? [sum(values)] : [])];
  });
  const head = [`${down} \\ ${across}`, ...columns, ...(adds ? [total] : [])];
  if (!adds) return [head, ...lines];
  const below = columns.map((column) => sum(rows.map((row) => of(row, column))));
  return [head, ...lines, [total, ...below, sum(below)]];
}
