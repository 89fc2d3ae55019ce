import { pick, useGraphiQL } from '@graphiql/react';
import { useCallback, useEffect, useState } from 'react';
import { wholeOf, type Whole } from './operation';

/** How long nobody types before what is in the editors is looked at. */
const pause = 400;

/** What the editors hold: undefined at first, and null while it is half typed; look does not wait for the pause. */
export function useWhole(): { whole: Whole | null | undefined; look: () => Whole | null } {
  const { queryEditor, variableEditor, schema, operationName } = useGraphiQL(pick('queryEditor', 'variableEditor', 'schema', 'operationName'));
  const [whole, setWhole] = useState<Whole | null>();
  const look = useCallback(() => {
    if (!queryEditor || !variableEditor || !schema) return null;
    const now = wholeOf(schema, queryEditor.getValue(), variableEditor.getValue(), operationName);
    setWhole((before) => (before && now && same(before, now) ? before : now));
    return now;
  }, [queryEditor, variableEditor, schema, operationName]);
  useEffect(() => {
    if (!queryEditor || !variableEditor || !schema) return;
    let soon: ReturnType<typeof setTimeout>;
    const typed = () => {
      clearTimeout(soon);
      soon = setTimeout(look, pause);
    };
    typed();
    const listening = [queryEditor, variableEditor].map((editor) => editor.onDidChangeModelContent(typed));
    return () => {
      clearTimeout(soon);
      for (const listener of listening) listener.dispose();
    };
  }, [queryEditor, variableEditor, schema, look]);
  return { whole, look };
}

function same(a: Whole, b: Whole): boolean {
  return a.ready === b.ready && JSON.stringify(a.question) === JSON.stringify(b.question);
}
