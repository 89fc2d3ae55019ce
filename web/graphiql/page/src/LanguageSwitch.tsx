import { useLanguage, useWords } from './useWords';
import { choose, languages, type Language } from './words';

/** Chooses the language of the page. */
export function LanguageSwitch() {
  const say = useWords();
  return (
    <select className="bo-language" aria-label={say('Language of this page')} value={useLanguage()} onChange={(event) => choose(event.currentTarget.value as Language)}>
      {Object.entries(languages).map(([language, name]) => (
        <option key={language} value={language} lang={language}>
          {name}
        </option>
      ))}
    </select>
  );
}
