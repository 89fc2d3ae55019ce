/** Where people sign in, as the server says it in the page; null where pairs alone do. */
export interface Provider {
  issuer: string;
  client: string;
  scope: string;
  /** What it is called to its users. */
  host: string;
}

const said = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content ?? '';

function read(): Provider | null {
  const [issuer, client, scope] = [said('oidc-issuer'), said('oidc-client'), said('oidc-scope')];
  return issuer && client ? { issuer, client, scope, host: new URL(issuer).host } : null;
}

export const provider = read();

/** Where the provider sends people back to: the redirect address that is registered there. */
export const redirectAddress = `${location.origin}/graphiql/signed-in`;

/** The channel on which that page gives the answer to the page that waits for it, and to no other: nobody else knows the state. */
export const channelOf = (state: string) => new BroadcastChannel(`sign-in ${state}`);

/**
 * Opens the window in which the provider asks who it is. It is to be called while a click is handled, or the browser refuses: then it is
 * null. What is in this page stays, which a redirect of it would lose.
 */
export function openWindow(): Window | null {
  return window.open('', '', 'popup,width=520,height=680');
}
