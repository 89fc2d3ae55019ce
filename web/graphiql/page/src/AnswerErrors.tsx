import { useWords } from './useWords';
import { say } from './words';

/** An error of an answer, as far as it is shown. */
export interface AnswerError {
  message: string;
  code: string;
  /** The field that it is about, or the place in the query. */
  where: string;
}

/** The errors of an answer, before its list. */
export function AnswerErrors({ errors }: { errors: AnswerError[] }) {
  const say = useWords();
  return (
    <section className="bo-errors" role="alert" aria-label={say('Errors')}>
      <p>
        {errors.length === 1 ? say('1 error') : say('{n} errors', { n: errors.length })}
      </p>
      <div className="bo-table-scroll" role="region" aria-label={say('The errors')} tabIndex={0}>
        <table className="bo-table">
          <thead>
            <tr>
              {(['Message', 'Code', 'Where'] as const).map((name) => (
                <th key={name} scope="col">
                  {say(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {errors.map(({ message, code, where }, i) => (
              <tr key={i}>
                <td>{message}</td>
                <td>{code || '–'}</td>
                <td>{where || '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** Reads the errors of an answer. What is no GraphQL error is told in the words that it has. */
export function errorsOf(answer: unknown): AnswerError[] {
  const errors = field(answer, 'errors');
  if (!Array.isArray(errors)) return [];
  return errors.map((error: unknown) => {
    const path = field(error, 'path');
    const code = field(field(error, 'extensions'), 'code');
    const message = field(error, 'message');
    return {
      message: typeof message === 'string' ? message : JSON.stringify(error),
      code: typeof code === 'string' ? code : '',
      where: Array.isArray(path) ? path.join('.') : placeOf(error),
    };
  });
}

// Where in the query it is, for what was refused before anything was asked.
function placeOf(error: unknown): string {
  const locations = field(error, 'locations');
  const first: unknown = Array.isArray(locations) ? locations[0] : null;
  const [line, column] = [field(first, 'line'), field(first, 'column')];
  return typeof line === 'number' && typeof column === 'number' ? say('line {line}, column {column}', { line, column }) : '';
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
