import { ask, type Answer, type Credentials } from '../service';
import { say, type Sentence } from '../words';

/** A query that teaches one thing about the model: a file NN-key.graphql, its title and lesson in the first comments. */
export interface Worked {
  key: string;
  group: Sentence;
  title: string;
  lesson: string;
  /** The document as the editor shows it, under its title. */
  query: string;
  /** The scopes it needs beyond a valid pair. */
  scopes: string[];
  settings: Settings;
}

/** The file NN-key.json beside the query, for one that has variables or needs a scope. */
interface Settings {
  scopes?: string[];
  /** Values; "$a.0.b" is looked up in the data of prepare, "$uuid" is a new one. */
  variables?: Record<string, unknown>;
  /** Looks for the identifiers that the variables need, by a query. */
  prepare?: string;
  /** What it found, in another shape. */
  found?: (data: Answer['body']['data']) => unknown;
  /**
   * Which root fields of prepare find only records that the worked queries made themselves. One that writes gets
   * identifiers of other records in a demo's store alone.
   */
  own?: string[];
  /** What to say when prepare found nothing. */
  missing?: string;
}

export interface Prepared {
  variables: string;
  /** Set when an identifier could not be found. */
  missing: string | null;
  /** The service's answer where that told nothing of what there is. */
  failed: Answer | null;
}

// The server says in the page whether it serves a demo's store.
const isDemo = document.querySelector<HTMLMetaElement>('meta[name=store]')?.content === 'demo';

const groups: Record<string, Sentence> = {
  '1-reading': 'Reading',
  '2-paging': 'Paging',
  '3-privacy': 'Registration numbers',
  '4-writing': 'Writing',
};

const documents = import.meta.glob<string>('./*/*.graphql', { query: '?raw', import: 'default', eager: true });
const questions = import.meta.glob<string>('../../../../questions/*.graphql', { query: '?raw', import: 'default', eager: true });
const settings = import.meta.glob<Settings>('./*/*.json', { import: 'default', eager: true });

// A query's text without the comments that it begins with, and these.
function partsOf(text: string) {
  const comments = /^(?:#.*\n)*/.exec(text)![0];
  return { lines: comments.trim().split('\n').map((line) => line.replace(/^# ?/, '')), body: text.slice(comments.length) };
}

const years = '{ currentFinancialYear { startDate } financialYears(first: 500) { nodes { id startDate } } }';

// The questions of an office, which have a folder of their own. A line of their comments gives variables that fit the demo's data:
// its years are any store's current one and the one before.
const asked = Object.keys(questions)
  .sort()
  .map((file): Worked => {
    const { lines: [title = '', ...lines], body } = partsOf(questions[file]!);
    const given = lines.find((line) => line.startsWith('Variables: '))?.slice('Variables: '.length)
      .replace('year-2026', '$years.0.id').replace('year-2025', '$years.1.id');
    return {
      key: file.replace(/^.*\/\d+-|\.graphql$/g, ''),
      group: 'Questions of an office',
      title,
      lesson: lines.filter((line) => !line.startsWith('Variables: ')).join(' '),
      query: `# ${title}\n${body}`,
      scopes: [],
      settings: given
        ? { variables: JSON.parse(given) as Record<string, unknown>, prepare: years, found: yearsOf }
        : {},
    };
  });

const taught: Worked[] = Object.keys(documents)
  .sort()
  .map((file) => {
    const [, folder = '', name = ''] = file.split('/');
    const { lines: [title = '', ...lesson], body } = partsOf(documents[file]!);
    const own = settings[file.replace(/graphql$/, 'json')] ?? {};
    return {
      key: name.replace(/^\d+-|\.graphql$/g, ''),
      group: groups[folder]!,
      title,
      lesson: lesson.join(' '),
      query: `# ${title}\n${body}`,
      scopes: own.scopes ?? [],
      settings: own,
    };
  });

/** All worked queries, in the order in which they teach. */
export const worked: Worked[] = [...taught.filter((w) => w.group === groups['1-reading']), ...asked, ...taught.filter((w) => w.group !== groups['1-reading'])];

/** The worked query that the address asks for (#worked=relations), if any. Only its key is ever in an address. */
export function workedOfAddress(): Worked | undefined {
  const key = workedKey();
  return worked.find((w) => w.key === key);
}

/** Whether the address asks for a worked query that there is not. */
export function isUnknownWorked(): boolean {
  return workedKey() !== null && !workedOfAddress();
}

function workedKey(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('worked');
}

/** Fills in a worked query's variables, with identifiers of this store where it needs some. */
export async function prepare(item: Worked, by: Credentials): Promise<Prepared> {
  if (!item.settings.variables) return { variables: '', missing: null, failed: null };
  const { prepare: query, found: shape = (data) => data } = item.settings;
  const answer = query === undefined ? null : await ask(by, { query });
  const failed = answer && !answer.body.data ? answer : null;
  const found = shape(answer?.body.data);
  const guarded = !isDemo && /^mutation\b/m.test(item.query);
  let complete = true;
  let withheld = false;
  const lookUp = (path: string[]) => {
    if (!guarded || item.settings.own?.includes(path[0]!)) return follow(found, path);
    withheld = true;
    return undefined;
  };
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string' && value.startsWith('$')) {
      const filled = value === '$uuid' ? uuid() : lookUp(value.slice(1).split('.'));
      if (filled === undefined) complete = false;
      return filled ?? '';
    }
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, fill(v)]));
    }
    return value;
  };
  const variables = JSON.stringify(fill(item.settings.variables), null, 2);
  if (complete || failed) return { variables, missing: null, failed };
  return { variables, failed, missing: (!withheld && item.settings.missing) || (say(withheld ? mind : none)) };
}

const none = 'Nothing in this store fits: fill in the variables yourself.';
const mind = 'These are real records: fill in the identifiers of those that you mean to change yourself.';

interface Year {
  id: string;
  startDate: string;
}

// The financial years from the current one back.
function yearsOf(data: unknown): { years: Year[] } {
  const found = data as { currentFinancialYear: Year | null; financialYears: { nodes: Year[] } } | null | undefined;
  const all = found?.financialYears.nodes.toSorted((a, b) => b.startDate.localeCompare(a.startDate)) ?? [];
  return { years: all.filter(({ startDate }) => startDate <= (found?.currentFinancialYear?.startDate ?? '')) };
}

function follow(value: unknown, path: string[]): unknown {
  return path.reduce<unknown>((at, step) => (at as Record<string, unknown> | null | undefined)?.[step], value);
}

// crypto.randomUUID is not there on plain http.
function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
