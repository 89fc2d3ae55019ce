import { useEffect, useRef, useState } from 'react';
import type { Whole } from './operation';
import { askPlan, type Credentials, type Plan } from './service';

/** What an operation needs, and which one that is. */
export interface Planned {
  plan: Plan;
  of: Whole;
}

/**
 * What the operation in the editors needs, asked for with one request at a time: what was typed meanwhile is asked when it is
 * back. It stays while the next one is half typed, and it is null before there was one.
 */
export function usePlan(by: Credentials, whole: Whole | null | undefined): Planned | null {
  const [planned, setPlanned] = useState<Planned | null>(null);
  const wanted = useRef(whole);
  const asking = useRef(false);
  wanted.current = whole;

  useEffect(() => {
    if (!whole?.ready || asking.current) return;
    const ask = async () => {
      asking.current = true;
      let last: Whole | null = null;
      for (let of = wanted.current; of?.ready && of !== last; of = wanted.current) {
        last = of;
        const plan = await askPlan(by, of.question);
        if (plan) setPlanned({ plan, of });
      }
      asking.current = false;
    };
    void ask();
  }, [by, whole]);
  return planned;
}
