/** A customer of an answer whose owners were asked for. */
export interface Owned {
  id: string;
  /** The name, if it was asked for. */
  name: string;
  /** The day of the answer, which the picture is of, too. */
  asOf: string;
}

/** The customers of an answer that have an id and an ownership that tells its day, each once, in its order. */
export function ownedOf(data: unknown): Owned[] {
  const found = new Map<string, Owned>();
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    const { id, displayName, name, ownership } = value as { id?: unknown; displayName?: unknown; name?: unknown; ownership?: { asOf?: unknown } | null };
    if (typeof id === 'string' && typeof ownership?.asOf === 'string' && !found.has(id)) {
      const called = [displayName, name].find((one) => typeof one === 'string') as string | undefined;
      found.set(id, { id, name: called ?? id, asOf: ownership.asOf });
    }
    for (const one of Object.values(value)) visit(one);
  };
  visit(data);
  return [...found.values()];
}
