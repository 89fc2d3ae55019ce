// What analysts do in the page: see what a query needs, read its answer as a table, take it along, and keep it.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import {
  accessible, closeOwn, insert, isPlan, launch, onePage, open, openWorked, put, run, service, signIn,
} from './browser.mjs';
import { through } from './proxy.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());
afterEach(() => closeOwn(browser));

const full = onePage(() => browser, service.full, { permissions: ['clipboard-read', 'clipboard-write'] });
const limited = onePage(() => browser, service.limited);

const needs = (page) => page.getByRole('region', { name: 'What this query needs' });

/** Types a query into a new tab. */
async function type(page, query) {
  await page.getByRole('button', { name: 'New tab' }).click();
  await insert(page, query);
}

/** Asks the service as another client does. */
async function ask(query, { as = service.full, ...headers } = {}) {
  return fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-client-id': as.id, 'x-client-secret': as.secret, ...headers },
    body: JSON.stringify(query),
  });
}

describe('what a query needs', () => {
  it('is told before it runs: scopes, those that are missing, and the cost', limited(async ({ page, heard }) => {
    await openWorked(page, 'Registration numbers');
    await needs(page).getByText('privacy.read, which you lack').waitFor();
    const said = await needs(page).innerText();
    const query = await page.evaluate(() => globalThis.__MONACO.editor.getModels().find((m) => m.uri.path.endsWith('.graphql')).getValue());
    const { extensions } = await (await ask({ query }, { as: service.limited, 'x-explain': 'plan' })).json();
    assert.match(said, new RegExp(`Cost\\s+${extensions.plan.cost}\\s+of 50,000`));
    await openWorked(page, 'Companies and the people behind them');
    await needs(page).getByText('no scope').waitFor();
    assert.deepEqual(heard.complaints, []);
  }));

  it('is told of what costs too much, and of what writes', full(async ({ page }) => {
    await type(page, '{ customers(first: 500) { nodes { transcripts(first: 500) { nodes { id } } } } }');
    await needs(page).getByText('too much').waitFor();
    await openWorked(page, 'Create a label');
    await needs(page).getByText('writes').waitFor();
    assert.match(await needs(page).innerText(), /settings\.write/);
  }));

  it('is asked with one request at a time, and for nothing that is half typed', full(async ({ page, heard }) => {
    await needs(page).locator('dl').waitFor();
    let [now, most, all] = [0, 0, 0];
    const answered = [];
    await page.route('**/graphql', async (route) => {
      if (!isPlan(route.request())) return route.fallback();
      most = Math.max(most, ++now);
      all++;
      await new Promise((later) => setTimeout(later, 700));
      await route.continue();
      now--;
    });
    page.on('response', (response) => isPlan(response.request()) && answered.push(response.status()));
    const before = await needs(page).innerText();
    for (const half of ['{ customers(first: 3', '{ customers(first: 31) { nodes { disp } } }', '{ customers(first: 31) { nodes { displayName }']) {
      await put(page, half);
      await page.waitForTimeout(600);
      assert.equal(await needs(page).innerText(), before, `with ${half}`);
    }
    assert.equal(all, 0);
    for (const n of [0, 1, 2]) {
      await put(page, `{ customers(first: 4${n}) { nodes { displayName } } }`);
      await page.waitForTimeout(500);
    }
    await needs(page).getByText('43').waitFor(); // first: 42
    assert.equal(most, 1);
    assert.ok(all <= 3, `${all} requests`);
    assert.deepEqual([...new Set(answered)], [200]);
    assert.deepEqual(heard.complaints, []);
  }));
});

/** Runs a worked query and shows its answer as a table. */
async function asTable(page, title) {
  await openWorked(page, title);
  const { body } = await run(page);
  await page.getByRole('button', { name: 'Table', exact: true }).click();
  return body;
}

async function column(page, number) {
  return page.locator(`.bo-table-scroll > table > tbody > tr > td:nth-child(${number})`).allInnerTexts();
}

describe('the answer as a table', () => {
  it('has a column for each value, orders numbers as numbers, and keeps its head in sight', full(async (opened) => {
    const { page, heard } = opened;
    const { data } = await asTable(page, 'Transcripts in groups');
    const { groups } = data.transcriptsAggregate;
    const head = page.locator('.bo-table-scroll > table > thead th');
    assert.deepEqual((await head.allInnerTexts()).map((text) => text.trim()), ['Status', 'Language', 'count', 'completedCount', 'averageProgress']);
    assert.deepEqual(await column(page, 1), groups.map((g) => g.keys[0].label));

    const numbers = groups.map((g) => g.completedCount).sort((a, b) => a - b);
    assert.ok(numbers.some((n) => n > 9) && numbers.some((n) => n < 9), 'numbers of several lengths');
    const shown = async () => (await column(page, 4)).map((text) => Number(text.replaceAll(',', '')));
    const order = page.getByRole('button', { name: 'completedCount' });
    await order.click();
    assert.deepEqual(await shown(), numbers);
    assert.equal(await head.nth(3).getAttribute('aria-sort'), 'ascending');
    await order.press('Enter');
    assert.deepEqual(await shown(), [...numbers].reverse());

    const scroll = page.locator('.bo-table-scroll');
    await scroll.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    assert.ok((await scroll.evaluate((element) => element.scrollTop)) > 0, 'it scrolls');
    const [top, stays] = [await scroll.boundingBox(), await head.first().boundingBox()];
    assert.ok(Math.abs(top.y - stays.y) < 3, `${top.y} and ${stays.y}`);
    assert.deepEqual(heard.complaints, []);
  }));

  it('draws groups as bars, in the order of the table', full(async ({ page }) => {
    const { data } = await asTable(page, 'Transcripts in groups');
    const bars = page.getByRole('list', { name: 'transcriptsAggregate by count' }).getByRole('listitem');
    const counts = data.transcriptsAggregate.groups.map((g) => g.count);
    await bars.first().waitFor();
    assert.equal(await bars.count(), Math.min(12, counts.length));
    const widths = await bars.locator('rect').evaluateAll((all) => all.map((rect) => rect.getBoundingClientRect().width));
    for (const [i, width] of widths.entries()) assert.ok(Math.abs(width / widths[0] - counts[i] / counts[0]) < 0.02, `bar ${i}`);
    await page.getByLabel('Bars show').selectOption('completedCount');
    await page.getByRole('list', { name: 'transcriptsAggregate by completedCount' }).waitFor();
    await page.getByRole('button', { name: 'Language', exact: true }).click();
    assert.match(await page.locator('.bo-bar-label').first().innerText(), /Dutch$/);
  }));

  it('opens the lists within a row, and is copied for a spreadsheet', full(async ({ page }) => {
    const { data } = await asTable(page, 'Companies and the people behind them');
    const rows = data.customers.nodes;
    const at = rows.findIndex((row) => row.relations.edges.length > 0);
    const count = page.getByRole('button', { name: `${rows[at].relations.edges.length} relations` }).first();
    await count.click();
    assert.equal(await count.getAttribute('aria-expanded'), 'true');
    const nested = page.getByRole('table', { name: 'relations' });
    assert.match(await nested.innerText(), new RegExp(rows[at].relations.edges[0].otherCustomer.displayName));
    await page.getByRole('button', { name: 'Copy for a spreadsheet' }).click();
    await page.getByText('Copied').waitFor();
    const lines = (await page.evaluate(() => globalThis.navigator.clipboard.readText())).split('\n').map((line) => line.split('\t'));
    assert.equal(lines.length, rows.length + 1);
    const [names, relations] = [lines[0].indexOf('displayName'), lines[0].indexOf('relations')];
    assert.deepEqual(lines.slice(1).map((line) => line[names]), rows.map((row) => row.displayName));
    assert.deepEqual(lines.slice(1).map((line) => Number(line[relations])), rows.map((row) => row.relations.edges.length));

    // What a spreadsheet would take for something else: a text that begins with a quote or as a formula, and a point.
    const odd = [
      { name: '"Acme" of Ghent', note: '\u200b＝1+1', ratio: 1234.123456 },
      { name: ' -1', note: '(=1)', ratio: 2 },
    ];
    await page.route('**/graphql', (route) => {
      if (isPlan(route.request())) return route.fallback();
      return route.fulfill({ json: { data: { odd } } });
    });
    await run(page);
    await page.getByRole('cell', { name: '1,234.123456' }).waitFor();
    await page.getByLabel('Language of this page').selectOption('nl');
    await page.getByRole('cell', { name: '1.234,123456' }).waitFor();
    await page.getByRole('button', { name: 'Kopiëren voor een rekenblad' }).click();
    await page.getByText('Gekopieerd').waitFor();
    assert.equal(
      await page.evaluate(() => globalThis.navigator.clipboard.readText()),
      'name\tnote\tratio\n"""Acme"" of Ghent"\t\'\u200b＝1+1\t1234,123456\n\' -1\t(=1)\t2',
    );
    await page.getByLabel('Taal van deze pagina').selectOption('en');
  }));

  it('shows a value whose name in free-form JSON has a dot', full(async ({ page }) => {
    await page.route('**/graphql', async (route) => {
      if (isPlan(route.request())) return route.continue();
      const response = await route.fetch();
      const json = await response.json();
      json.data.transcripts.nodes[0].customVariables = { 'section1.turnover': 120000 };
      return route.fulfill({ response, json });
    });
    await put(page, '{ transcripts(first: 1) { nodes { customVariables } } }');
    await run(page);
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    assert.deepEqual((await column(page, 1)).map((text) => Number(text.replaceAll(',', ''))), [120000]);
  }));

  it('tells the errors of an answer, with their codes and places, and its rest below', limited(async (opened) => {
    const { page, heard } = opened;
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    const errors = page.getByRole('alert', { name: 'Errors' });
    const cells = () => errors.locator('tbody td').allInnerTexts();
    const told = async (query) => {
      await put(page, query);
      const { body } = await run(page);
      await errors.waitFor();
      return body;
    };

    let { errors: answered } = await told('{ customers(first: 600) { nodes { id } } }');
    assert.equal(answered.length, 1);
    assert.deepEqual(await cells(), [answered[0].message, 'BAD_USER_INPUT', 'customers']);
    assert.equal(await page.getByText('its list is shown here').count(), 0);
    assert.equal(await page.locator('.bo-answer').count(), 0);

    ({ errors: answered } = await told('{ customers(first: 3) { nodes { id }'));
    assert.deepEqual(await cells(), [answered[0].message, 'GRAPHQL_PARSE_FAILED', `line ${answered[0].locations[0].line}, column ${answered[0].locations[0].column}`]);

    const partly = await told('{ customers(first: 2, filter: { type: PRIVATE_PERSON }) { nodes { id registrationNumber } } }');
    assert.equal(partly.data.customers.nodes.length, 2);
    assert.deepEqual(await cells(), partly.errors.flatMap((e) => [e.message, 'FORBIDDEN', e.path.join('.')]));
    assert.deepEqual(await column(page.locator('.bo-answer'), 1), partly.data.customers.nodes.map((n) => n.id));

    await put(page, '{ viewer { name } }');
    await run(page);
    await errors.waitFor({ state: 'detached' });
    await page.getByText('This answer has no list').waitFor();
    assert.deepEqual(heard.complaints, []);
  }));

  it('draws who owns a customer on the day of the answer, and says it in words', limited(async ({ page, heard }) => {
    const { data } = await asTable(page, 'Who stands behind a company');
    const picture = page.locator('.bo-owners img');
    for (const [n, { id, displayName }] of data.customers.nodes.entries()) {
      if (n > 0) await page.getByLabel('Owners of').selectOption(id);
      await page.waitForFunction((name) => {
        const { alt, complete, naturalWidth } = document.querySelector('.bo-owners img') ?? {};
        return complete && naturalWidth > 0 && alt.startsWith(`Owners of ${name}. `);
      }, displayName);
      assert.match(await picture.getAttribute('alt'), / holds .* of /);
    }
    await accessible(page, 'a picture of owners');

    const { id } = data.customers.nodes[0];
    const drawn = page.waitForRequest((request) => request.url().includes('/ownership?'));
    await put(page, `query Then { customer(id: "${id}") { id ownership(asOf: "2020-02-02") { asOf layers } } }`);
    await run(page);
    assert.match((await drawn).url(), /asOf=2020-02-02/);
    await put(page, `query Then { customer(id: "${id}") { id ownership(asOf: "2020-02-02") { layers } } }`);
    await run(page);
    await page.locator('.bo-owners').waitFor({ state: 'detached' }); // for which day is not known
    assert.deepEqual(heard.complaints, []);
  }));

  it('lists what a subscription is told, the newest first, also when it broke off', async (t) => {
    const network = await through(service.url);
    t.after(network.close);
    const { page, heard } = await open(browser, { url: network.url });
    await signIn(page, service.full);
    await openWorked(page, 'Changes as they come');
    const began = page.waitForResponse((response) => response.headers()['content-type']?.startsWith('text/event-stream'));
    await page.click('.graphiql-execute-button');
    await began;
    await page.getByText('Waiting for the first event').waitFor();
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    const made = [];
    for (const n of [1, 2, 3]) {
      made.unshift(`Event ${n} ${Date.now()}`);
      await ask({ query: `mutation { createLabel(input: { name: "${made[0]}" }) { userErrors { code } } }` });
      await page.getByRole('cell', { name: made[0] }).waitFor();
    }
    const names = (await page.locator('.bo-table-scroll > table > thead th').allInnerTexts()).map((text) => text.trim());
    assert.deepEqual(await column(page, names.indexOf('object.name') + 1), made);
    assert.deepEqual(heard.complaints, []);
    network.cut();
    await page.getByRole('alert', { name: 'Errors' }).getByText('the service could not be reached').waitFor();
    assert.deepEqual(await column(page.locator('.bo-answer'), names.indexOf('object.name') + 1), made);
    await page.getByRole('button', { name: 'New tab' }).click();
    await page.locator('.bo-answer').waitFor({ state: 'detached' });
  });
});

for (const colorScheme of ['light', 'dark']) {
  it(`axe finds nothing in what analysts see, ${colorScheme}`, async () => {
    const { page } = await open(browser, { colorScheme });
    await signIn(page, service.limited);
    await asTable(page, 'Transcripts in groups');
    await accessible(page, 'a table and a chart');
    await asTable(page, 'Companies and the people behind them');
    await page.locator('.bo-count').first().click();
    await accessible(page, 'a list within a row');
    await asTable(page, 'Registration numbers');
    await page.getByRole('alert', { name: 'Errors' }).waitFor();
    await accessible(page, 'errors in the place of a table');
    await needs(page).getByText('which you lack').waitFor();
    await page.getByRole('button', { name: 'Export…' }).click();
    await accessible(page, 'an export that lacks a scope');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Show Saved queries' }).click();
    await page.waitForTimeout(300);
    await accessible(page, 'the drawer of saved queries');
    if (colorScheme === 'dark') return;
    await page.setViewportSize({ width: 520, height: 900 });
    await accessible(page, 'a narrow window');
  });
}
