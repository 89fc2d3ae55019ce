import type { Fetcher } from '@graphiql/toolkit';
import { parse } from 'graphql';
import type { Session } from './App';
import type { Run } from './CostBar';
import { downloadsOf } from './downloads';
import { noticeOf, type Notice } from './notice';
import { ask, type Question } from './service';

interface Listeners {
  purpose: () => string;
  onRun: (run: Run | null) => void;
  onNotice: (notice: Notice | null) => void;
}

/** How GraphiQL asks: with the session's pair, the stated purpose, and a wish to be told the cost. */
export function fetcherOf({ pair, viewer }: Session, { purpose, onRun, onNotice }: Listeners): Fetcher {
  async function run(question: Question, signal: AbortSignal) {
    onRun(null);
    onNotice(null);
    const start = performance.now();
    const asked = { ...question, operationName: operationOf(question) };
    const answer = await ask(pair, asked, { purpose: purpose().trim(), explain: true, signal });
    const { cost = null, ...extensions } = answer.body.extensions ?? {};
    onRun({ cost, milliseconds: performance.now() - start, downloads: downloadsOf(answer.body.data) });
    onNotice(noticeOf(answer, viewer));
    // The cost is in the answer because this page asked for it: it is shown below, and the answer as any client gets it.
    const { extensions: _, ...body } = answer.body;
    return Object.keys(extensions).length > 0 ? { ...body, extensions } : body;
  }

  return (question) => {
    if (question.operationName === 'IntrospectionQuery') return ask(pair, question).then((answer) => answer.body as never);
    // An observable, so that the stop button ends the request.
    return {
      subscribe(observer: { next: (value: never) => void; error: (cause: unknown) => void; complete: () => void }) {
        const abort = new AbortController();
        run(question, abort.signal)
          .then((body) => {
            observer.next(body as never);
            observer.complete();
          })
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
function operationOf({ query, operationName }: Question): string | undefined {
  try {
    const names = parse(query).definitions.flatMap((d) => (d.kind === 'OperationDefinition' ? (d.name?.value ?? []) : []));
    return names.length > 1 && operationName && names.includes(operationName) ? operationName : names[0];
  } catch {
    return undefined; // not a document: the service says where it breaks off
  }
}
