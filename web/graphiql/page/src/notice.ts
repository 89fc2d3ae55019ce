import { scopeName, sentence, type Answer, type GraphQLError, type Viewer } from './service';
import { say, timeOf, type Sentence } from './words';

/** What the frame says about an answer in words, above the answer itself. */
export interface Notice {
  tone: 'error' | 'warning' | 'info';
  title: string;
  text: string;
  /** Whether signing in again is what helps. */
  signInAgain?: boolean;
}

/** The words for an answer that calls for some; null for one that speaks for itself. */
export function noticeOf(answer: Answer, viewer: Viewer | null): Notice | null {
  if (answer.status === 0) {
    return { tone: 'error', title: say('The service cannot be reached'), text: say('Check the connection, then try again.') };
  }
  if (answer.status === 401 && viewer?.kind === 'PERSON') {
    return {
      tone: 'error',
      title: say('Your sign-in is no longer accepted'),
      text: `${reason(answer)} ${say('Your queries and tabs stay when you sign in again.')}`,
      signInAgain: true,
    };
  }
  if (answer.status === 401) {
    return viewer
      ? {
          tone: 'error',
          title: say('The credentials are no longer accepted'),
          text: say('The pair was revoked, has expired, or its secret was rotated. Your queries and tabs stay when you sign in again.'),
          signInAgain: true,
        }
      : {
          tone: 'error',
          title: say('Not signed in'),
          text: say('The client id or the secret is wrong, or the pair was revoked or has expired.'),
        };
  }
  if (answer.status === 429) {
    return {
      tone: 'error',
      title: say(viewer ? 'Too many requests' : 'Too many failed attempts'),
      text: say('Try again {when}.', { when: when(answer.retryAfter) }),
    };
  }
  if (answer.status === 503) {
    return { tone: 'error', title: say('Not available right now'), text: say('Try again {when}.', { when: when(answer.retryAfter) }) };
  }
  return forbidden(answer, viewer) ?? tooMuch(answer);
}

/** The words for an answer to somebody who signed in at the provider, and whom the service does not let in. */
export function notLetIn(answer: Answer): Notice | null {
  if (answer.status === 403) {
    return {
      tone: 'error',
      title: say('Nothing is open to you here'),
      text: say('The identity provider knows you, but no rule of this service gives you anything. Whoever runs it can add one.'),
    };
  }
  if (answer.status === 401) return { tone: 'error', title: say('Not signed in'), text: reason(answer) };
  return noticeOf(answer, null);
}

// What the service says of a token holds nothing of it.
function reason({ body }: Answer): string {
  return body.errors?.length ? sentence(body.errors[0]!.message) : '';
}

/** The words for an answer that was refused, as the service gives the reason. */
export function refusedFor(errors: GraphQLError[] = []): Notice {
  const said = new Set(errors.map(({ message }) => sentence(message)));
  return { tone: 'warning', title: say('Refused'), text: [...said].join(' ') };
}

function forbidden(answer: Answer, viewer: Viewer | null): Notice | null {
  const refused = (answer.body.errors ?? []).filter((e) => e.extensions?.code === 'FORBIDDEN');
  if (refused.length === 0) return null;
  const lacking = refused.filter((e) => e.extensions?.requiredScope);
  if (lacking.length === 0) return refusedFor(refused);
  const scopes = [...new Set(lacking.map((e) => scopeName(e.extensions!.requiredScope!)))].sort();
  const fields = [...new Set(lacking.flatMap((e) => e.path?.findLast((step) => typeof step === 'string') ?? []))];
  const who = viewer ? say('“{name}” does not hold it', { name: viewer.name }) : say('This pair does not hold it');
  const what = fields.length > 0 ? say(fields.length > 1 ? ', so {fields} are left out' : ', so {fields} is left out', { fields: list(fields.map(String)) }) : '';
  const needs = say('Needs scope {scopes}', { scopes: list(scopes) });
  return { tone: 'warning', title: needs, text: `${who}${what}. ${say('Whoever issued the credentials can add it.')}` };
}

const limits: Record<string, Sentence> = {
  COST_LIMIT: 'Ask for fewer rows a page (first, pageSize) or fewer nested lists.',
  DEPTH_LIMIT: 'Nest fewer fields, or start from an object further down.',
  ALIAS_LIMIT: 'Use fewer aliases, or several requests.',
  TOKEN_LIMIT: 'Send a shorter document, or several requests.',
};

function tooMuch(answer: Answer): Notice | null {
  for (const e of answer.body.errors ?? []) {
    const advice = limits[e.extensions?.code ?? ''];
    if (advice) return { tone: 'warning', title: say('Refused before it ran: it asks for too much at once'), text: say(advice) };
  }
  return null;
}

function when(seconds: number | null): string {
  if (seconds === null) return say('in a while');
  const at = timeOf(Date.now() + seconds * 1000, 'medium');
  return say(seconds === 1 ? 'in 1 second (at {at})' : 'in {seconds} seconds (at {at})', { seconds, at });
}

function list(words: string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${say('and')} ${words.at(-1)}`;
}
