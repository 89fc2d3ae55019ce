import { authorize, NotSignedIn, refresh, revoke, type Tokens } from './authorize';
import type { Notice } from './notice';
import { provider } from './provider';
import type { Credentials } from './service';
import { say, timeOf } from './words';

/** How long before its end a token is renewed, at most: a fourth of its life where that is less. */
const early = 60_000;
/** The most that a timer takes, some 25 days. */
const longestWait = 2 ** 31 - 1;
/** After how long a provider that was away is asked again. */
const again = 10_000;
/** A token that ends sooner is not sent any more when there can be another. */
const least = 5_000;

/** Somebody who signed in at the provider. The tokens are in this object and nowhere else; they are renewed before they end. */
export class Person implements Credentials {
  readonly person = this;
  private tokens: Tokens | null;
  private readonly subject: string;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private renewing: Promise<void> | null = null;
  private waiting: AbortController | null = null;
  private say: (notice: Notice | null) => void = () => undefined;

  private constructor({ subject, ...tokens }: Tokens & { subject: string }) {
    this.subject = subject;
    this.tokens = tokens;
    this.plan();
  }

  /** Signs somebody in, in a window that was opened for it. Rejects with NotSignedIn, or for an abort. */
  static async signIn(opened: Window, signal: AbortSignal): Promise<Person> {
    return new Person(await inWindow(opened, signal));
  }

  /** Who is told that the end comes near. */
  listen(say: (notice: Notice | null) => void): void {
    this.say = say;
  }

  async headers(): Promise<Record<string, string> | null> {
    if (this.tokens?.refresh && this.tokens.ends - Date.now() < least) await this.renew();
    return this.tokens && { authorization: `Bearer ${this.tokens.access}` };
  }

  /** The same person signs in again, in a window that was opened for it. */
  async signInAgain(opened: Window): Promise<void> {
    this.waiting?.abort();
    const attempt = (this.waiting = new AbortController());
    const { subject, ...tokens } = await inWindow(opened, attempt.signal);
    if (!this.tokens) forget(tokens); // signed out meanwhile
    attempt.signal.throwIfAborted();
    if (subject !== this.subject) {
      throw new NotSignedIn({
        tone: 'error',
        title: say('Somebody else has signed in'),
        text: say('This page goes on with the same person alone. Sign out first to work as another.'),
        signInAgain: true,
      });
    }
    this.tokens = tokens;
    this.plan();
  }

  /** Forgets the tokens, here and at the provider. */
  signOut(): void {
    forget(this.tokens);
    this.tokens = null;
    this.waiting?.abort();
    clearTimeout(this.timer);
    this.say = () => undefined;
  }

  private plan(): void {
    clearTimeout(this.timer);
    if (!this.tokens) return;
    const { ends, life } = this.tokens;
    this.timer = setTimeout(() => void this.near(), Math.min(Math.max(ends - Math.min(early, life / 4) - Date.now(), 0), longestWait));
  }

  private async near(): Promise<void> {
    if (this.tokens && this.tokens.ends - Date.now() > early) this.plan();
    else if (this.tokens?.refresh) await this.renew();
    else this.say(ending(this.tokens));
  }

  // Never rejects: what comes of it is seen in the tokens.
  private renew(): Promise<void> {
    return (this.renewing ??= this.renewed().finally(() => (this.renewing = null)));
  }

  private async renewed(): Promise<void> {
    const before = this.tokens;
    if (!before?.refresh) return;
    try {
      const tokens = await refresh(before.refresh);
      if (this.tokens === before) {
        this.tokens = tokens;
        this.plan();
      } else if (!this.tokens) forget(tokens); // signed out meanwhile
    } catch (cause) {
      if (this.tokens !== before) return;
      const passing = cause instanceof NotSignedIn && cause.passing;
      if (!passing) this.tokens = { ...before, refresh: undefined };
      if (passing && Date.now() < before.ends) this.timer = setTimeout(() => void this.near(), again);
      else this.say(ending(this.tokens));
    }
  }
}

// Only for who signs out: with a refresh token some providers, such as Keycloak, revoke all of this client's.
function forget(tokens: Tokens | null): void {
  if (tokens?.refresh) void revoke(tokens.refresh);
}

async function inWindow(opened: Window, signal: AbortSignal) {
  try {
    return await authorize(opened, signal);
  } catch (cause) {
    opened.close(); // while it is still ours: one of the provider's is out of reach
    throw cause;
  }
}

function ending(tokens: Tokens | null): Notice {
  const at = tokens ? timeOf(tokens.ends, 'short') : '';
  const over = !tokens || tokens.ends <= Date.now();
  return {
    tone: 'warning',
    title: over ? say('Your sign-in has ended') : say('Your sign-in ends at {at}', { at }),
    text: `${say('{host} does not renew it by itself.', { host: provider?.host ?? '' })} ${say('Your queries and tabs stay when you sign in again.')}`,
    signInAgain: true,
  };
}
