import type { Cost } from './service';
import { scopeName } from './service';

/** What a run cost: the service's account of it, and how long the answer took to come. */
export interface Run {
  cost: Cost | null;
  milliseconds: number;
}

/** The line under the answer that tells what the query cost. */
export function CostBar({ run }: { run: Run | null }) {
  return (
    <section className="bo-cost" aria-label="What the query cost" role="status" data-frame>
      {run ? <Figures run={run} /> : <p>Run a query: what it costs is told here.</p>}
    </section>
  );
}

function Figures({ run: { cost, milliseconds } }: { run: Run }) {
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
      <div>
        <dt>Answered in</dt>
        <dd>
          {number.format(Math.round(milliseconds))} <span>ms</span>
        </dd>
      </div>
    </dl>
  );
}
