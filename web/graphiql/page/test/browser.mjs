// What the tests of the page share: Debian's Chromium, a page with ears on it, and the words for what a user does.
import assert from 'node:assert/strict';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium } from 'playwright-core';

/** The running service, as the environment names it: two pairs, one with every scope, one without privacy.read. */
export const service = {
  url: required('GRAPHIQL_TEST_URL'), // http://127.0.0.1:8080, without a path
  full: { id: required('GRAPHIQL_TEST_ID'), secret: required('GRAPHIQL_TEST_SECRET') },
  limited: { id: required('GRAPHIQL_TEST_LIMITED_ID'), secret: required('GRAPHIQL_TEST_LIMITED_SECRET') },
};

/** The same program over a store that is no demo's; the README's picture does without. */
export const realOffice = {
  url: process.env.GRAPHIQL_TEST_REAL_URL,
  full: { id: process.env.GRAPHIQL_TEST_REAL_ID, secret: process.env.GRAPHIQL_TEST_REAL_SECRET },
};

function required(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: go test ./web/graphiql sets it`);
  return value;
}

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

/** Opens the page and listens: to every request of it, and for anything that it complains about. */
export async function open(browser, { hash = '', url = service.url, ready = '#client-id', clock = false, without = null, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  context.setDefaultTimeout(180_000);
  const page = await context.newPage();
  const heard = { requests: [], complaints: [] };
  context.on('request', (request) => heard.requests.push(request));
  page.on('pageerror', (error) => heard.complaints.push(error.message));
  page.on('console', (message) => {
    // A refused request is logged by the browser itself; the tests look at those through the page.
    const refused = /Failed to load resource: the server responded with a status of 4\d\d/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !refused) heard.complaints.push(message.text());
  });
  if (clock) await page.clock.install();
  if (without) await context.route(without, (route) => route.abort());
  await page.goto(`${url}/graphiql${hash}`);
  await page.waitForSelector(ready);
  return { page, heard };
}

/** Types a pair in and sends it; what comes of it is for the caller to see. */
export async function typePair(page, { id, secret }) {
  await page.fill('#client-id', id);
  await page.fill('#client-secret', secret);
  await page.click('button[type=submit]');
}

export async function signIn(page, pair) {
  await typePair(page, pair);
  await page.waitForSelector('.graphiql-query-editor .view-line');
}

const lasting = new Set();

/**
 * Loads the page once for several tests, with somebody signed in. Each begins in an empty tab, the only one, with JSON
 * shown and without a purpose. The test after one that failed has the page loaded anew.
 */
export function onePage(browser, pair, { prepare = () => {}, ...options } = {}) {
  let opened = null;
  return (test) => async (t) => {
    try {
      if (opened) await afresh(opened);
      else {
        opened = await open(browser(), options);
        lasting.add(opened.page.context());
        await prepare(opened.page);
        await signIn(opened.page, pair);
      }
      await test(opened, t);
    } catch (cause) {
      lasting.delete(opened?.page.context());
      opened = null;
      throw cause;
    }
  };
}

async function afresh({ page, heard }) {
  await page.unrouteAll();
  heard.requests.length = heard.complaints.length = 0;
  await page.keyboard.press('Escape'); // out of a dialog
  await page.fill('#purpose', '');
  await page.getByRole('button', { name: 'JSON', exact: true }).click();
  await page.getByRole('button', { name: 'New tab' }).click();
  const ways = page.locator('.graphiql-tab-close'); // seen where the mouse is alone
  while ((await ways.count()) > 1) await ways.first().dispatchEvent('click');
  await page.waitForFunction(written, ['operation', '']);
}

/** Closes the pages that one test had for itself. */
export async function closeOwn(browser) {
  for (const context of browser.contexts()) if (!lasting.has(context)) await context.close();
}

/** Puts a text where the user types, in one of the editors that are empty, and waits until it is there. */
export async function insert(page, text, editor = 'operation') {
  await page.waitForFunction(written, [editor, '']);
  await page.focus(editor === 'operation' ? '.graphiql-query-editor textarea' : '[aria-label=Variables] textarea');
  await page.keyboard.insertText(text);
  await page.waitForFunction(written, [editor, text]);
}

function written([editor, text]) {
  const model = globalThis.__MONACO.editor.getModels().find((m) => m.uri.path.includes(editor));
  return model?.getValue() === text;
}

/** Runs what is in the editor and returns the service's answer, once the page shows it. */
export async function run(page) {
  const answered = page.waitForResponse(isQuery).catch(async (cause) => {
    const shown = await page.evaluate(() => globalThis.__MONACO.editor.getModels().map((m) => `${m.uri.path}: ${m.getValue()}`));
    throw new Error(`no answer to what the editors hold:\n${shown.join('\n')}`, { cause });
  });
  await page.click('.graphiql-execute-button');
  const response = await answered;
  await page.waitForSelector('.bo-cost dl');
  return { status: response.status(), request: response.request(), body: await response.json() };
}

function isQuery(response) {
  return response.url().endsWith('/graphql') && !response.request().postData().includes('IntrospectionQuery') && !isPlan(response.request());
}

/** Whether a request asks only what a query needs. */
export function isPlan(request) {
  return request.headers()['x-explain'] === 'plan';
}

/** Puts a query into the editor that is open, as it is: what is typed would have its brackets closed. */
export async function put(page, query) {
  await page.evaluate((text) => globalThis.__MONACO.editor.getModels().find((m) => m.uri.path.endsWith('.graphql')).setValue(text), query);
}

/** Opens a worked query from the drawer and waits until the editor has it. */
export async function openWorked(page, title) {
  const drawer = page.getByRole('region', { name: 'Worked queries' });
  await drawer.locator('li button').filter({ has: page.getByText(title, { exact: true }) }).click();
  await page.waitForFunction(
    (text) => globalThis.document.querySelector('.graphiql-query-editor .view-lines')?.textContent.includes(text),
    `# ${title}`.replaceAll(' ', '\u00a0'),
  );
  await page.waitForFunction(() => !globalThis.document.querySelector('.bo-cost dl'));
}

/** Everything that the browser could keep of a page beyond its life. */
export async function kept(page) {
  return page.evaluate(async () => ({
    local: { ...globalThis.localStorage },
    session: { ...globalThis.sessionStorage },
    cookies: globalThis.document.cookie,
    databases: await globalThis.indexedDB.databases(),
    caches: await globalThis.caches?.keys(),
    state: globalThis.history.state,
    address: globalThis.location.href,
  }));
}

/** Fails on anything that axe finds in the whole page. */
export async function accessible(page, what) {
  // Without a second page to gather the frames in, which a page of one frame does not need, and without all that is well.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] }).analyze();
  const found = violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target} ${n.failureSummary}`).join('; ')}`);
  assert.deepEqual(found, [], `axe, ${what}`);
}
