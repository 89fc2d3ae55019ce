// The service's saved queries: trusted documents with a name.
import { parse, valueFromASTUntyped, type GraphQLSchema, type VariableDefinitionNode } from 'graphql';
import { exportableOf, operationOf } from './operation';
import { ask, scopeName, sentence, type GraphQLError, type Credentials } from './service';
import { say } from './words';

export interface SavedQuery {
  name: string;
  title: string | null;
  description: string | null;
  document: string;
  documentId: string;
  /** As the specification writes them. */
  requiredScopes: string[];
  cost: number | null;
}

/** The saved queries, in the service's order; a text says why there are none to show. */
export async function loadSaved(by: Credentials): Promise<SavedQuery[] | string> {
  const { body } = await ask(by, { query: '{ savedQueries { name title description document documentId requiredScopes cost } }' });
  const found = body.data?.savedQueries as SavedQuery[] | undefined;
  return found?.map((saved) => ({ ...saved, requiredScopes: saved.requiredScopes.map(scopeName) })) ?? said(body.errors);
}

export interface Saving {
  name: string;
  title: string | null;
  description: string | null;
  document: string;
}

/** Saves a query under a name; a text says why it was not saved. */
export async function saveQuery(by: Credentials, input: Saving): Promise<string | null> {
  const query = 'mutation Save($input: SaveQueryInput!) { saveQuery(input: $input) { savedQuery { name } userErrors { field code message } } }';
  return change(by, query, input);
}

/** Removes a saved query; a text says why it was not removed. Rehearsed, it stays, and the text says why it would not be. */
export async function removeSaved(by: Credentials, name: string, rehearsed = false): Promise<string | null> {
  const query = `mutation Remove($input: RemoveSavedQueryInput!) { removeSavedQuery(input: $input${rehearsed ? ', dryRun: true' : ''}) { userErrors { field code message } } }`;
  return change(by, query, { name });
}

async function change(by: Credentials, query: string, input: unknown): Promise<string | null> {
  const { body } = await ask(by, { query, variables: { input } });
  const [result] = Object.values(body.data ?? {}) as ({ userErrors: { message: string }[] } | null)[];
  if (!result) return said(body.errors);
  return result.userErrors.length > 0 ? result.userErrors.map(({ message }) => sentence(message)).join(' ') : null;
}

function said(errors: GraphQLError[] | undefined): string {
  const scope = errors?.find((e) => e.extensions?.requiredScope)?.extensions?.requiredScope;
  if (scope) return say('That needs the scope {scope}, which you do not have.', { scope: scopeName(scope) });
  return errors?.length ? errors.map(({ message }) => sentence(message)).join(' ') : say('The service gave an answer that this page does not understand.');
}

/** The link to this page that opens a saved query. Only its name is in it. */
export function linkTo({ name }: SavedQuery): string {
  return `${location.origin}${location.pathname}#${new URLSearchParams({ saved: name })}`;
}

/** The name of the saved query that the address asks for, if any. */
export function savedOfAddress(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('saved');
}

/** A form of the answer that a saved query can have, and the list of which each element is a row in it. */
interface Way {
  ending: 'xlsx' | 'csv' | 'jsonl' | 'json';
  rows?: string;
}

/** The forms that work for a saved query, the best for a spreadsheet first. */
export function waysOf({ document }: SavedQuery, schema: GraphQLSchema | null | undefined): Way[] {
  const parsed = parse(document);
  const operation = operationOf(parsed);
  const exportable = schema && operation ? exportableOf(schema, { question: { query: document, variables: {} }, document: parsed, operation, ready: true }) : '';
  if (typeof exportable === 'string') return [{ ending: 'json' }];
  const [rows, ...more] = exportable.wide;
  const tables: Way[] = more.length > 0 ? [] : [{ ending: 'xlsx', rows }, { ending: 'csv', rows }];
  return [...tables, { ending: 'jsonl' }, { ending: 'json' }];
}

/** The address at which a saved query's answer is, for a spreadsheet that refreshes; its variables are to be filled in. */
export function addressOf(saved: SavedQuery, { ending, rows }: Way): string {
  const variables = definitionsOf(saved).flatMap(({ variable, defaultValue }) => (defaultValue ? [] : [`${encodeURIComponent(variable.name.value)}=`]));
  const query = [...(rows ? [`rows=${encodeURIComponent(rows)}`] : []), ...variables].join('&');
  return `${location.origin}/queries/${encodeURIComponent(saved.name)}.${ending}${query && `?${query}`}`;
}

function definitionsOf({ document }: SavedQuery): VariableDefinitionNode[] {
  return parse(document).definitions.flatMap((d) => (d.kind === 'OperationDefinition' ? (d.variableDefinitions ?? []) : []));
}

/** Whether a saved query can run at once: all of its variables have defaults. */
export function needsNothing(saved: SavedQuery): boolean {
  return definitionsOf(saved).every(({ defaultValue }) => defaultValue !== undefined);
}

/** What the variables editor starts with: each variable with its default, or to be filled in. */
export function variablesFor(saved: SavedQuery): string {
  const values = definitionsOf(saved).map(({ variable, defaultValue }) => [variable.name.value, defaultValue ? valueFromASTUntyped(defaultValue) : null]);
  return values.length > 0 ? JSON.stringify(Object.fromEntries(values), null, 2) : '';
}
