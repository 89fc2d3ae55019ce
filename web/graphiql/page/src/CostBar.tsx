import type { Download } from './downloads';
import type { Events } from './events';
import type { Cost } from './service';
import { scopeName } from './service';

/** What a run cost: the service's account of it, how long the answer took to come (not for a subscription's), and the files in it. */
export interface Run {
  cost: Cost | null;
  milliseconds: number | null;
  downloads: Download[];
  /** Of a subscription, what it was told so far. */
  events?: Events;
}

/** The lines under the answer: the files that can be downloaded, and what the query cost. */
export function CostBar({ run }: { run: Run | null }) {
  return (
    <div className="bo-cost" data-frame>
      {run && run.downloads.length > 0 && <Downloads downloads={run.downloads} />}
      <section aria-label="What the query cost" role="status">
        {!run && <p>Run a query: what it costs is told here.</p>}
        {run?.events?.count === 0 ? <p>Waiting for the first event. Table shows all of them as they come.</p> : run && <Figures run={run} />}
      </section>
    </div>
  );
}

const shown = 8;

// The same as links of their own, for those who do not point at the answer's text.
function Downloads({ downloads }: { downloads: Download[] }) {
  return (
    <nav aria-label="Files in the answer">
      <ul>
        {downloads.slice(0, shown).map(({ name, path }, i) => (
          <li key={i}>
            <a href={path} download>
              {name}
            </a>
          </li>
        ))}
        {downloads.length > shown && <li>and {downloads.length - shown} more in the answer</li>}
      </ul>
    </nav>
  );
}

function Figures({ run: { cost, milliseconds, events } }: { run: Run }) {
  const number = new Intl.NumberFormat('en');
  return (
    <dl>
      {cost && (
        <>
          <div>
            <dt>Cost</dt>
            <dd>
              {number.format(cost.cost)} <span>of {number.format(cost.limit)}</span>
              <i className="bo-share" aria-hidden="true">
                <i style={{ width: `${Math.min(100, (100 * cost.cost) / cost.limit)}%` }} />
              </i>
            </dd>
          </div>
          <div>
            <dt>Depth</dt>
            <dd>{cost.depth}</dd>
          </div>
          <div>
            <dt>Store calls</dt>
            <dd>{cost.storeCalls}</dd>
          </div>
          <div>
            <dt>Scopes</dt>
            <dd>{cost.scopes?.length ? cost.scopes.map(scopeName).join(', ') : 'none'}</dd>
          </div>
        </>
      )}
      {events && (
        <div>
          <dt>Events</dt>
          <dd>{number.format(events.count)}</dd>
        </div>
      )}
      {milliseconds !== null && (
        <div>
          <dt>Answered in</dt>
          <dd>
            {number.format(Math.round(milliseconds))} <span>ms</span>
          </dd>
        </div>
      )}
    </dl>
  );
}
