import { Fragment, type ReactNode } from 'react';
import { useWords } from './useWords';
import type { Sentence } from './words';

/** A sentence of the page with elements for its {names}. */
export function Said({ sentence, ...parts }: { sentence: Sentence } & Record<string, ReactNode>) {
  const say = useWords();
  return say(sentence).split(/\{(\w+)\}/).map((text, i) => <Fragment key={i}>{i % 2 === 0 ? text : parts[text]}</Fragment>);
}
