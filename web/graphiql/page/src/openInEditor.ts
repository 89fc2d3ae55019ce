import { pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { flushSync } from 'react-dom';
import { useFrame } from './context';

/** Puts a query and variables into the editors: in place of what the page put there and nobody touched, else in a new tab. */
export function useOpenInEditor(): (query: string, variables: string) => void {
  const frame = useFrame();
  const { desk, say, forget } = frame;
  const { addTab, stop, updateActiveTabValues } = useGraphiQLActions();
  const { queryEditor, variableEditor, responseEditor } = useGraphiQL(pick('queryEditor', 'variableEditor', 'responseEditor'));
  return (query, variables) => {
    frame.opened++;
    const touched = desk.wrote({ query: queryEditor?.getValue() ?? '', variables: variableEditor?.getValue() ?? '' });
    desk.give(query, variables);
    stop();
    if (touched) flushSync(addTab); // the tab that is left stops what it runs, before this one runs
    updateActiveTabValues({ query, variables, response: '' });
    queryEditor?.setValue(query);
    variableEditor?.setValue(variables);
    responseEditor?.setValue('');
    forget();
    say(null);
    queryEditor?.setPosition({ lineNumber: 1, column: 1 });
    queryEditor?.focus();
  };
}
