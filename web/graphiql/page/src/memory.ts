/** A store for GraphiQL that ends with the page: it would keep queries, variables and tabs in localStorage. */
export function memoryStore(start?: Iterable<[string, string]>) {
  const values = new Map<string, string>(start);
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
    [Symbol.iterator]: () => values.entries(),
    clear: () => values.clear(),
    get length() {
      return values.size;
    },
  };
}
