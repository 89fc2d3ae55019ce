import type { Download } from './downloads';
import type { Events } from './events';
import type { Sizes } from './sizes';
import type { Body, Cost } from './service';
import { scopeName } from './service';
import { useWords } from './useWords';
import { numberOf } from './words';

/** What a run cost: the service's account of it, how long the answer took to come (not for a subscription's), and the files in it. */
export interface Run {
  /** The tab that it ran in. */
  tab: string | undefined;
  cost: Cost | null;
  milliseconds: number | null;
  downloads: Download[];
  /** The answer as its editor shows it, and what was asked of the lists in it. */
  answer?: Body;
  sizes?: Sizes;
  /** Of a subscription, what it was told so far. */
  events?: Events;
}

/** The lines under the answer: the files that can be downloaded, and what the query cost. */
export function CostBar({ run }: { run: Run | null }) {
  const say = useWords();
  return (
    <div className="bo-cost" data-frame>
      {run && run.downloads.length > 0 && <Downloads downloads={run.downloads} />}
      <section aria-label={say('What the query cost')} role="status">
        {!run && <p>{say('Run a query: what it costs is told here.')}</p>}
        {run?.events?.count === 0 ? <p>{say('Waiting for the first event. Table shows all of them as they come.')}</p> : run && <Figures run={run} />}
      </section>
    </div>
  );
}

const shown = 8;

// The same as links of their own, for those who do not point at the answer's text.
function Downloads({ downloads }: { downloads: Download[] }) {
  const say = useWords();
  return (
    <nav aria-label={say('Files in the answer')}>
      <ul>
        {downloads.slice(0, shown).map(({ name, path }, i) => (
          <li key={i}>
            <a href={path} download>
              {name}
            </a>
          </li>
        ))}
        {downloads.length > shown && <li>{say('and {n} more in the answer', { n: downloads.length - shown })}</li>}
      </ul>
    </nav>
  );
}

function Figures({ run: { cost, milliseconds, events } }: { run: Run }) {
  const say = useWords();
  return (
    <dl>
      {cost && (
        <>
          <div>
            <dt>{say('Cost')}</dt>
            <dd>
              {numberOf(cost.cost)} <span>{say('of {total}', { total: cost.limit })}</span>
              <i className="bo-share" aria-hidden="true">
                <i style={{ width: `${Math.min(100, (100 * cost.cost) / cost.limit)}%` }} />
              </i>
            </dd>
          </div>
          <div>
            <dt>{say('Depth')}</dt>
            <dd>{cost.depth}</dd>
          </div>
          {cost.storeCalls !== undefined && (
            <div>
              <dt>{say('Store calls')}</dt>
              <dd>{cost.storeCalls}</dd>
            </div>
          )}
          <div>
            <dt>{say('Scopes')}</dt>
            <dd>{cost.scopes?.length ? cost.scopes.map(scopeName).join(', ') : say('none')}</dd>
          </div>
        </>
      )}
      {events && (
        <div>
          <dt>{say('Events')}</dt>
          <dd>{numberOf(events.count)}</dd>
        </div>
      )}
      {milliseconds !== null && (
        <div>
          <dt>{say('Answered in')}</dt>
          <dd>
            {numberOf(Math.round(milliseconds))} <span>ms</span>
          </dd>
        </div>
      )}
    </dl>
  );
}
