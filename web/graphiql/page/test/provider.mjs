// What the tests of signing in at an OpenID provider share: the words for what a user does there. `go test ./web/graphiql` starts the provider.
import assert from 'node:assert/strict';
import { kept, open } from './browser.mjs';

export const issuer = process.env.GRAPHIQL_TEST_ISSUER;
export const manager = process.env.GRAPHIQL_TEST_MANAGER;

export const atProvider = (page) => page.getByRole('button', { name: `Sign in at ${new URL(issuer).host}` });
export const openSignedOut = (browser, options) => open(browser, { ready: 'button.bo-primary', ...options });

/** Opens the provider's window. */
export async function begin(page, button = atProvider(page)) {
  const opened = page.waitForEvent('popup');
  await button.click();
  const popup = await opened;
  await popup.waitForSelector('input[name=username]');
  return popup;
}

/** Says in the provider's window who it is, without waiting for what comes of it. */
export async function say(popup, name) {
  await popup.fill('input[name=username]', name);
  await popup.fill('input[name=password]', process.env.GRAPHIQL_TEST_PASSWORD);
  await popup.click('button[type=submit]');
}

/** Says in the provider's window who it is, after which it closes itself. */
export async function enter(popup, name) {
  await Promise.all([popup.waitForEvent('close'), say(popup, name)]);
}

export async function signInAtProvider(page, name = manager) {
  await enter(await begin(page), name);
}

export async function working(page) {
  await signInAtProvider(page);
  await page.waitForSelector('.graphiql-query-editor .view-line');
}

export const tokenOf = (request) => request.headers().authorization?.replace('Bearer ', '');
export const isToken = (url) => url.href === `${issuer}/oauth/token`;
export const notice = (page) => page.locator('.bo-notice').innerText();

/** Fails when the browser keeps anything of who signed in. */
export async function keepsNothing(page) {
  const { address, state, ...others } = await kept(page);
  assert.deepEqual(others, { local: {}, session: {}, cookies: '', databases: [], caches: [] });
  assert.equal(state, null);
  assert.match(address, /\/graphiql(\/signed-in)?(#.*)?$/);
}
