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
export function eventsWith({ count, newest }: Events, { data }: Body): Events {
  const event = valueOf(data);
  return { count: count + 1, newest: event ? [event, ...newest].slice(0, kept) : newest };
}

/** Whether what the answer's editor shows is the newest event: another tab shows something else. */
export function isNewest({ newest }: Events, data: unknown): boolean {
  return newest.length > 0 && JSON.stringify(valueOf(data)) === JSON.stringify(newest[0]);
}

function valueOf(data: unknown): Row | null {
  const value: unknown = Object.values(data ?? {})[0];
  return typeof value === 'object' && value !== null ? (value as Row) : null;
}
