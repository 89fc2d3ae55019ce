/** A store for GraphiQL that ends with the page: it would keep queries, variables and tabs in localStorage. */
export function memoryStore() {
  const values = new Map<string, string>();
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
    clear: () => values.clear(),
    get length() {
      return values.size;
    },
  };
}
