import type { Fetcher } from '@graphiql/toolkit';
import { parse } from 'graphql';
import type { Session } from './App';
import type { Run } from './CostBar';
import { downloadsOf } from './downloads';
import { eventsWith, noEvents, type Events } from './events';
import { noticeOf, type Notice } from './notice';
import { operationOf } from './operation';
import { ask, follow, type Body, type Question } from './service';
import { sizesOf } from './sizes';

interface Listeners {
  purpose: () => string;
  tab: () => string | undefined;
  onRun: (run: Run | null) => void;
  onNotice: (notice: Notice | null) => void;
}

/** How GraphiQL asks: with the session's credentials, the stated purpose, and a wish to be told the cost. */
export function fetcherOf({ credentials, viewer }: Session, { purpose, tab, onRun, onNotice }: Listeners): Fetcher {
  function shown(question: Question, { extensions = {}, ...body }: Body, milliseconds: number | null, events?: Events) {
    const { cost = null, ...others } = extensions;
    // The cost is in the answer because this page asked for it: it is shown below, and the answer as any client gets it.
    const answer = Object.keys(others).length > 0 ? { ...body, extensions: others } : body;
    const [downloads, sizes] = [downloadsOf(body.data), sizesOf(question)];
    onRun({ tab: tab(), cost, milliseconds, downloads, answer, sizes, events });
    return answer;
  }

  async function run(question: Question, signal: AbortSignal, next: (body: Body) => void) {
    onRun(null);
    onNotice(null);
    const start = performance.now();
    const { name, isSubscription } = chosenOf(question);
    const asked = { ...question, operationName: name };
    const asking = { purpose: purpose().trim(), explain: true as const, signal };
    if (isSubscription) onRun({ tab: tab(), cost: null, milliseconds: null, downloads: [], events: noEvents });
    let events: Events | undefined;
    const answer = isSubscription
      ? await follow(credentials, asked, asking, (body) => next(shown(asked, body, null, (events = eventsWith(events, body)))))
      : await ask(credentials, asked, asking);
    if (!answer) return;
    const body = shown(asked, answer.body, performance.now() - start, events);
    onNotice(noticeOf(answer, viewer));
    next(body);
  }

  return (question) => {
    if (question.operationName === 'IntrospectionQuery') return ask(credentials, question).then((answer) => answer.body as never);
    // An observable, so that the stop button ends the request, and that a subscription may have many answers.
    return {
      subscribe(observer: { next: (value: never) => void; error: (cause: unknown) => void; complete: () => void }) {
        const abort = new AbortController();
        run(question, abort.signal, (body) => observer.next(body as never))
          .then(() => observer.complete())
          .catch((cause: unknown) => {
            if (!abort.signal.aborted) observer.error(cause);
          });
        return { unsubscribe: () => abort.abort() };
      },
    } as never;
  };
}

// GraphiQL reads the operation's name from the document some moments after it was typed. When a query was opened and
// run at once, the name is still that of the one before.
function chosenOf({ query, operationName }: Question): { name?: string; isSubscription: boolean } {
  try {
    const chosen = operationOf(parse(query), operationName);
    return { name: chosen?.name?.value, isSubscription: chosen?.operation === 'subscription' };
  } catch {
    return { isSubscription: false }; // not a document: the service says where it breaks off
  }
}
