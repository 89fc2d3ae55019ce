/** A customer of an answer whose owners were asked for. */
export interface Owned {
  id: string;
  /** The name, if it was asked for. */
  name: string;
  /** The day, if it was asked for. */
  asOf: string | null;
}

/** The customers of an answer that have an id and an ownership, each once, in its order. */
export function ownedOf(data: unknown): Owned[] {
  const found = new Map<string, Owned>();
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    const { id, displayName, name, ownership } = value as { id?: unknown; displayName?: unknown; name?: unknown; ownership?: { asOf?: unknown } | null };
    if (typeof id === 'string' && typeof ownership === 'object' && ownership !== null && !found.has(id)) {
      const called = [displayName, name].find((one) => typeof one === 'string') as string | undefined;
      found.set(id, { id, name: called ?? id, asOf: typeof ownership.asOf === 'string' ? ownership.asOf : null });
    }
    for (const one of Object.values(value)) visit(one);
  };
  visit(data);
  return [...found.values()];
}
