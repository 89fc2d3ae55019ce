// An answer's list as rows and columns.

/** A list in an answer, by the names that lead there without those of connections. */
export interface List {
  path: string;
  rows: Row[];
  /** Whether the rows are groups, which are counted. */
  groups: boolean;
}

export type Row = Record<string, unknown>;

/** A value that a cell shows: nothing, a scalar, or a list in the row. */
export type Cell = null | string | number | boolean | Row[];

export interface Column {
  path: string;
  numeric: boolean;
  of: (row: Row) => Cell;
}

type Tree = { [name: string]: unknown };

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The lists of an answer that are not inside another list's rows, in the answer's order. */
export function listsOf(data: unknown, path: string[] = []): List[] {
  const rows = rowsOf(data);
  const list = rows ? [{ path: path.join('.'), rows, groups: isTree(data) && Array.isArray(data.groups) }] : [];
  if (!isTree(data)) return list;
  const others = Object.entries(data).filter(([name]) => !rows || !rowNames.includes(name));
  return [...list, ...others.flatMap(([name, value]) => listsOf(value, [...path, name]))];
}

// Where the rows of a connection or of groups are.
const rowNames = ['nodes', 'edges', 'groups'];

// The rows of a connection, of groups or of a plain list of objects; null of anything else. An edge and its node are one row.
function rowsOf(value: unknown): Row[] | null {
  if (Array.isArray(value)) return value.length > 0 && value.every((item) => item === null || isTree(item)) ? value.filter(isTree) : null;
  if (!isTree(value)) return null;
  if (Array.isArray(value.nodes)) return value.nodes.filter(isTree);
  if (Array.isArray(value.groups)) return value.groups.filter(isTree).map(unkeyed);
  if (!Array.isArray(value.edges)) return null;
  return value.edges.filter(isTree).map(({ node, ...edge }) => ({ ...(isTree(node) ? node : {}), ...edge }));
}

// A group's keys are columns by their dimensions: what a person reads, and the value where that alone was asked for.
function unkeyed({ keys, ...group }: Tree): Row {
  if (!Array.isArray(keys)) return group;
  const named = keys.filter(isTree).map((key, i) => [
    typeof key.dimension === 'string' ? sentence(key.dimension) : `Key ${i + 1}`,
    key.label ?? key.value ?? null,
  ]);
  return { ...Object.fromEntries(named), ...group };
}

/** COMPANY_TYPE as people write it. */
function sentence(word: string): string {
  const text = word.toLowerCase().replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A column for each path to a scalar or a list of the rows, in the order in which they are met. */
export function columnsOf(rows: Row[]): Column[] {
  const kinds = new Map<string, Set<string>>();
  const collect = (value: Tree, prefix: string) => {
    for (const [name, inner] of Object.entries(value)) {
      const path = prefix + name;
      if (isTree(inner) && !rowsOf(inner)) collect(inner, `${path}.`);
      else {
        const kind = kinds.get(path) ?? new Set();
        kinds.set(path, kind.add(inner === null ? 'null' : typeof inner));
      }
    }
  };
  for (const row of rows) collect(row, '');
  const paths = [...kinds.keys()];
  return paths
    .filter((path) => !isEmptyObject(path, paths, kinds))
    .map((path) => {
      const kind = kinds.get(path)!;
      const names = path.split('.');
      return { path, numeric: kind.has('number') && ['null', 'number'].includes([...kind].find((k) => k !== 'number') ?? 'null'), of: (row) => cellOf(follow(row, names)) };
    });
}

// An object that is null in some rows has columns of its own from the others.
function isEmptyObject(path: string, paths: string[], kinds: Map<string, Set<string>>): boolean {
  const kind = kinds.get(path)!;
  return kind.size === 1 && kind.has('null') && paths.some((other) => other.startsWith(`${path}.`));
}

function follow(value: unknown, names: string[]): unknown {
  return names.reduce<unknown>((at, name) => (isTree(at) ? at[name] : undefined), value);
}

function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  const rows = rowsOf(value);
  if (rows) return rows;
  if (Array.isArray(value)) return value.map((item) => (isTree(item) ? JSON.stringify(item) : String(item))).join(', ');
  return isTree(value) ? JSON.stringify(value) : (value as string | number | boolean);
}

const collator = new Intl.Collator('en', { sensitivity: 'base' });

/** Rows by a column: numbers as numbers, lists by their lengths, and what is missing last in either direction. */
export function sorted(rows: Row[], column: Column, descending: boolean): Row[] {
  const keyed = rows.map((row) => {
    const cell = column.of(row);
    return { row, key: Array.isArray(cell) ? cell.length : cell };
  });
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return a.key === b.key ? 0 : a.key === null ? 1 : -1;
    const order = typeof a.key === 'number' && typeof b.key === 'number' ? a.key - b.key : collator.compare(String(a.key), String(b.key));
    return descending ? -order : order;
  });
  return keyed.map(({ row }) => row);
}

/** The table as spreadsheets take it from the clipboard, in which no cell is taken for a formula. */
export function tsvOf(columns: Column[], rows: Row[]): string {
  const inert = (text: string) => (/^[=+\-@]/.test(text) ? `'${text}` : text);
  const text = (cell: Cell) => {
    if (cell === null) return '';
    if (Array.isArray(cell)) return String(cell.length);
    return typeof cell === 'string' ? inert(cell.replace(/[\t\r\n]+/g, ' ')) : String(cell);
  };
  const lines = [columns.map(({ path }) => inert(path)), ...rows.map((row) => columns.map((column) => text(column.of(row))))];
  return lines.map((cells) => cells.join('\t')).join('\n');
}
