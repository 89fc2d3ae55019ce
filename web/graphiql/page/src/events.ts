import type { Body } from './service';
import type { Row } from './table';

/** What a subscription was told so far. */
export interface Events {
  count: number;
  /** The last ones, the newest first. */
  newest: Row[];
}

export const noEvents: Events = { count: 0, newest: [] };

/** How many events are kept to be shown. */
const kept = 500;

/** Adds an answer of a subscription, which has one field. */
export function eventsWith({ count, newest }: Events = noEvents, { data }: Body): Events {
  const [event] = Object.values(data ?? {});
  return { count: count + 1, newest: typeof event === 'object' && event ? [event as Row, ...newest].slice(0, kept) : newest };
}
