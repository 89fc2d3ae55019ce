/** Puts a text on the clipboard, also where the page is not a secure context: the newer way is not there on plain http. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.setAttribute('aria-hidden', 'true');
    area.className = 'bo-unseen';
    const before = document.activeElement as HTMLElement | null;
    document.body.append(area);
    area.select();
    try {
      return document.execCommand('copy');
    } finally {
      area.remove();
      before?.focus();
    }
  }
}
