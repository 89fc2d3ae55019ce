// Authorization code with PKCE by a public client (RFC 9700). The verifier, state and nonce are in memory as the tokens are.
import * as oauth from 'oauth4webapi';
import type { Notice } from './notice';
import { channelOf, provider, redirectAddress } from './provider';
import { say } from './words';

/** What the provider gave. */
export interface Tokens {
  access: string;
  /** What gives the next ones; none where the provider has none. */
  refresh: string | undefined;
  /** When the access token ends, in milliseconds. */
  ends: number;
  /** How long it lives, likewise. */
  life: number;
}

/** Why there are no tokens, in words that hold nothing of the provider's answer. */
export class NotSignedIn extends Error {
  constructor(
    readonly notice: Notice,
    /** Whether the same may do in a while. */
    readonly passing = false,
  ) {
    super(notice.title);
  }
}

const refused = () =>
  new NotSignedIn({ tone: 'error', title: say('Not signed in'), text: say('The identity provider refused it, or it was cancelled there.'), signInAgain: true });
const away = () =>
  new NotSignedIn({ tone: 'error', title: say('The identity provider cannot be reached'), text: say('Try again in a while.'), signInAgain: true }, true);
const odd = () =>
  new NotSignedIn({
    tone: 'error',
    title: say('Not signed in'),
    text: say('The identity provider’s answer is not the one to what this page asked, and was not taken.'),
    signInAgain: true,
  });

// How long an access token lives of which the provider does not say it.
const usualLife = 300;
const { issuer, client: client_id, scope } = provider ?? { issuer: '', client: '', scope: '' };
const client: oauth.Client = { client_id };
// An issuer without TLS is on this machine: the server takes no other.
const asking = () => ({ [oauth.allowInsecureRequests]: issuer.startsWith('http:'), signal: AbortSignal.timeout(15_000) });

let found: oauth.AuthorizationServer | null = null;

async function discover(): Promise<oauth.AuthorizationServer> {
  const address = new URL(issuer);
  return (found ??= await answered(async () => oauth.processDiscoveryResponse(address, await oauth.discoveryRequest(address, asking())), away));
}

/** Has the provider ask in a window who it is, and gives its tokens and the subject. It ends with the signal, for nobody tells that a window was closed. */
export async function authorize(opened: Window, signal: AbortSignal): Promise<Tokens & { subject: string }> {
  const server = await discover();
  const [verifier, state, nonce] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState(), oauth.generateRandomNonce()];
  if (!server.authorization_endpoint) throw odd();
  const address = new URL(server.authorization_endpoint);
  if (address.protocol !== 'https:' && !(address.protocol === 'http:' && issuer.startsWith('http:'))) throw odd();
  const parameters = {
    response_type: 'code',
    client_id,
    redirect_uri: redirectAddress,
    scope,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  const answer = await answerTo(state, signal, () => opened.location.replace(address.href));
  return answered(async () => {
    const checked = oauth.validateAuthResponse(server, client, new URLSearchParams(answer), state);
    const response = await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), checked, redirectAddress, verifier, asking());
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, { expectedNonce: nonce, requireIdToken: true });
    return { ...tokensOf(tokens), subject: oauth.getValidatedIdTokenClaims(tokens)!.sub };
  }, odd);
}

/** The answer that the page gets to which the provider sends people back; begun once it can be heard. */
function answerTo(state: string, signal: AbortSignal, begin: () => void): Promise<string> {
  const channel = channelOf(state);
  return new Promise<string>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    signal.throwIfAborted();
    channel.onmessage = ({ data }) => {
      channel.postMessage('taken');
      resolve(String(data));
    };
    begin();
  }).finally(() => channel.close());
}

/** Gives new tokens for a refresh token. */
export async function refresh(token: string): Promise<Tokens> {
  const server = await discover();
  return answered(async () => {
    const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), token, asking());
    const tokens = tokensOf(await oauth.processRefreshTokenResponse(server, client, response));
    return { ...tokens, refresh: tokens.refresh ?? token };
  }, odd);
}

/** Has the provider forget a refresh token, if it can. */
export async function revoke(token: string): Promise<void> {
  if (!found?.revocation_endpoint) return;
  await oauth.revocationRequest(found, client, oauth.None(), token, asking()).catch(() => undefined);
}

function tokensOf({ access_token, refresh_token, expires_in = usualLife, token_type }: oauth.TokenEndpointResponse): Tokens {
  if (token_type !== 'bearer') throw odd();
  return { access: access_token, refresh: refresh_token, life: expires_in * 1000, ends: Date.now() + expires_in * 1000 };
}

// Puts what went wrong into words of ours.
async function answered<T>(ask: () => Promise<T>, otherwise: () => NotSignedIn): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof NotSignedIn) throw cause;
    if (cause instanceof oauth.AuthorizationResponseError || cause instanceof oauth.ResponseBodyError) throw refused();
    const unreached = (cause instanceof TypeError && !('code' in cause)) || (cause instanceof DOMException && cause.name === 'TimeoutError');
    const failed = cause instanceof oauth.OperationProcessingError && cause.cause instanceof Response && cause.cause.status >= 500;
    throw unreached || failed ? away() : otherwise();
  }
}
