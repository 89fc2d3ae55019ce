/** How the page talks to the service: POST /graphql with a credential pair or a person's token, and what the answers mean. */
import type { Person } from './person';

/** For whom a request is made. They are in memory alone. */
export interface Credentials {
  /** Who signed in at the provider; null for a pair. */
  person: Person | null;
  /** What says so in a request; null when that cannot be said. */
  headers(): Promise<Record<string, string> | null>;
}

/** A credential pair. A header can't hold every character: a pair that doesn't fit in one is not one of ours. */
export function pairOf(clientId: string, clientSecret: string): Credentials {
  const headers = fitsHeader(clientId) && fitsHeader(clientSecret) ? { 'x-client-id': clientId, 'x-client-secret': clientSecret } : null;
  return { person: null, headers: async () => headers };
}

export interface Viewer {
  kind: 'CREDENTIAL_PAIR' | 'PERSON';
  /** As whom the provider knows a person; null for a pair. */
  subject: string | null;
  clientId: string;
  name: string;
  /** Which customers are seen, as JSON; null for all. */
  restriction: string | null;
  /** As the specification writes them: privacy.read. */
  scopes: string[];
}

/** What extensions.cost tells when x-explain was asked for. */
export interface Cost {
  depth: number;
  cost: number;
  limit: number;
  scopes: string[];
  /** Not told to restricted credentials, nor of some mutations. */
  storeCalls?: number;
}

/** What extensions.plan tells of an operation, which is not run. */
export interface Plan {
  cost: number;
  maximumCost: number;
  depth: number;
  /** As the specification writes them. */
  requiredScopes: string[];
  missingScopes: string[];
}

export interface GraphQLError {
  message: string;
  path?: (string | number)[];
  extensions?: { code?: string; requiredScope?: string };
}

export interface Body {
  data?: Record<string, unknown> | null;
  errors?: GraphQLError[];
  extensions?: { cost?: Cost; plan?: Plan } & Record<string, unknown>;
}

export interface Answer {
  /** The HTTP status; 0 when no answer came. */
  status: number;
  /** Seconds until a retry makes sense, where the service says so. */
  retryAfter: number | null;
  body: Body;
}

export interface Question {
  query: string;
  variables?: unknown;
  operationName?: string | null;
}

export interface Asking {
  purpose?: string;
  /** true asks for what the operation costs beside its answer, plan for what it needs in its place. */
  explain?: true | 'plan';
  signal?: AbortSignal;
}

export const everyScope = ['privacy.read', 'customers.write', 'pti.write', 'minfin.read', 'settings.write', 'users.write'];

/** Sends one request. Never throws but for an abort: a server that cannot be reached is an answer with status 0. */
export async function ask(by: Credentials, question: Question, asking: Asking = {}): Promise<Answer> {
  const sent = await send(by, question, asking, 'application/graphql-response+json, application/json;q=0.9', (response) => response.text());
  return typeof sent === 'string' ? failure(0, sent) : answerOf(sent.response, sent.read);
}

/**
 * Sends a subscription, and tells each answer as it comes, until the service ends it. What it returns is the answer when it was
 * refused, and null when it had begun. Throws for an abort.
 */
export async function follow(by: Credentials, question: Question, asking: Asking, told: (body: Body) => void): Promise<Answer | null> {
  const sent = await send(by, question, asking, 'text/event-stream', async (response) => {
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
    await events(response, told);
    return null;
  });
  if (typeof sent === 'string') return failure(0, sent);
  return sent.read === null ? null : answerOf(sent.response, sent.read);
}

/** Reads the events of graphql-sse: next with an answer, complete at the end. */
async function events(response: Response, told: (body: Body) => void): Promise<void> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const whole = (text + part.value).split('\n\n');
    text = whole.pop()!;
    for (const event of whole) {
      const body = event.startsWith('event: next\n') ? object(event.slice(event.indexOf('data: ') + 6)) : null;
      if (body) told(body);
    }
  }
}

// Sends a request; a text says that no answer came.
async function send<T>(by: Credentials, question: Question, asking: Asking, accept: string, read: (response: Response) => Promise<T>): Promise<{ response: Response; read: T } | { response: Response; read: string } | string> {
  const headers = await headersOf(by, asking, accept);
  if (!headers) {
    return { response: new Response(null, { status: 401 }), read: JSON.stringify(failure(401, 'no valid credentials').body) };
  }
  try {
    const response = await post('/graphql', headers, question, asking.signal);
    return { response, read: await read(response) };
  } catch (cause) {
    if (asking.signal?.aborted) throw cause;
    return 'the service could not be reached';
  }
}

// There are no headers for somebody who signed out.
async function headersOf(by: Credentials, asking: Asking, accept: string): Promise<Headers | null> {
  const said = await by.headers();
  if (!said) return null;
  const headers = new Headers({ ...said, accept, 'content-type': 'application/json' });
  if (asking.purpose) headers.set('x-access-purpose', utf8(asking.purpose));
  if (asking.explain) headers.set('x-explain', String(asking.explain));
  return headers;
}

function post(path: string, headers: Headers, question: Question, signal?: AbortSignal): Promise<Response> {
  return fetch(path, { method: 'POST', headers, body: JSON.stringify(question), signal, cache: 'no-store', credentials: 'omit', redirect: 'error' });
}

/** Asks for the picture of who owns a customer; null when the service does not give it. Throws for an abort. */
export async function askPicture(by: Credentials, customer: string, asOf: string, signal: AbortSignal): Promise<string | null> {
  const address = new URLSearchParams({ format: 'svg', asOf });
  const headers = await headersOf(by, {}, 'image/svg+xml');
  try {
    const response = await fetch(`/customers/${encodeURIComponent(customer)}/ownership?${address}`, { headers: headers ?? {}, signal, cache: 'no-store', credentials: 'omit', redirect: 'error' });
    return response.ok ? await response.text() : null;
  } catch (cause) {
    if (signal.aborted) throw cause;
    return null;
  }
}

/** How a list is exported. */
export interface Wanted {
  format: 'jsonl' | 'csv' | 'xlsx';
  /** CSV as Excel opens it. */
  excel: boolean;
  /** The path of the list in the rows that is unfolded into rows of its own; none for null. */
  rows: string | null;
}

/**
 * Begins an export: a response of which the body is still to be read, or the answer that refused it. Throws for an abort. A failure
 * after this breaks the body off: reading it rejects.
 */
export async function beginExport(by: Credentials, question: Question, { format, excel, rows }: Wanted, asking: Asking): Promise<Response | Answer> {
  const address = new URLSearchParams({ format, ...(excel ? { excel: 'on' } : {}), ...(rows ? { rows } : {}) });
  try {
    const response = await post(`/graphql/export?${address}`, (await headersOf(by, asking, '*/*'))!, question, asking.signal);
    if (response.ok && !response.headers.get('content-type')?.startsWith('application/graphql')) return response;
    return answerOf(response, await response.text());
  } catch (cause) {
    if (asking.signal?.aborted) throw cause;
    return failure(0, 'the service could not be reached');
  }
}

function answerOf(response: Response, text: string): Answer {
  const retry = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
  return {
    status: response.status,
    retryAfter: Number.isFinite(retry) ? retry : null,
    body: object(text) ?? failure(response.status, `the service answered ${response.status}`).body,
  };
}

/** Asks what an operation needs; null when the service does not say, which running it will explain. */
export async function askPlan(by: Credentials, question: Question): Promise<Plan | null> {
  const { body } = await ask(by, question, { explain: 'plan' });
  return body.extensions?.plan ?? null;
}

/** Asks who somebody is; the viewer is null when the service does not take them. */
export async function signIn(by: Credentials): Promise<{ viewer: Viewer | null; answer: Answer }> {
  const answer = await ask(by, { query: '{ viewer { kind clientId subject name scopes restriction } }' });
  const viewer = answer.body.data?.viewer as Viewer | undefined;
  if (answer.status !== 200 || !viewer) return { viewer: null, answer };
  return { viewer: { ...viewer, scopes: viewer.scopes.map(scopeName) }, answer };
}

/** PRIVACY_READ, as the schema's enum has it, is privacy.read to everyone else. */
export function scopeName(scope: string): string {
  return scope.toLowerCase().replace('_', '.');
}

/** What the service says, as a sentence: its messages begin with a small letter and have no full stop. */
export function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

function fitsHeader(value: string): boolean {
  return /^[\x21-\x7e]+$/.test(value);
}

// fetch takes a header's value as bytes in a string; the service reads those bytes as UTF-8.
function utf8(value: string): string {
  return String.fromCharCode(...new TextEncoder().encode(value));
}

function object(text: string): Body | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function failure(status: number, message: string): Answer {
  return { status, retryAfter: null, body: { errors: [{ message }] } };
}
