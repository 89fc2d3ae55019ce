import { pick, useGraphiQL, useGraphiQLActions, useMonaco } from '@graphiql/react';
import { useEffect, useRef } from 'react';
import { useFrame } from './context';
import { linkDownloads } from './downloads';
import { useLanguage } from './useWords';
import { say } from './words';

/**
 * Sets the editors in a size that leaves room for the frame, with long lines wrapped; lets the user type at once; tells
 * the desk what is in them; and stops what runs when its tab is left or its session ends. Renders nothing.
 */
export function Editors() {
  const frame = useFrame();
  const language = useLanguage();
  const monaco = useMonaco((state) => state.monaco);
  const editors = useGraphiQL(pick('queryEditor', 'variableEditor', 'responseEditor'));
  const { tabs, activeTabIndex } = useGraphiQL(pick('tabs', 'activeTabIndex'));
  const state = useRef({ editors, tabs, activeTabIndex });
  state.current = { editors, tabs, activeTabIndex };
  const { stop } = useGraphiQLActions();
  const open = tabs[activeTabIndex]?.id;
  frame.tab = open;
  useEffect(() => stop, [stop, open]);

  useEffect(() => {
    const ariaLabel = `${say('Editor')}. ${say('Ctrl+M, then Tab, leaves it')}`;
    for (const editor of Object.values(editors)) editor?.updateOptions({ fontSize: 13.5, wordWrap: 'on', ariaLabel });
  }, [editors, language]);

  const { queryEditor } = editors;
  useEffect(() => {
    if (!queryEditor) return;
    frame.editor = queryEditor;
    queryEditor.focus();
    frame.desk.watch(() => {
      const { editors, tabs, activeTabIndex: active } = state.current;
      return {
        active,
        tabs: tabs.map((tab, i) => ({
          query: (i === active ? editors.queryEditor?.getValue() : tab.query) ?? '',
          variables: (i === active ? editors.variableEditor?.getValue() : tab.variables) ?? '',
        })),
      };
    });
  }, [frame, queryEditor]);

  useEffect(() => {
    if (!monaco) return;
    const links = linkDownloads(monaco);
    return () => links.dispose();
  }, [monaco]);
  return null;
}
