import './workers';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-explorer/style.css';
import 'graphiql/graphiql.css';
import './workbench.css';
import { explorerPlugin } from '@graphiql/plugin-explorer';
import type { Fetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import { useMemo, useRef, useState } from 'react';
import type { Session } from './App';
import { FrameContext } from './context';
import { CostBar, type Run } from './CostBar';
import { fetcherOf } from './fetcher';
import { Header } from './Header';
import { memoryStore } from './memory';
import type { Notice } from './notice';
import { NoticeBar } from './NoticeBar';
import { EditorOptions, OpenFromAddress, workedQueries } from './WorkedQueries';
import { worked, workedOfAddress } from './worked';

const plugins = [explorerPlugin({ showAttribution: false }), workedQueries];
// What the variables editor takes for the schema's own scalars.
const scalars = { DateTime: { type: 'string' }, JSON: { type: 'object' } } as const;
const wide = window.matchMedia('(min-width: 1100px)').matches;

/** GraphiQL within the frame, for one session. */
export default function Workbench({ session }: { session: Session }) {
  const [purpose, setPurpose] = useState('');
  const [notice, setNotice] = useState<Notice | null>(null);
  const [run, setRun] = useState<Run | null>(null);
  const stated = useRef(purpose);
  stated.current = purpose;

  const storage = useMemo(memoryStore, []);
  const fetcher = useMemo<Fetcher>(
    () => fetcherOf(session, { purpose: () => stated.current, onRun: setRun, onNotice: setNotice }),
    [session],
  );
  const frame = useMemo(() => ({ session, say: setNotice, forget: () => setRun(null) }), [session]);
  const first = workedOfAddress() ?? worked[0]!;

  return (
    <FrameContext value={frame}>
      <div className="bo-workbench">
        <Header viewer={session.viewer} purpose={purpose} onPurpose={setPurpose} />
        <div data-frame>
          <NoticeBar notice={notice} onClose={() => setNotice(null)} />
        </div>
        <main>
          <GraphiQL
            fetcher={fetcher}
            storage={storage}
            plugins={plugins}
            visiblePlugin={wide ? workedQueries : undefined}
            initialQuery={first.settings.variables ? '' : first.query}
            isHeadersEditorEnabled={false}
            shouldPersistHeaders={false}
            showPersistHeadersSettings={false}
            defaultEditorToolsVisibility="variables"
            customScalarSchemas={scalars}
            schemaDescription
            inputValueDeprecation
          >
            <GraphiQL.Logo>
              <></>
            </GraphiQL.Logo>
            <GraphiQL.Footer>
              <CostBar run={run} />
            </GraphiQL.Footer>
            <EditorOptions />
            <OpenFromAddress />
          </GraphiQL>
        </main>
      </div>
    </FrameContext>
  );
}
