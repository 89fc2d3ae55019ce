// The Content-Security-Policy lets in only the <style> elements that carry the nonce of this answer. The editor makes
// its own at run time and knows of no nonce, so every one that a script makes gets it here. What markup smuggles in
// does not pass through createElement and stays out.
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
const createElement = document.createElement.bind(document);

document.createElement = ((name: string, options?: ElementCreationOptions) => {
  const element = createElement(name, options);
  if (element instanceof HTMLStyleElement) element.nonce = nonce;
  return element;
}) as typeof document.createElement;

export {};
