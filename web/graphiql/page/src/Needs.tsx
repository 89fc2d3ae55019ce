import type { Planned } from './usePlan';
import type { Whole } from './operation';
import { useWords } from './useWords';
import { numberOf } from './words';

/** What the query in the editor needs, before it runs. Quiet while it is half typed. */
export function Needs({ planned, whole }: { planned: Planned | null; whole: Whole | null | undefined }) {
  const say = useWords();
  return (
    <section className="bo-needs" aria-label={say('What this query needs')} aria-live="polite" data-old={planned !== null && planned.of !== whole}>
      {planned ? <Figures planned={planned} /> : <p>{say('What this query needs is told here before it runs.')}</p>}
    </section>
  );
}

function Figures({ planned: { plan, of } }: { planned: Planned }) {
  const say = useWords();
  const dear = plan.cost > plan.maximumCost;
  return (
    <dl>
      <div>
        <dt>{say('Needs')}</dt>
        <dd>
          {plan.requiredScopes.length === 0
            ? say('no scope')
            : plan.requiredScopes.map((scope) => (
                <em key={scope} className={plan.missingScopes.includes(scope) ? 'bo-lacking' : undefined}>
                  {plan.missingScopes.includes(scope) ? say('{scope}, which you lack', { scope }) : scope}
                </em>
              ))}
        </dd>
      </div>
      <div>
        <dt>{say('Cost')}</dt>
        <dd className={dear ? 'bo-lacking' : undefined}>
          {numberOf(plan.cost)} <span>{say('of {total}', { total: plan.maximumCost })}</span>
          {dear && ` – ${say('too much')}`}
        </dd>
      </div>
      {of.operation.operation !== 'query' && (
        <div>
          <dt>{say('Kind')}</dt>
          <dd>{say(of.operation.operation === 'mutation' ? 'writes' : 'goes on until it is stopped')}</dd>
        </div>
      )}
    </dl>
  );
}
