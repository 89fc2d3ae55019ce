import type { Planned } from './usePlan';
import type { Whole } from './operation';

const number = new Intl.NumberFormat('en');

/** What the query in the editor needs, before it runs. Quiet while it is half typed. */
export function Needs({ planned, whole }: { planned: Planned | null; whole: Whole | null | undefined }) {
  return (
    <section className="bo-needs" aria-label="What this query needs" aria-live="polite" data-old={planned !== null && planned.of !== whole}>
      {planned ? <Figures planned={planned} /> : <p>What this query needs is told here before it runs.</p>}
    </section>
  );
}

function Figures({ planned: { plan, of } }: { planned: Planned }) {
  const dear = plan.cost > plan.maximumCost;
  return (
    <dl>
      <div>
        <dt>Needs</dt>
        <dd>
          {plan.requiredScopes.length === 0
            ? 'no scope'
            : plan.requiredScopes.map((scope) => (
                <em key={scope} className={plan.missingScopes.includes(scope) ? 'bo-lacking' : undefined}>
                  {plan.missingScopes.includes(scope) ? `${scope}, which you lack` : scope}
                </em>
              ))}
        </dd>
      </div>
      <div>
        <dt>Cost</dt>
        <dd className={dear ? 'bo-lacking' : undefined}>
          {number.format(plan.cost)} <span>of {number.format(plan.maximumCost)}</span>
          {dear && ' – too much'}
        </dd>
      </div>
      {of.operation.operation !== 'query' && (
        <div>
          <dt>Kind</dt>
          <dd>{of.operation.operation === 'mutation' ? 'writes' : 'goes on until it is stopped'}</dd>
        </div>
      )}
    </dl>
  );
}
