// What somebody may see, in words: with the names of those that a restriction names.
import { useEffect, useState } from 'react';
import { ask, type Credentials, type Viewer } from './service';
import { useWords } from './useWords';
import type { Sentence } from './words';

const kinds = {
  responsible: { root: 'user', name: 'displayName', sentence: 'the customers of {names}' },
  labels: { root: 'label', name: 'name', sentence: 'the customers of users with the label {names}' },
  customers: { root: 'customer', name: 'displayName', sentence: '{names}' },
  years: { root: null, name: '', sentence: 'customers with transcripts of {names}' },
} as const satisfies Record<string, { root: string | null; name: string; sentence: Sentence }>;
type Kind = keyof typeof kinds;
/** A customer has to be among all of these. */
type Alternative = Partial<Record<Kind, string[]>>;

/** How many of a kind are named. */
const shown = 3;

/** What is seen alone, in the page's language; null for everything. */
export function useRestriction({ restriction }: Viewer, by: Credentials): string | null {
  const say = useWords();
  const [names, setNames] = useState<Record<string, string>>({});
  useEffect(() => {
    if (restriction) void namesOf(alternativesOf(restriction), by).then(setNames);
  }, [restriction, by]);
  if (!restriction) return null;
  const told = (alternative: Alternative) =>
    kindsOf(alternative)
      .map((kind) => {
        const all = alternative[kind]!;
        const named = all.slice(0, shown).map((id) => names[`${kind} ${id}`] ?? id);
        return say(kinds[kind].sentence, { names: named.join(', ') + (all.length > shown ? ', …' : '') });
      })
      .join(` ${say('that are also')} `);
  return say('sees {what} alone', { what: alternativesOf(restriction).map(told).join(` ${say('or')} `) });
}

const kindsOf = (alternative: Alternative) => (Object.keys(kinds) as Kind[]).filter((kind) => alternative[kind]?.length);

function alternativesOf(restriction: string): Alternative[] {
  const read = JSON.parse(restriction) as Alternative | Alternative[];
  return Array.isArray(read) ? read : [read];
}

// Asks for all names at once; what has none keeps its identifier.
async function namesOf(alternatives: Alternative[], by: Credentials): Promise<Record<string, string>> {
  const wanted = alternatives.flatMap((alternative) =>
    kindsOf(alternative).flatMap((kind) => (kinds[kind].root ? alternative[kind]!.slice(0, shown).map((id) => ({ kind, id })) : [])),
  );
  if (wanted.length === 0) return {};
  const fields = wanted.map(({ kind, id }, i) => `n${i}: ${kinds[kind].root}(id: ${JSON.stringify(id)}) { name: ${kinds[kind].name} }`);
  const { body } = await ask(by, { query: `{ ${fields.join(' ')} }` });
  return Object.fromEntries(
    wanted.flatMap(({ kind, id }, i) => {
      const found = body.data?.[`n${i}`] as { name: string } | null | undefined;
      return found ? [[`${kind} ${id}`, found.name]] : [];
    }),
  );
}
