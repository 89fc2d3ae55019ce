import { pick, useGraphiQL, type GraphiQLPlugin } from '@graphiql/react';
import { useEffect, useState } from 'react';
import { useFrame } from './context';
import { noticeOf, refusedFor } from './notice';
import { useOpenInEditor } from './openInEditor';
import { isUnknownWorked, prepare, worked, workedOfAddress, type Worked } from './worked';
import { useWords } from './useWords';
import { say as inWords } from './words';

/** The drawer of worked queries, as a panel of GraphiQL's own. */
export const workedQueries: GraphiQLPlugin = {
  title: 'Worked queries',
  icon: () => (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.6" aria-hidden="true">
      <path d="M12 6.2C10 4.8 7.4 4.4 4 4.6v13.2c3.4-.2 6 .2 8 1.6 2-1.4 4.6-1.8 8-1.6V4.6c-3.4-.2-6 .2-8 1.6zm0 0v13.2" />
    </svg>
  ),
  content: Drawer,
};

function Drawer() {
  const say = useWords();
  const { session } = useFrame();
  const open = useOpen();
  const [opened, setOpened] = useState(workedOfAddress()?.key ?? worked[0]?.key);
  const groups = [...new Set(worked.map((item) => item.group))];
  return (
    <section className="bo-worked" aria-label={say('Worked queries')} data-frame>
      <h2>{say('Worked queries')}</h2>
      <p>{say('Each one teaches a part of the model. Open it, read it, run it, change it.')}</p>
      {groups.map((group) => (
        <section key={group} aria-label={say(group)}>
          <h3>{say(group)}</h3>
          <ul>
            {worked
              .filter((item) => item.group === group)
              .map((item) => (
                <li key={item.key}>
                  <button
                    type="button"
                    aria-current={item.key === opened}
                    onClick={() => {
                      setOpened(item.key);
                      void open(item);
                    }}
                  >
                    <strong lang="en">{item.title}</strong>
                    <span lang="en">{item.lesson}</span>
                    {item.scopes.map((scope) => (
                      <em key={scope} className={session.viewer.scopes.includes(scope) ? '' : 'bo-lacking'}>
                        {session.viewer.scopes.includes(scope) ? scope : say('needs {scope}', { scope })}
                      </em>
                    ))}
                  </button>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </section>
  );
}

/** Opens the worked query that the address names, now and whenever the address changes. Renders nothing. */
export function OpenFromAddress() {
  const open = useOpen();
  const { desk, say } = useFrame();
  const { queryEditor, variableEditor } = useGraphiQL(pick('queryEditor', 'variableEditor'));
  const ready = queryEditor !== undefined && variableEditor !== undefined;
  useEffect(() => {
    if (!ready) return;
    const missing = () => {
      if (isUnknownWorked()) say({ tone: 'info', title: inWords('The link’s query is not there'), text: inWords('No worked query has this name.') });
    };
    const follow = () => {
      const item = workedOfAddress();
      desk.follow('worked');
      if (item) void open(item);
      missing();
    };
    missing();
    const item = workedOfAddress();
    const isThere = !desk.open && !item?.settings.variables; // as initialQuery
    if (desk.isNew('worked') && item && !isThere) void open(item);
    desk.follow('worked');
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [ready]);
  return null;
}

/** Opens a worked query, with variables that are looked up. */
function useOpen(): (item: Worked) => Promise<void> {
  const frame = useFrame();
  const { session, say } = frame;
  const open = useOpenInEditor();
  return async (item) => {
    const mine = ++frame.opened;
    const { variables, missing, failed } = await prepare(item, session.credentials);
    if (mine !== frame.opened) return;
    open(item.query, variables);
    if (failed) say(noticeOf(failed, session.viewer) ?? refusedFor(failed.body.errors));
    if (missing) say({ tone: 'info', title: inWords('Something is needed first'), text: missing });
  };
}
