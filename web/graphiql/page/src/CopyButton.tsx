import { useEffect, useState } from 'react';
import { copy } from './copy';
import { useWords } from './useWords';

/** Copies a text, and says so for a moment. */
export function CopyButton({ label, text }: { label: string; text: () => string }) {
  const say = useWords();
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (!said) return;
    const soon = setTimeout(() => setSaid(''), 2_000);
    return () => clearTimeout(soon);
  }, [said]);
  return (
    <button type="button" className="bo-secondary bo-small" onClick={async () => setSaid(say((await copy(text())) ? 'Copied' : 'Could not copy'))}>
      <span aria-live="polite">{said || label}</span>
    </button>
  );
}
