import './workers';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-explorer/style.css';
import 'graphiql/graphiql.css';
import './workbench.css';
import { explorerPlugin } from '@graphiql/plugin-explorer';
import type { Fetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import { useEffect, useMemo, useRef, useState } from 'react';
import { keepAccessible } from './accessible';
import type { Session } from './App';
import { FrameContext, type Frame } from './context';
import { CostBar, type Run } from './CostBar';
import type { Desk } from './desk';
import { fetcherOf } from './fetcher';
import { Header } from './Header';
import type { Notice } from './notice';
import { NoticeBar } from './NoticeBar';
import { Editors } from './Editors';
import { OpenFromAddress, workedQueries } from './WorkedQueries';
import { worked, workedOfAddress } from './worked';

const plugins = [explorerPlugin({ showAttribution: false }), workedQueries];
// What the variables editor takes for the schema's own scalars.
const scalars = { DateTime: { type: 'string' }, JSON: { type: 'object' } } as const;
const wide = window.matchMedia('(min-width: 1100px)').matches;

export { legible } from './theme';

interface Props {
  session: Session;
  desk: Desk;
  onSignOut: () => void;
}

/** GraphiQL within the frame, for one session. */
export default function Workbench({ session, desk, onSignOut }: Props) {
  const [purpose, setPurpose] = useState('');
  const [notice, setNotice] = useState<Notice | null>(null);
  const [run, setRun] = useState<Run | null>(null);
  const stated = useRef(purpose);
  stated.current = purpose;

  useEffect(keepAccessible, []);
  const fetcher = useMemo<Fetcher>(
    () => fetcherOf(session, { purpose: () => stated.current, onRun: setRun, onNotice: setNotice }),
    [session],
  );
  const frame = useMemo<Frame>(
    () => ({ session, desk, editor: null, say: setNotice, forget: () => setRun(null) }),
    [session, desk],
  );
  const first = useMemo(() => desk.open ?? firstWorked(desk), [desk]);

  return (
    <FrameContext value={frame}>
      <div className="bo-workbench">
        <a
          className="bo-skip"
          href="#graphiql-session"
          onClick={(event) => {
            event.preventDefault(); // the address stays that of the worked query
            frame.editor?.focus();
          }}
        >
          Skip to the query editor
        </a>
        <Header viewer={session.viewer} purpose={purpose} onPurpose={setPurpose} onSignOut={onSignOut} />
        <div data-frame>
          <NoticeBar notice={notice} onClose={() => setNotice(null)} onSignOut={onSignOut} />
        </div>
        <main>
          <GraphiQL
            fetcher={fetcher}
            storage={desk.storage}
            plugins={plugins}
            visiblePlugin={wide ? workedQueries : undefined}
            initialQuery={first.query}
            initialVariables={first.variables}
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
            <Editors />
            <OpenFromAddress />
          </GraphiQL>
        </main>
      </div>
    </FrameContext>
  );
}

// A worked query with variables is opened as soon as the editors are there: its variables may have to be looked up.
function firstWorked(desk: Desk) {
  const first = workedOfAddress() ?? worked[0]!;
  desk.give(first.query);
  return { query: first.settings.variables ? '' : first.query, variables: '' };
}
