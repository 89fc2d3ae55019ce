import type { Cost } from './service';
import { scopeName } from './service';

/** What a run cost: the service's account of it, and how long the answer took to come. */
export interface Run {
  cost: Cost | null;
  milliseconds: number;
  status: number;
}

/** The line under the answer that tells what the query cost. */
export function CostBar({ run }: { run: Run | null }) {
  return (
    <section className="bo-cost" aria-label="What the query cost" role="status" data-frame>
      {run ? <Figures run={run} /> : <p>Run a query: what it costs is told here.</p>}
    </section>
  );
}

function Figures({ run: { cost, milliseconds, status } }: { run: Run }) {
  const number = new Intl.NumberFormat('en');
  return (
    <dl>
      {cost && (
        <>
          <div>
            <dt>Cost</dt>
            <dd>
              {number.format(cost.cost)} <span>of {number.format(cost.limit)}</span>
              <meter min={0} max={cost.limit} value={cost.cost} aria-label="Share of the limit" />
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
        <dt>Answered</dt>
        <dd>
          {status} <span>in {number.format(Math.round(milliseconds))} ms</span>
        </dd>
      </div>
    </dl>
  );
}
