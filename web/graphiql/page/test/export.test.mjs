// A list as a file: what the page saves is what the service gives, and never a part of it.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, it } from 'node:test';
import { closeOwn, launch, onePage, open, put, service, signIn } from './browser.mjs';
import { through } from './proxy.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());
afterEach(() => closeOwn(browser));

const people = `query People { customers(orderBy: { field: NAME }) { nodes { displayName email responsible { lastName } } } }`;
const ties = `query Ties { customers(first: 40) { nodes { displayName relations { edges { direction node { kind } otherCustomer { displayName } } } } } }`;

/** Opens the dialog for a query and chooses a format. */
async function dialogFor(page, query, format) {
  await put(page, query);
  await page.getByRole('button', { name: 'Export…' }).click();
  const dialog = page.getByRole('dialog', { name: /^Export/ });
  await dialog.getByRole('radio', { name: format }).check();
  await dialog.locator('button[type=submit]:enabled').waitFor();
  return dialog;
}

// Without the browser's own dialog for files, they go to its downloads.
const withoutPicker = () => void delete globalThis.showSaveFilePicker;

const onOnePage = onePage(() => browser, service.full, { prepare: (page) => page.evaluate(withoutPicker) });
const full = (test) => onOnePage((opened) => test({ ...opened, saved: downloadsOf(opened.page) }));

function downloadsOf(page) {
  const all = [];
  page.on('download', (download) => all.push(download));
  return all;
}

/** Asks the service as another client does. */
function asked(query, where = '', headers = {}) {
  const pair = { 'x-client-id': service.full.id, 'x-client-secret': service.full.secret };
  return fetch(`${service.url}/graphql${where}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...pair, ...headers },
    body: JSON.stringify({ query }),
  });
}

/** What the service gives to another client. */
async function exported(query, address, headers = {}) {
  const response = await asked(query, `/export?${address}`, headers);
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

/** Rows of a CSV by RFC 4180. */
function parseCSV(text, separator = ',') {
  const rows = [[]];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"\\r\\n${separator}]*))(${separator}|\\r?\\n|$)`, 'y');
  while (cell.lastIndex < text.length) {
    const [whole, quoted, plain, end] = cell.exec(text) ?? assert.fail(`no CSV at ${cell.lastIndex}`);
    assert.ok(whole.length > 0);
    rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== separator && cell.lastIndex < text.length) rows.push([]);
  }
  return rows;
}

for (const [format, address, separator] of [['CSV for programs', 'format=csv', ','], ['CSV for Excel', 'format=csv&excel=on', ';']]) {
  it(`saves ${format} as the service gives it, every row of the list`, full(async ({ page, heard, saved }) => {
    const dialog = await dialogFor(page, people, format);
    await dialog.getByRole('button', { name: 'Save as a file' }).click();
    await dialog.getByText('People.csv is saved').waitFor();
    const [file] = saved;
    assert.equal(file.suggestedFilename(), 'People.csv');
    const content = await readFile(await file.path());
    assert.deepEqual(content, await exported(people, address));
    const rows = parseCSV(content.toString('utf8').replace(/^\ufeff/, ''), separator);
    assert.deepEqual(rows[0], ['displayName', 'email', 'responsible.lastName']);
    assert.ok(rows.length > 501, `${rows.length} rows: more than a page`);
    assert.ok(rows.every((row) => row.length === 3));
    assert.match(await dialog.innerText(), new RegExp(`${new Intl.NumberFormat('en').format(rows.length)} lines`));
    assert.deepEqual(heard.complaints, []);
  }));
}

it('unfolds the list within the rows into a workbook, and keeps it in JSON Lines', full(async ({ page, saved }) => {
  let dialog = await dialogFor(page, ties, 'XLSX');
  await dialog.getByLabel('All rows, not only the first 40').uncheck();
  assert.match(await dialog.innerText(), /One row for each of relations/);
  await dialog.getByRole('button', { name: 'Save as a file' }).click();
  await dialog.getByText('Ties.xlsx is saved').waitFor();
  assert.equal((await readFile(await saved[0].path())).subarray(0, 2).toString(), 'PK');
  await dialog.getByRole('button', { name: 'Close' }).click();

  dialog = await dialogFor(page, ties, 'JSON Lines');
  await dialog.getByLabel('All rows, not only the first 40').uncheck();
  await dialog.getByRole('button', { name: 'Save as a file' }).click();
  await dialog.getByText('Ties.jsonl is saved: 40 lines').waitFor();
  const content = await readFile(await saved[1].path());
  assert.deepEqual(content, await exported(ties, 'format=jsonl'));
  assert.ok(content.toString().trim().split('\n').map((line) => JSON.parse(line)).some((row) => row.relations.edges.length > 0));
}));

it('saves all rows of a query that shows some, whether values or variables say which', full(async ({ page, saved }) => {
  const whole = await exported('{ labels { nodes { name } } }', 'format=csv');
  const answered = await asked('{ labels(first: 1) { pageInfo { endCursor } } }');
  const cursor = JSON.stringify((await answered.json()).data.labels.pageInfo.endCursor);
  for (const [variables, bounds, said] of [
    ['', 'first: 2', 'the first 2'],
    ['($n: Int = 2)', 'first: $n', 'the first 2'],
    ['', `first: 2, after: ${cursor}`, 'the first 2'],
    [`($c: String = ${cursor}, $n: Int = 2)`, 'after: $c, first: $n', 'the first 2'],
    [`($c: String = ${cursor})`, 'after: $c', 'those after the query’s cursor'],
  ]) {
    const query = `query Names${variables} { labels(${bounds}) { nodes { name } } }`;
    const dialog = await dialogFor(page, query, 'CSV for programs');
    await dialog.getByLabel(`All rows, not only ${said}`).waitFor();
    await dialog.getByRole('button', { name: 'Save as a file' }).click();
    await dialog.getByText('Names.csv is saved').waitFor();
    assert.deepEqual(await readFile(await saved.pop().path()), whole, query);
    await dialog.getByRole('button', { name: 'Close' }).click();
  }
  assert.ok(parseCSV(whole.toString()).length > 3);
}));

it('saves all rows with the inner lists as they are asked for, also by the same variable', full(async (opened) => {
  const { page, saved } = opened;
  const whole = await exported('{ customers { nodes { id relations(first: 1) { nodes { id } } } } }', 'format=jsonl');
  for (const type of ['Int = 1', 'Int! = 1']) {
    const dialog = await dialogFor(page, `query Firsts($n: ${type}) { customers(first: $n) { nodes { id relations(first: $n) { nodes { id } } } } }`, 'JSON Lines');
    await dialog.getByRole('button', { name: 'Save as a file' }).click();
    await dialog.getByText('Firsts.jsonl is saved').waitFor();
    assert.ok(whole.equals(await readFile(await saved.pop().path())), type);
    await dialog.getByRole('button', { name: 'Close' }).click();
  }
}));

it('asks for a purpose when registration numbers leave, and sends it', full(async ({ page, saved }) => {
  await put(page, 'query Numbers { customers(first: 3) { nodes { displayName registrationNumber } } }');
  await page.getByRole('region', { name: 'What this query needs' }).getByText('privacy.read').waitFor();
  await page.getByRole('button', { name: 'Export…' }).click();
  const dialog = page.getByRole('dialog');
  const button = dialog.getByRole('button', { name: 'Save as a file' });
  assert.ok(await button.isDisabled());
  await dialog.getByLabel('Purpose').fill('Audit of 2026');
  const asked = page.waitForRequest((request) => request.url().includes('/graphql/export'));
  await button.click();
  assert.equal((await asked).headers()['x-access-purpose'], 'Audit of 2026');
  await dialog.getByText('Numbers.xlsx is saved').waitFor();
  assert.equal(saved.length, 1);
}));

it('says why there is no file: what cannot be exported, what a pair lacks, and what the service refuses', async () => {
  const { page } = await open(browser);
  const saved = downloadsOf(page);
  await page.evaluate(withoutPicker);
  await signIn(page, service.limited);
  const dialog = page.getByRole('dialog');
  for (const [query, said] of [
    ['{ viewer { name } }', /one list with edges or nodes/],
    ['{ customers(page: 2) { nodes { displayName } } }', /An export is forward only/],
    ['mutation { createLabel(input: { name: "x" }) { userErrors { code } } }', /Only a query/],
    ['{ customers { nodes { registrationNumber } } }', /privacy\.read, which you do not have/],
    ['{ customers { nodes { relations { totalCount nodes { id kind } } transcripts { nodes { id status } } } } }', /one kind of rows[^]*relations, transcripts/],
  ]) {
    await put(page, query);
    await page.getByRole('button', { name: 'Export…' }).click();
    await dialog.getByText(said).waitFor();
    assert.ok(await dialog.getByRole('button', { name: 'Save as a file' }).isDisabled());
    await dialog.getByRole('button', { name: 'Close' }).click();
  }
  const refused = await dialogFor(page, 'query ($page: Int = 2) { customers(page: $page) { nodes { displayName } } }', 'CSV for programs');
  await refused.getByRole('button', { name: 'Save as a file' }).click();
  await refused.getByRole('alert').getByText(/An export is forward only/).waitFor();
  assert.equal(saved.length, 0);
});

/** The page behind a network on which exports hang after some bytes. */
async function spoilt(prepare) {
  const network = await through(service.url, 20_000);
  const { page, heard } = await open(browser, { url: network.url });
  await page.evaluate(prepare);
  await signIn(page, service.full);
  return { page, heard, network, saved: downloadsOf(page) };
}

// The browser's dialog for files, as if a name was chosen: it writes where it writes for pages themselves.
const withPicker = () => {
  globalThis.showSaveFilePicker = async ({ suggestedName }) => {
    const folder = await globalThis.navigator.storage.getDirectory();
    return folder.getFileHandle(suggestedName, { create: true });
  };
};

const filesOf = (page) =>
  page.evaluate(async () => {
    const files = {};
    for await (const [name, handle] of (await globalThis.navigator.storage.getDirectory()).entries()) files[name] = await (await handle.getFile()).text();
    return files;
  });

for (const [where, prepare] of [['in the downloads', withoutPicker], ['in the file that was chosen', withPicker]]) {
  it(`tells that a stream broke, and leaves nothing of it ${where}`, async () => {
    const { page, network, saved } = await spoilt(prepare);
    const dialog = await dialogFor(page, people, 'CSV for programs');
    await dialog.getByRole('button', { name: 'Save as a file' }).click();
    await dialog.getByText(/lines, [\d.]+ kB so far/).waitFor();
    network.cut();
    assert.match(await dialog.getByRole('alert').getByText(/broke off/).innerText(), /No file was saved/);
    assert.deepEqual([saved.length, await filesOf(page)], [0, {}]);
    await network.close();
  });

  it(`cancels an export, ends the request, and leaves nothing of it ${where}`, async () => {
    const { page, heard, network, saved } = await spoilt(prepare);
    const dialog = await dialogFor(page, people, 'CSV for programs');
    await dialog.getByRole('button', { name: 'Save as a file' }).click();
    await dialog.getByText(/lines, [\d.]+ kB so far/).waitFor();
    await page.keyboard.press('Escape'); // does not close it meanwhile
    await dialog.getByRole('button', { name: 'Cancel the export' }).click();
    await dialog.getByText('Cancelled. No file was saved.').waitFor();
    assert.deepEqual([saved.length, await filesOf(page)], [0, {}]);
    for (let i = 0; network.left.length === 0 && i < 1500; i++) await new Promise((soon) => setTimeout(soon, 20));
    assert.equal(network.left.length, 1);
    assert.deepEqual(heard.complaints, []);
    await network.close();
  });
}

it('writes the file that was chosen', full(async ({ page }) => {
  await page.evaluate(withPicker);
  const dialog = await dialogFor(page, people, 'CSV for programs');
  await dialog.getByRole('button', { name: 'Save as a file' }).click();
  await dialog.getByText('People.csv is saved').waitFor();
  assert.equal((await filesOf(page))['People.csv'], (await exported(people, 'format=csv')).toString('utf8'));
  await page.evaluate(withoutPicker);
}));
