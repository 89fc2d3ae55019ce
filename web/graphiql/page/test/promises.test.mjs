// What ADR 32 promises of signing in, against providers that answer wrongly; and copies of the page without one of its checks, each of which
// has to be found. `go test ./web/graphiql` starts the provider.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, afterEach, before, describe, it } from 'node:test';
import { build } from 'vite';
import { launch, service } from './browser.mjs';
import { begin, enter, isToken, issuer, keepsNothing, manager, notice, openSignedOut, say, signInAtProvider, tokenOf, working } from './provider.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

const odd = /not the one to what this page asked/;
const refused = /refused it, or it was cancelled/;
const challengeOf = (verifier) => createHash('sha256').update(verifier).digest('base64url');

/** Opens the page without its editors, which would take most of the time: nobody gets as far, or it is over then. */
async function openBare() {
  const { page } = await openSignedOut(browser, { without: /\/assets\/(Workbench|monaco-editor|[\w.]+\.worker)-[\w-]+\.js$/ });
  return page;
}

/** Whether a request asks the service for something, with a token. */
const isAsked = (request) => request.url() === `${service.url}/graphql` && tokenOf(request) !== undefined;

/** Does something, and fails when the page works with a token then, says nothing that can be read of why it does not, or keeps anything. */
async function staysOut(page, words, meanwhile) {
  let asked = false;
  const used = page.waitForRequest(isAsked).then(() => (asked = true), () => undefined);
  await meanwhile();
  await Promise.race([page.locator('.bo-error').waitFor(), used]);
  assert.ok(!asked, 'the token is taken');
  assert.match(await notice(page), words);
  assert.ok(!/eyJ|strange/.test(await page.content()), 'the page shows what it was answered');
  await keepsNothing(page);
}

/** Changes what the provider gives for a code. */
const givesInstead = (page, change) =>
  page.route(isToken, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change(await response.json()) });
  });

/** Lets somebody sign in while the ID token has other claims, another header or another signature. The page asks for no keys: it has the token from the provider itself. */
async function identifiedBy(page, claims, header = {}, signature = undefined) {
  const changed = (part, by) => Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(part, 'base64url')), ...by })).toString('base64url');
  await givesInstead(page, (tokens) => {
    const [head, body, signed] = tokens.id_token.split('.');
    return { ...tokens, id_token: [changed(head, header), changed(body, claims), signature ?? signed].join('.') };
  });
  await signInAtProvider(page);
}

/** The address to which the provider sends somebody back who has said who they are, for the address that it answered that with. */
async function answerBehind(context, { location }) {
  const back = await context.request.get(new URL(location, issuer).href, { maxRedirects: 0 });
  return new URL(back.headers().location);
}

/** Lets somebody sign in, and changes the answer on its way back to the page. */
async function answeredBy(page, change) {
  const popup = await begin(page);
  const form = (url) => url.href.startsWith(`${issuer}/login/`);
  let back;
  const came = new Promise((resolve) => (back = resolve));
  await popup.route(form, async (route) => {
    back(await answerBehind(page.context(), (await route.fetch({ maxRedirects: 0 })).headers()));
    await route.abort();
  });
  await say(popup, manager);
  const answer = await came;
  change(answer.searchParams);
  const closed = popup.waitForEvent('close');
  await popup.goto(answer.href).catch(() => undefined); // it closes itself
  await closed;
}

/** A code that somebody else was given, and the verifier that they asked for it with. */
async function codeOfAnother() {
  const verifier = 'a-verifier-of-somebody-else-that-is-long-enough-for-PKCE';
  const context = await browser.newContext();
  const question = new URLSearchParams({
    client_id: process.env.GRAPHIQL_TEST_CLIENT, redirect_uri: `${service.url}/graphiql/signed-in`, response_type: 'code', scope: 'openid profile',
    state: 'another', nonce: 'another', code_challenge: challengeOf(verifier), code_challenge_method: 'S256',
  });
  const asked = new URL((await context.request.get(`${issuer}/auth?${question}`)).url());
  const form = { username: manager, password: process.env.GRAPHIQL_TEST_PASSWORD, id: asked.searchParams.get('authRequestID') };
  const said = await context.request.post(asked.origin + asked.pathname, { form, maxRedirects: 0 });
  const code = (await answerBehind(context, said.headers())).searchParams.get('code');
  await context.close();
  assert.ok(code);
  return { code, verifier };
}

const beyond = 'nothing of it is kept beyond the page';
/** What is promised, by its name. Each fails with an AssertionError where it is not kept. */
const promises = {
  'an answer in the name of another issuer is not taken': async (page) => {
    await staysOut(page, odd, () => answeredBy(page, (answer) => answer.set('iss', 'https://strange.example')));
  },
  'an answer that has an issuer twice is not taken': async (page) => {
    await staysOut(page, odd, () => answeredBy(page, (answer) => ['https://strange.example', issuer].forEach((name) => answer.append('iss', name))));
  },
  'an answer with another state reaches nobody': async (page) => {
    let asked = 0;
    page.on('request', (request) => (asked += isToken(new URL(request.url())) ? 1 : 0));
    const popup = await begin(page);
    let closed = false;
    const heard = popup.waitForEvent('close').then(() => (closed = true));
    await popup.goto(`${service.url}/graphiql/signed-in?code=strange&state=strange`).catch(() => undefined);
    await Promise.race([heard, popup.getByText('No page waits for this sign-in').waitFor().catch(() => undefined)]);
    assert.ok(!closed, 'a page has taken it');
    assert.match(await notice(page), /Go on in the window of/);
    assert.equal(asked, 0);
  },
  'a code of somebody else is worth nothing here': async (page) => {
    const { code } = await codeOfAnother();
    await staysOut(page, refused, () => answeredBy(page, (answer) => answer.set('code', code))); // the provider holds the verifier against the challenge
  },
  'nor is it where the provider does not check the challenge': async (page) => {
    const { code, verifier } = await codeOfAnother();
    await page.route(isToken, async (route) => {
      const form = new URLSearchParams(route.request().postData());
      form.set('code_verifier', verifier);
      await route.continue({ postData: form.toString() });
    });
    await staysOut(page, odd, () => answeredBy(page, (answer) => answer.set('code', code))); // the nonce is another's
  },
  'an ID token for another question is not taken': async (page) => {
    await staysOut(page, odd, () => identifiedBy(page, { nonce: 'strange' }));
  },
  'an ID token for another client is not taken': async (page) => {
    await staysOut(page, odd, () => identifiedBy(page, { aud: ['strange'], azp: 'strange' }));
  },
  'an ID token of another issuer is not taken': async (page) => {
    await staysOut(page, odd, () => identifiedBy(page, { iss: 'https://strange.example' }));
  },
  'an ID token that has ended is not taken': async (page) => {
    await staysOut(page, odd, () => identifiedBy(page, { iat: 1_700_000_000, exp: 1_700_000_300 }));
  },
  'an ID token that nobody signed is not taken': async (page) => {
    await staysOut(page, odd, () => identifiedBy(page, {}, { alg: 'none' }, ''));
  },
  'no ID token is as good as none': async (page) => {
    await givesInstead(page, ({ id_token: _, ...others }) => others);
    await staysOut(page, odd, () => signInAtProvider(page));
  },
  'a token that is more than its bearer’s is not taken for one': async (page) => {
    await givesInstead(page, (tokens) => ({ ...tokens, token_type: 'strange' }));
    await staysOut(page, odd, () => signInAtProvider(page));
  },
  'what is asked is made anew each time, and its answer is worth nothing to who reads it': async (page) => {
    const asked = [];
    for (let times = 0; times < 2; times++) {
      const question = page.context().waitForEvent('request', (r) => r.url().startsWith(`${issuer}/auth?`));
      const popup = await begin(page);
      const sent = page.waitForRequest((r) => isToken(new URL(r.url())));
      const used = page.waitForRequest(isAsked);
      used.catch(() => undefined); // nobody waits for it where something is found before
      const parameters = new URL((await question).url()).searchParams;
      await enter(popup, manager);
      const verifier = new URLSearchParams((await sent).postData()).get('code_verifier');
      assert.equal(parameters.get('code_challenge_method'), 'S256');
      assert.equal(parameters.get('code_challenge'), challengeOf(verifier));
      const known = [...parameters.values()].join(' ');
      assert.ok(!known.includes(verifier), 'the verifier is said before');
      for (const value of [verifier, parameters.get('state'), parameters.get('nonce')]) {
        assert.match(value, /^[\w-]{43,}$/); // 256 bits
        assert.ok(!asked.includes(value), 'it is not made anew');
        asked.push(value);
      }
      await used;
      await page.reload();
      await page.waitForSelector('button.bo-primary');
    }
  },
  [beyond]: async (page) => {
    await working(page);
    await keepsNothing(page);
    await page.reload();
    await page.waitForSelector('button.bo-primary'); // signed out
    await keepsNothing(page);
  },
};

const opened = async (promise) => (promise === beyond ? (await openSignedOut(browser)).page : openBare());

describe('it is promised of signing in that', () => {
  for (const [name, holds] of Object.entries(promises)) {
    it(name, async () => holds(await opened(name)));
  }

  it('an access token for another audience opens nothing', async () => {
    const page = await openBare();
    await givesInstead(page, (tokens) => ({ ...tokens, access_token: process.env.GRAPHIQL_TEST_FOREIGN }));
    await signInAtProvider(page);
    await page.locator('.bo-error').waitFor();
    assert.match(await notice(page), /is not for this server/);
    assert.ok(await page.locator('button.bo-primary').isVisible());
    await keepsNothing(page);
  });
});

const ofTheAnswer = Object.keys(promises).filter((name) => /ID token|challenge|more than its bearer/.test(name));

/** Copies of the page in which something of these files is changed, and what they break. */
const copies = {
  'that takes tokens as they come': {
    changed: { authorize: [[/const tokens = await oauth\.processAuthorizationCodeResponse[^;]+;\s*return [^;]+;/, `return { ...tokensOf({ ...(await response.json()), token_type: 'bearer' }), subject: '' };`]] },
    breaks: ofTheAnswer,
  },
  'that does not look who answers': {
    changed: { authorize: [['new URLSearchParams(answer)', `new URLSearchParams(answer.replaceAll(/&iss=[^&]*/g, ''))`]] },
    breaks: ['an answer in the name of another issuer is not taken', 'an answer that has an issuer twice is not taken'],
  },
  'that takes every answer for its own': {
    changed: { authorize: [['channelOf(state)', `channelOf('')`], [', new URLSearchParams(answer), state)', ', new URLSearchParams(answer), oauth.skipStateCheck)']], signedIn: [['channelOf(state)', `channelOf('')`]] },
    breaks: ['an answer with another state reaches nobody'],
  },
  'that has the same verifier each time': {
    changed: { authorize: [['oauth.generateRandomCodeVerifier()', `'x'.repeat(43)`]] },
    breaks: ['what is asked is made anew each time, and its answer is worth nothing to who reads it'],
  },
  'that has no challenge but the verifier': {
    changed: { authorize: [['await oauth.calculatePKCECodeChallenge(verifier)', 'verifier'], [`'S256'`, `'plain'`]] },
    breaks: ['what is asked is made anew each time, and its answer is worth nothing to who reads it'],
  },
  'that has the same nonce each time': {
    changed: { authorize: [['oauth.generateRandomNonce()', `'x'.repeat(43)`]] },
    breaks: ['what is asked is made anew each time, and its answer is worth nothing to who reads it'],
  },
  'that keeps the token for the next reload': {
    changed: { authorize: [['return { access: access_token', `sessionStorage.setItem('token', access_token); return { access: access_token`]] },
    breaks: [beyond],
  },
};

/** The file of the page that the browser loads under a name, as it is built with changes. */
async function changed(name, changes) {
  const source = new URL(`../src/${name}.ts`, import.meta.url).pathname;
  const plugin = {
    name: 'changed',
    enforce: 'pre',
    transform(code, id) {
      if (id !== source) return undefined;
      return changes.reduce((text, [what, by]) => {
        const other = text.replace(what, by);
        assert.notEqual(other, text, `${name}.ts has no ${what}`);
        return other;
      }, code);
    },
  };
  const made = await build({ configFile: false, logLevel: 'error', plugins: [plugin], build: { write: false, target: 'es2022', lib: { entry: source, formats: ['es'] } } });
  return [made].flat()[0].output.find((file) => file.type === 'chunk').code;
}

const files = { authorize: /\/assets\/authorize-[\w-]+\.js$/, signedIn: /\/assets\/signed-in-[\w-]+\.js$/ };

describe('a copy of the page', () => {
  for (const [copy, { changed: changes, breaks }] of Object.entries(copies)) {
    it(`${copy} is found`, async () => {
      const parts = await Promise.all(Object.entries(changes).map(async ([name, of]) => [files[name], await changed(name, of)]));
      assert.ok(breaks.length > 0);
      for (const promise of breaks) {
        const page = await opened(promise);
        const loaded = new Set();
        for (const [file, body] of parts) {
          await page.context().route(file, async (route) => {
            loaded.add(file);
            await route.fulfill({ contentType: 'text/javascript', body });
          });
        }
        await assert.rejects(promises[promise](page), assert.AssertionError, promise);
        assert.equal(loaded.size, parts.length, 'the browser has not loaded the copy');
        await page.context().close();
      }
    });
  }
});
