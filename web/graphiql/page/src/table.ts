// An answer's list as rows and columns.
import type { Asked, Sizes } from './sizes';
import { numberOf, say, ungrouped } from './words';

/** A list in an answer, by the names that lead there without those of connections. */
export interface List {
  path: string;
  rows: Row[];
  /** Whether the rows are groups, which are counted. */
  groups: boolean;
  /** How many rows the whole list has, where the answer tells. */
  total: number | null;
  /** How many things its groups count together, each once. */
  counted: number | null;
}

export type Row = Record<string, unknown>;

/** A value that a cell shows: nothing, a scalar, or a list in the row. */
export type Cell = null | string | number | boolean | Inner;

/** A list in a row, of which the answer may hold a page alone. */
export interface Inner {
  rows: Row[];
  /** How many it has, where that is known. */
  total: number | null;
  /** Whether it has more than the page: null where the answer does not tell. */
  more: boolean | null;
  /** The values of a short list of scalars, as one text. */
  joined: string | null;
}

export const isInner = (cell: Cell): cell is Inner => typeof cell === 'object' && cell !== null;

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
  const groups = isTree(data) && Array.isArray(data.groups);
  const list = rows ? [{ path: path.join('.'), rows, groups, total: numberIn(data, groups ? 'groupCount' : 'totalCount'), counted: groups ? numberIn(data, 'totalCount') : null }] : [];
  if (!isTree(data)) return list;
  const others = Object.entries(data).filter(([name]) => !rows || !rowNames.includes(name));
  return [...list, ...others.flatMap(([name, value]) => listsOf(value, [...path, name]))];
}

function numberIn(value: unknown, name: string): number | null {
  const number = isTree(value) ? value[name] : null;
  return typeof number === 'number' ? number : null;
}

// Where the rows of a connection or of groups are.
const rowNames = ['nodes', 'edges', 'groups'];

// The rows of a connection, of groups or of a plain list of objects; null of anything else. An edge and its node are one row.
function rowsOf(value: unknown): Row[] | null {
  if (Array.isArray(value)) return value.length > 0 && value.every((item) => item === null || isTree(item)) ? value.filter(isTree) : null;
  if (!isTree(value)) return null;
  if (Array.isArray(value.nodes)) return value.nodes.filter(isTree);
  if (Array.isArray(value.groups)) return unkeyed(value.groups.filter(isTree));
  if (!Array.isArray(value.edges)) return null;
  return value.edges.filter(isTree).map(({ node, ...edge }) => ({ ...(isTree(node) ? node : {}), ...edge }));
}

// A group's keys are columns by their dimensions: what a person reads, with the value where two have the same name, or
// the value where that alone was asked for.
function unkeyed(groups: Tree[]): Row[] {
  const keysOf = (group: Tree) => (Array.isArray(group.keys) ? group.keys.filter(isTree) : []);
  const values = new Map<string, Set<unknown>>(); // of a name in its place among the keys
  for (const group of groups) {
    for (const [i, { label, value }] of keysOf(group).entries()) {
      const name = `${i} ${String(label)}`;
      values.set(name, (values.get(name) ?? new Set()).add(value));
    }
  }
  return groups.map(({ keys, ...group }) => {
    const named = keysOf({ keys }).map((key, i) => {
      const isShared = values.get(`${i} ${String(key.label)}`)!.size > 1;
      const shown = isShared && key.label != null ? `${String(key.label)} (${String(key.value)})` : (key.label ?? key.value ?? null);
      return [typeof key.dimension === 'string' ? sentence(key.dimension) : `Key ${i + 1}`, shown];
    });
    return { ...Object.fromEntries(named), ...group };
  });
}

/** COMPANY_TYPE as people write it. */
function sentence(word: string): string {
  const text = word.toLowerCase().replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A column for each path to a scalar or a list of the rows, in the order in which they are met, and for what a connection tells of its list. */
export function columnsOf(rows: Row[], sizes: Sizes = new Map(), of = ''): Column[] {
  const kinds = new Map<string, Set<string>>();
  const note = (path: string, kind: string) => kinds.set(path, (kinds.get(path) ?? new Set()).add(kind));
  const collect = (value: Tree, prefix: string) => {
    for (const [name, inner] of Object.entries(value)) {
      const path = prefix + name;
      const list = rowsOf(inner);
      if (list || !isTree(inner)) note(path, list ? 'list' : inner === null ? 'null' : typeof inner);
      if (isTree(inner)) collect(list ? Object.fromEntries(Object.entries(inner).filter(([n]) => !rowNames.includes(n))) : inner, `${path}.`);
    }
  };
  for (const row of rows) collect(row, '');
  const paths = [...kinds.keys()];
  return paths
    .filter((path) => !isEmptyObject(path, paths, kinds))
    .map((path) => {
      const kind = kinds.get(path)!;
      const value = (row: Row) => follow(row, path);
      if (kind.has('list')) return columnOfList(path, rows, value, sizes.get(`${of}.${path}`));
      return { path, numeric: kind.has('number') && ['null', 'number'].includes([...kind].find((k) => k !== 'number') ?? 'null'), of: (row) => cellOf(value(row)) };
    });
}

/** How many values a short list has, at most. */
const short = 8;

// A list of one scalar stands joined in its cells when it is short in all rows, under the path of that scalar, as in an export.
function columnOfList(path: string, rows: Row[], value: (row: Row) => unknown, asked: Asked | undefined): Column {
  const lists = rows.map((row) => rowsOf(value(row)) ?? []);
  const inner = columnsOf(lists.flat());
  const only = inner.length === 1 && lists.every((list) => list.length <= short) && lists.flat().every((row) => !isInner(inner[0]!.of(row))) ? inner[0]! : null;
  return {
    path: only ? `${path}.${only.path}` : path,
    numeric: false,
    of: (row) => {
      const list = value(row);
      const found = rowsOf(list);
      return found && { rows: found, ...lengthOf(list, found.length, asked), joined: only && found.map((one) => only.of(one)).filter((one) => one !== null).join('; ') };
    },
  };
}

// What an answer tells of the length of a list: all of it for a plain one; for a connection what was asked for.
export function lengthOf(list: unknown, shown: number, asked: Asked | undefined): Pick<Inner, 'total' | 'more'> {
  if (!isTree(list) || !('nodes' in list || 'edges' in list)) return { total: shown, more: false };
  if (typeof list.totalCount === 'number') return { total: list.totalCount, more: list.totalCount > shown };
  const page = isTree(list.pageInfo) ? list.pageInfo : {};
  const more = asked?.last ? page.hasPreviousPage : page.hasNextPage;
  if (more === true) return { total: null, more: true };
  const whole = asked ? !asked.within && (more === false || shown < asked.rows) : shown === 0;
  return whole ? { total: shown, more: false } : { total: null, more: null };
}

// An object that is null in some rows has columns of its own from the others.
function isEmptyObject(path: string, paths: string[], kinds: Map<string, Set<string>>): boolean {
  const kind = kinds.get(path)!;
  return kind.size === 1 && kind.has('null') && paths.some((other) => other.startsWith(`${path}.`));
}

// Each dot of a path may be one of a name, in free-form JSON.
function follow(value: unknown, path: string): unknown {
  if (!isTree(value)) return undefined;
  if (Object.hasOwn(value, path)) return value[path];
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const found = follow(value[path.slice(0, dot)], path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return value.map((item) => (isTree(item) ? JSON.stringify(item) : String(item))).join('; ');
  return isTree(value) ? JSON.stringify(value) : (value as string | number | boolean);
}

const collator = new Intl.Collator('en', { sensitivity: 'base' });

/** Rows by a column: numbers as numbers, lists by their lengths, and what is missing last in either direction. */
export function sorted(rows: Row[], column: Column, descending: boolean): Row[] {
  const keyed = rows.map((row) => {
    const cell = column.of(row);
    return { row, key: isInner(cell) ? (cell.joined ?? cell.total ?? cell.rows.length) : cell };
  });
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return a.key === b.key ? 0 : a.key === null ? 1 : -1;
    const order = typeof a.key === 'number' && typeof b.key === 'number' ? a.key - b.key : collator.compare(String(a.key), String(b.key));
    return descending ? -order : order;
  });
  return keyed.map(({ row }) => row);
}

/** What a list's cell says: how many it has, or how many of them there are here. */
export function textOf(list: Inner): string {
  const shown = list.rows.length;
  const length = list.more === false ? null : list.total !== null ? say('{n} of {total}', { n: shown, total: list.total }) : say(list.more ? '{n} of more' : '{n} or more', { n: shown });
  if (list.joined !== null) return length && shown > 0 ? `${list.joined} (${length})` : list.joined;
  return length ?? numberOf(list.total ?? shown);
}

/** The table as spreadsheets take it from the clipboard. */
export function tsvOf(columns: Column[], rows: Row[]): string {
  const value = (cell: Cell) => (!isInner(cell) ? cell : cell.joined === null && cell.total !== null ? cell.total : textOf(cell));
  return tsvOfLines([columns.map(({ path }) => path), ...rows.map((row) => columns.map((column) => value(column.of(row))))]);
}

/** Lines of cells as spreadsheets take them, in which none is taken for a formula. */
export function tsvOfLines(lines: (string | number | boolean | null | undefined)[][]): string {
  const text = (cell: string | number | boolean | null | undefined) => {
    if (typeof cell === 'number') return ungrouped(cell);
    return typeof cell === 'string' ? quoted(inert(cell.replace(/[\t\r\n]+/g, ' '))) : String(cell ?? '');
  };
  return lines.map((cells) => cells.map(text).join('\t')).join('\n');
}

// The first visible characters that backoffice/escape_formula.go has, too.
function inert(text: string): string {
  return /^[\s\x85\p{Cf}\p{Z}]*[=+\-@＝＋－＠﹢﹣﹦﹫−]/u.test(text) ? `'${text}` : text;
}

// A spreadsheet takes a text that begins with a quote up to the next one, over the ends of cells and lines.
function quoted(text: string): string {
  return text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text;
}
