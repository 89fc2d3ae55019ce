// The page's own words in the languages of its users. The schema, the messages of the service and the worked queries are in English.
import { fr } from './words/fr';
import { nl, type Sentence } from './words/nl';

export const languages = { en: 'English', nl: 'Nederlands', fr: 'Français' } as const;
export type Language = keyof typeof languages;
export type { Sentence };

const key = 'backoffice:language';
const isLanguage = (text: string | null | undefined): text is Language => text != null && text in languages;

// What was chosen here before, else the first of the browser's languages that the page has.
let now: Language = [chosenBefore(), ...navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase())].find(isLanguage) ?? 'en';
const listeners = new Set<() => void>();
document.documentElement.lang = now;

function chosenBefore(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // the browser keeps nothing
  }
}

/** Shows the page in a language, now and after a reload: the one thing that the browser keeps. */
export function choose(language: Language) {
  now = language;
  document.documentElement.lang = language;
  try {
    localStorage.setItem(key, language);
  } catch {
    // it holds until the reload
  }
  for (const changed of listeners) changed();
}

export const chosen = () => now;

/** Calls changed when the language changes, until what it returns is called. */
export function listen(changed: () => void): () => void {
  listeners.add(changed);
  return () => void listeners.delete(changed);
}

export type Values = Record<string, string | number>;

/** A sentence of the page in its language, with values for its {names}; numbers as people write them. */
export function say(sentence: Sentence, values: Values = {}): string {
  const said = now === 'en' ? sentence : (now === 'nl' ? nl : fr)[sentence];
  return said.replace(/\{(\w+)\}/g, (all, name: string) => {
    const value = values[name];
    return typeof value === 'number' ? numberOf(value) : (value ?? all);
  });
}

const locales = { en: 'en', nl: 'nl-BE', fr: 'fr-BE' };

/** All fraction digits of a number: as many as Intl gives. */
export const wholeFraction = 20;

export function numberOf(value: number, maximumFractionDigits = 2): string {
  return new Intl.NumberFormat(locales[now], { maximumFractionDigits }).format(value);
}

/** A number as a spreadsheet in this language reads it. */
export function ungrouped(value: number): string {
  const options = { maximumFractionDigits: wholeFraction, useGrouping: false };
  return new Intl.NumberFormat(locales[now], options).format(value);
}

/** The time of day of a moment in milliseconds. */
export function timeOf(moment: number, timeStyle: 'short' | 'medium'): string {
  return new Date(moment).toLocaleTimeString(locales[now], { timeStyle });
}
