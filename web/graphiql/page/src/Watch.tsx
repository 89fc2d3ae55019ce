import { pick, useGraphiQL } from '@graphiql/react';
import { useEffect } from 'react';
import { exportableOf, type Exportable, type Whole } from './operation';
import type { Credentials } from './service';
import type { Sentence } from './words';
import { useWhole } from './useWhole';
import { usePlan, type Planned } from './usePlan';

/** What the editors hold and what that needs. */
export interface Seen {
  whole: Whole | null | undefined;
  planned: Planned | null;
  /** Looks at once what they hold, without waiting for the pause in typing. */
  look: () => Whole | null;
  /** What of it can be exported, or why nothing can. */
  exportable: Exportable | Sentence;
}

export const nothingSeen: Seen = { whole: undefined, planned: null, look: () => null, exportable: 'The query is not whole yet.' };

/** Watches the editors. Renders nothing. */
export function Watch({ by, onSeen }: { by: Credentials; onSeen: (seen: Seen) => void }) {
  const { schema } = useGraphiQL(pick('schema'));
  const { whole, look } = useWhole();
  const planned = usePlan(by, whole);
  useEffect(() => {
    onSeen({ whole, planned, look, exportable: whole && schema ? exportableOf(schema, whole) : nothingSeen.exportable });
  }, [whole, planned, look, schema, onSeen]);
  return null;
}
