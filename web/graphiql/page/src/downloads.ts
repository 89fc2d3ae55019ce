import type * as Monaco from 'monaco-editor';
import { say } from './words';

/** A file that an answer gives the way to: a path of this server with its own signature. */
export interface Download {
  name: string;
  path: string;
}

// As File.downloadPath has it, whatever the field's alias is.
const signed = /^\/files\/[\w-]+\/[\w-]+\?signature=[\w-]+$/;
const signedInJSON = /"(\/files\/[\w-]+\/[\w-]+\?signature=[\w-]+)"/;

/** The files of an answer in its order, each with the name of the record that it belongs to. */
export function downloadsOf(data: unknown, owner = 'Document'): Download[] {
  if (typeof data === 'string') return signed.test(data) ? [{ name: owner, path: data }] : [];
  if (Array.isArray(data)) return data.flatMap((item) => downloadsOf(item, owner));
  if (typeof data !== 'object' || data === null) return [];
  const { name = owner } = data as { name?: unknown };
  return Object.values(data).flatMap((value) => downloadsOf(value, typeof name === 'string' ? name : owner));
}

/** Makes a link of each signed path in the answer's editor. */
export function linkDownloads({ languages }: typeof Monaco): { dispose: () => void } {
  return languages.registerLinkProvider('json', {
    provideLinks: (model) => ({
      links: model.findMatches(signedInJSON.source, false, true, true, null, true).map(({ range, matches }) => ({
        range: { ...range, startColumn: range.startColumn + 1, endColumn: range.endColumn - 1 },
        url: new URL(matches![1]!, location.origin).href,
        tooltip: say('Download this file'),
      })),
    }),
  });
}
