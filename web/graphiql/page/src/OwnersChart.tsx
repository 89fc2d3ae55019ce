import { useEffect, useState } from 'react';
import { useFrame } from './context';
import type { Owned } from './owned';
import { askPicture } from './service';
import { useWords } from './useWords';

/** Who owns a customer of the answer, as the service draws it. */
export function OwnersChart({ owned }: { owned: Owned[] }) {
  const { session } = useFrame();
  const say = useWords();
  const [chosen, setChosen] = useState('');
  const { id, name, asOf } = owned.find((one) => one.id === chosen) ?? owned[0]!;
  const [picture, setPicture] = useState<{ of: string; svg: string | null } | null>(null);
  const of = `${id} ${asOf}`;
  useEffect(() => {
    const leaving = new AbortController();
    askPicture(session.credentials, id, asOf, leaving.signal).then(
      (svg) => setPicture({ of, svg }),
      () => {}, // another one is asked for
    );
    return () => leaving.abort();
  }, [session, id, asOf, of]);
  const shown = picture?.of === of ? picture : null;
  return (
    <figure className="bo-chart bo-owners">
      <figcaption>
        {owned.length > 1 ? (
          <label>
            {say('Owners of')}{' '}
            <select value={id} onChange={(event) => setChosen(event.currentTarget.value)}>
              {owned.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.name}
                </option>
              ))}
            </select>
          </label>
        ) : (
          `${say('Owners of')} ${name}`
        )}
      </figcaption>
      {shown?.svg && <img src={`data:image/svg+xml,${encodeURIComponent(shown.svg)}`} alt={wordsOf(shown.svg)} tabIndex={0} />}
      {shown && !shown.svg && <p role="status">{say('The picture could not be loaded.')}</p>}
    </figure>
  );
}

/** What the picture says in words. */
function wordsOf(svg: string): string {
  const { documentElement: root } = new DOMParser().parseFromString(svg, 'image/svg+xml');
  return ['title', 'desc'].map((part) => root.querySelector(`:scope > ${part}`)?.textContent ?? '').join('. ');
}
