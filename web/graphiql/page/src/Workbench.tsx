import './workers';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-explorer/style.css';
import 'graphiql/graphiql.css';
import './workbench.css';
import './answer.css';
import './table.css';
import './variables.css';
import './export.css';
import './saved.css';
import { explorerPlugin } from '@graphiql/plugin-explorer';
import { pick, useGraphiQL } from '@graphiql/react';
import type { Fetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { keepAccessible } from './accessible';
import { AnswerAsTable, ViewSwitch, type View } from './Answer';
import type { Session } from './App';
import { FrameContext, SeenContext, type Frame } from './context';
import { CostBar, type Run } from './CostBar';
import type { Desk } from './desk';
import { ExportDialog } from './ExportDialog';
import { fetcherOf } from './fetcher';
import { again } from './again';
import { Header } from './Header';
import { Needs } from './Needs';
import type { Notice } from './notice';
import { NoticeBar } from './NoticeBar';
import { Editors } from './Editors';
import { OpenFromAddress, workedQueries } from './WorkedQueries';
import { OpenSavedFromAddress, savedQueries } from './SavedQueries';
import { nothingSeen, Watch, type Seen } from './Watch';
import { variablesForm } from './VariablesForm';
import { worked, workedOfAddress } from './worked';
import { useWords } from './useWords';

const plugins = [explorerPlugin({ showAttribution: false }), workedQueries, savedQueries, variablesForm];
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
  const say = useWords();
  const [purpose, setPurpose] = useState('');
  const [notice, setNotice] = useState<Notice | null>(null);
  const [run, setRun] = useState<Run | null>(null);
  const [seen, setSeen] = useState<Seen>(nothingSeen);
  const [view, setView] = useState<View>('json');
  const [wideTable, setWideTable] = useState(false);
  const [exporting, setExporting] = useState(false);
  const stated = useRef(purpose);
  const { person } = session.credentials;
  useEffect(() => person?.listen(setNotice), [person]);
  const signInAgain = useCallback(() => (person ? again(person, setNotice) : onSignOut()), [person, onSignOut]);
  stated.current = purpose;

  useEffect(keepAccessible, []);
  const frame = useMemo<Frame>(
    () => ({ session, desk, editor: null, say: setNotice, forget: () => setRun(null), opened: 0, tab: undefined }),
    [session, desk],
  );
  const fetcher = useMemo<Fetcher>(() => {
    const [purpose, tab] = [() => stated.current, () => frame.tab];
    return fetcherOf(session, { purpose, tab, onRun: setRun, onNotice: setNotice });
  }, [session, frame]);
  const first = useMemo(() => desk.open ?? firstWorked(desk), [desk]);

  return (
    <FrameContext value={frame}>
      <SeenContext value={seen}>
        <div className="bo-workbench" data-view={view} data-wide={wideTable && view === 'table'}>
          <a
            className="bo-skip"
            href="#graphiql-session"
            onClick={(event) => {
              event.preventDefault(); // the address stays that of the worked query
              frame.editor?.focus();
            }}
          >
            {say('Skip to the query editor')} <span>{say('Ctrl+M, then Tab, leaves it')}</span>
          </a>
          <Header session={session} purpose={purpose} onPurpose={setPurpose} onSignOut={onSignOut} />
          <div data-frame>
            <NoticeBar notice={notice} onClose={() => setNotice(null)} onSignInAgain={signInAgain} />
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
                <div className="bo-answer-bar" data-frame>
                  <ViewSwitch view={view} onView={setView} />
                  {view === 'table' && (
                    <button type="button" className="bo-secondary bo-small" aria-pressed={wideTable} onClick={() => setWideTable(!wideTable)}>
                      {say('Full width')}
                    </button>
                  )}
                  <button type="button" className="bo-secondary bo-small" onClick={() => (seen.look(), setExporting(true))}>
                    {say('Export…')}
                  </button>
                </div>
              </GraphiQL.Logo>
              <GraphiQL.Footer>
                <Below run={run} view={view} seen={seen} />
              </GraphiQL.Footer>
              <Editors />
              <OpenFromAddress />
              <OpenSavedFromAddress />
              <Watch by={session.credentials} onSeen={setSeen} />
            </GraphiQL>
          </main>
          {exporting && (
            <ExportDialog session={session} seen={seen} purpose={purpose} onPurpose={setPurpose} onClose={() => setExporting(false)} />
          )}
        </div>
      </SeenContext>
    </FrameContext>
  );
}

// What is below the answer. Another tab has another answer, which the run is not of.
function Below({ run, view, seen }: { run: Run | null; view: View; seen: Seen }) {
  const { tabs, activeTabIndex } = useGraphiQL(pick('tabs', 'activeTabIndex'));
  const ran = run?.tab === tabs[activeTabIndex]?.id ? run : null;
  return (
    <div className="bo-below" data-frame>
      {view === 'table' && <AnswerAsTable run={ran} />}
      <Needs planned={seen.planned} whole={seen.whole} />
      <CostBar run={ran} />
    </div>
  );
}

// A worked query with variables is opened as soon as the editors are there: its variables may have to be looked up.
function firstWorked(desk: Desk) {
  const first = workedOfAddress() ?? worked[0]!;
  desk.give(first.query);
  return { query: first.settings.variables ? '' : first.query, variables: '' };
}
