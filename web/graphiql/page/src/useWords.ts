import { useSyncExternalStore } from 'react';
import { chosen, listen, say, type Language } from './words';

/** The language of the page; renders again when it changes. */
export function useLanguage(): Language {
  return useSyncExternalStore(listen, chosen);
}

/** Says sentences in the language of the page; renders again when it changes. */
export function useWords(): typeof say {
  useLanguage();
  return say;
}
