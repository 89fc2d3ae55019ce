import { pick, useGraphiQL, type GraphiQLPlugin } from '@graphiql/react';
import { useContext, useEffect, useRef, useState } from 'react';
import { SeenContext } from './context';
import { inputsOf, shownOf, valueOf, type Input } from './inputs';
import { variablesOf } from './operation';
import { useWords } from './useWords';

/** The variables of the query in the editor as a form, as a panel of GraphiQL's own. */
export const variablesForm: GraphiQLPlugin = {
  title: 'Variables as a form',
  icon: () => (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.6" aria-hidden="true">
      <path d="M4 5h16v5H4zM4 14h16v5H4zM7 7.5h4M7 16.5h7" />
    </svg>
  ),
  content: Drawer,
};

type Values = Record<string, unknown>;

function Drawer() {
  const say = useWords();
  const { whole } = useContext(SeenContext);
  const { schema, variableEditor } = useGraphiQL(pick('schema', 'variableEditor'));
  const inputs = schema && whole ? inputsOf(schema, whole.operation) : [];
  const onValue = (path: string[], value: unknown) => {
    const now = variablesOf(variableEditor?.getValue() ?? '') as Values | null; // what was typed just now is not in whole yet
    if (now) variableEditor?.setValue(JSON.stringify(withValue(now, path, value), null, 2));
  };
  return (
    <section className="bo-variables" aria-label={say('Variables as a form')} data-frame>
      <h2>{say('Variables as a form')}</h2>
      {inputs.length === 0 && <p>{say(whole ? 'The query in the editor has no variables.' : 'The query in the editor is not whole yet.')}</p>}
      {/* what is typed stays as it is typed, until another query is in the editor */}
      <form key={whole?.question.query} autoComplete="off" onSubmit={(event) => event.preventDefault()}>
        <Fields inputs={inputs} values={(whole?.question.variables ?? {}) as Values} path={[]} onValue={onValue} />
      </form>
    </section>
  );
}

// An object without any value is none.
function withValue(values: Values, [name, ...path]: string[], value: unknown): Values {
  const { [name!]: old, ...others } = values;
  const made = path.length > 0 ? withValue((old ?? {}) as Values, path, value) : value;
  const isNone = made === undefined || (path.length > 0 && Object.keys(made as Values).length === 0);
  return isNone ? others : { ...others, [name!]: made };
}

interface FieldsProps {
  inputs: Input[];
  values: Values;
  path: string[];
  onValue: (path: string[], value: unknown) => void;
}

function Fields({ inputs, values, path, onValue }: FieldsProps) {
  return inputs.map((input) =>
    input.kind === 'fields' ? (
      <Group
        key={input.name}
        input={input}
        values={(values[input.name] ?? null) as Values | null}
        path={[...path, input.name]}
        onValue={onValue}
      />
    ) : (
      <Field
        key={input.name}
        id={['variable', ...path, input.name].join('-')}
        input={input}
        value={values[input.name]}
        onValue={(value) => onValue([...path, input.name], value)}
      />
    ),
  );
}

type GroupProps = Omit<FieldsProps, 'inputs' | 'values'> & { input: Input; values: Values | null };

function Group({ input, values, ...others }: GroupProps) {
  const [open] = useState(values !== null); // only at first: it would close over what is being emptied
  return (
    <details open={open}>
      <summary>
        {input.name} <code>{input.type}</code>
      </summary>
      <Fields inputs={input.fields} values={values ?? {}} {...others} />
    </details>
  );
}

function Field({ id, input, value, onValue }: { id: string; input: Input; value: unknown; onValue: (value: unknown) => void }) {
  const say = useWords();
  const [typed, setTyped] = useState(() => shownOf(input, value));
  const [wrong, setWrong] = useState(false);
  const given = JSON.stringify(value);
  const wrote = useRef(given);
  useEffect(() => {
    // While somebody types here, what comes may be what they typed some letters ago.
    if (given === wrote.current || document.activeElement?.id === id) return;
    wrote.current = given;
    setTyped(shownOf(input, value));
    setWrong(false);
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [given]);
  const type = (text: string) => {
    setTyped(text);
    try {
      const made = valueOf(input, text);
      wrote.current = JSON.stringify(made);
      onValue(made);
      setWrong(false);
    } catch {
      setWrong(true);
    }
  };
  const shared = { id, value: typed, 'aria-invalid': wrong, 'aria-describedby': `${id}-type`, required: input.required };
  return (
    <>
      <label htmlFor={id}>{input.name}</label>
      {input.kind === 'choice' ? (
        <select {...shared} onChange={(event) => type(event.currentTarget.value)}>
          <option value="">–</option>
          {input.choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : input.kind === 'lines' || input.kind === 'json' ? (
        <textarea {...shared} rows={2} onChange={(event) => type(event.currentTarget.value)} />
      ) : (
        <input {...shared} type={input.kind === 'number' ? 'number' : 'text'} step="any" onChange={(event) => type(event.currentTarget.value)} />
      )}
      <p id={`${id}-type`} className={wrong ? 'bo-lacking' : undefined}>
        {wrong ? say('This is no JSON.') : input.kind === 'lines' ? say('{type}, one a line', { type: input.type }) : input.type}
      </p>
    </>
  );
}
