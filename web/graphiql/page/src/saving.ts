// Saves what a response streams as a file, of which nothing is left when the stream does not come to its end.

/** Where a file goes. */
interface Target {
  write: (part: Uint8Array<ArrayBuffer>) => Promise<void>;
  /** Makes the file what was written. */
  close: () => Promise<void>;
  /** Leaves nothing behind. */
  abort: () => Promise<void>;
}

interface SaveFilePicker {
  (options: { suggestedName: string }): Promise<FileSystemFileHandle & { remove?: () => Promise<void> }>;
}

/** Lets the user choose a file where the browser can; null when it can't. Throws an AbortError when the user chooses none. */
export async function chooseFile(name: string): Promise<Target | null> {
  const picker = (window as { showSaveFilePicker?: SaveFilePicker }).showSaveFilePicker;
  if (!picker) return null;
  const handle = await picker.call(window, { suggestedName: name });
  const file = await handle.createWritable();
  return {
    write: (part) => file.write(part),
    close: () => file.close(),
    abort: async () => {
      await file.abort();
      // What was there before stays; a file that was made for this is empty and goes.
      if ((await handle.getFile()).size === 0) await handle.remove?.();
    },
  };
}

/** How much of a file is kept in the page before the browser may put it elsewhere. */
const kept = 8 << 20;

/** Keeps a file in the browser and gives it to the downloads when it is whole. */
export function download(name: string, type: string): Target {
  let parts: (Blob | Uint8Array<ArrayBuffer>)[] = [];
  let bytes = 0;
  return {
    write: async (part) => {
      parts.push(part);
      if ((bytes += part.byteLength) > kept) {
        parts = [new Blob(parts)];
        bytes = 0;
      }
    },
    close: async () => {
      const address = URL.createObjectURL(new Blob(parts, { type }));
      const link = document.createElement('a');
      link.href = address;
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    },
    abort: async () => {
      parts = [];
    },
  };
}

/** How far a file has come. */
export interface Progress {
  bytes: number;
  /** Lines that are whole, for what has lines. */
  lines: number | null;
}

/** What the lines of a format are: none, each to its end, or with the line breaks that quotes hold. */
export type Lines = 'none' | 'plain' | 'quoted';

/** Saves a response's body. Rejects when it breaks off or is aborted, and then no file is left. */
export async function save(response: Response, to: Target, has: Lines, onProgress: (progress: Progress) => void): Promise<Progress> {
  const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
  const lines = has === 'none' ? null : lineCounter(has === 'quoted');
  const progress: Progress = { bytes: 0, lines: lines && 0 };
  let told = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      await to.write(part.value);
      progress.bytes += part.value.byteLength;
      if (lines) progress.lines = lines(part.value);
      const now = performance.now();
      if (now - told > 100) {
        told = now;
        onProgress({ ...progress });
      }
    }
    await to.close();
  } catch (cause) {
    await reader.cancel().catch(() => undefined);
    await to.abort();
    throw cause;
  }
  return progress;
}

function lineCounter(withQuotes: boolean): (part: Uint8Array) => number {
  const [quote, end] = [0x22, 0x0a];
  let count = 0;
  let quoted = false;
  return (part) => {
    for (const byte of part) {
      if (byte === quote) quoted = withQuotes && !quoted;
      else if (byte === end && !quoted) count++;
    }
    return count;
  };
}
