// What analysts of an office see, in each of the page's languages: tables that tell how long their lists are, a pivot,
// variables as a form, saved queries and what they are shared as. Each state is held against axe.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { accessible, launch, open, put, run, service, signIn } from './browser.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

const restricted = { id: process.env.GRAPHIQL_TEST_RESTRICTED_ID, secret: process.env.GRAPHIQL_TEST_RESTRICTED_SECRET };

async function ask(query, variables) {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-client-id': service.full.id, 'x-client-secret': service.full.secret },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  assert.equal(errors, undefined);
  return data;
}

const saved = {
  OfficeByType: 'query OfficeByType($type: CustomerType = COMPANY, $first: Int = 3) { customers(first: $first, filter: { type: $type }) { nodes { displayName responsible { labels { name } } } } }',
  OfficeTwoLists: 'query OfficeTwoLists { customers(first: 2) { nodes { relations { nodes { id kind } } transcripts { nodes { id status } } } } }',
  OfficeOneList: 'query OfficeOneList { customers(first: 2) { nodes { id relations { nodes { id kind } } } } }',
  OfficeNone: 'query OfficeNone { viewer { name } }',
};

before(async () => {
  for (const [name, document] of Object.entries(saved)) {
    await ask('mutation($input: SaveQueryInput!) { saveQuery(input: $input) { userErrors { message } } }', { input: { name, document } });
  }
});

const languages = {
  en: {
    alone: `sees the customers of {name} alone`, table: 'Table', wide: 'Full width', copy: 'Copy for a spreadsheet', copied: 'Copied',
    pivot: 'Pivot', swap: 'Swap rows and columns', total: 'Total', form: 'Variables as a form', saved: 'Saved queries', share: 'Share',
    run: 'Run', format: 'Format', address: 'Address', exporting: 'Export…', close: 'Close', out: 'Sign out', rows: '{n} of {total} rows',
    of: 'of', more: 'or more', leaves: 'Ctrl+M, then Tab, leaves it', errors: 'Errors', joined: 'Joined in one cell: responsible.labels.',
  },
  'nl-BE': {
    alone: `ziet alleen de klanten van {name}`, table: 'Tabel', wide: 'Volle breedte', copy: 'Kopiëren voor een rekenblad', copied: 'Gekopieerd',
    pivot: 'Draaitabel', swap: 'Rijen en kolommen wisselen', total: 'Totaal', form: 'Variabelen als formulier', saved: 'Bewaarde query’s', share: 'Delen',
    run: 'Uitvoeren', format: 'Formaat', address: 'Adres', exporting: 'Exporteren…', close: 'Sluiten', out: 'Afmelden', rows: '{n} van {total} rijen',
    of: 'van', more: 'of meer', leaves: 'Ctrl+M en dan Tab verlaat hem', errors: 'Fouten', joined: 'Samen in één cel: responsible.labels.',
  },
  'fr-BE': {
    alone: `ne voit que les clients de {name}`, table: 'Tableau', wide: 'Pleine largeur', copy: 'Copier pour un tableur', copied: 'Copié',
    pivot: 'Tableau croisé', swap: 'Échanger lignes et colonnes', total: 'Total', form: 'Variables en formulaire', saved: 'Requêtes enregistrées', share: 'Partager',
    run: 'Exécuter', format: 'Format', address: 'Adresse', exporting: 'Exporter…', close: 'Fermer', out: 'Se déconnecter', rows: '{n} lignes sur {total}',
    of: 'sur', more: 'ou plus', leaves: 'Ctrl+M puis Tab permet d’en sortir', errors: 'Erreurs', joined: 'Réunis dans une cellule : responsible.labels.',
  },
};

/** The cells of a column, by the column's name. */
async function column(page, name) {
  const head = (await page.locator('.bo-table-scroll > table > thead th').allInnerTexts()).map((text) => text.trim());
  assert.ok(head.includes(name), `${name} is not among ${head}`);
  return page.locator(`.bo-table-scroll > table > tbody > tr > :is(td, th):nth-child(${head.indexOf(name) + 1})`).allInnerTexts();
}

const clipboard = async (page) => (await page.evaluate(() => globalThis.navigator.clipboard.readText())).split('\n').map((line) => line.split('\t'));

const lists = `query Lists { customers(first: 20, filter: { type: COMPANY }) { totalCount nodes {
  displayName createdAt responsible { lastName labels { name } } scopes phone email address { street postalCode city }
  relations(first: 2) { totalCount nodes { kind relatedCustomer { displayName } } }
  transcripts(first: 2) { nodes { id status progressPercentage checklist { name } customer { displayName email phone address { street postalCode city country } } } } } } }`;

async function tables(page, words, language) {
  const number = new Intl.NumberFormat(language);
  await put(page, lists);
  const { customers } = (await run(page)).body.data;
  const rows = customers.nodes;
  const button = (name) => page.getByRole('button', { name, exact: true });
  await button(words.table).click();
  await page.getByText(words.rows.replace('{n}', 20).replace('{total}', number.format(customers.totalCount)), { exact: true }).waitFor();
  const told = (shown, total) => (total > shown ? `${shown} ${words.of} ${total}` : String(total));
  const without = (cells) => cells.map((cell) => cell.replace(/ ?[▸▾]$/, ''));
  assert.deepEqual(without(await column(page, 'relations')), rows.map((row) => told(row.relations.nodes.length, row.relations.totalCount)));
  assert.deepEqual(await column(page, 'relations.totalCount'), rows.map((row) => String(row.relations.totalCount)));
  assert.deepEqual(without(await column(page, 'transcripts')), rows.map(({ transcripts: { nodes: { length } } }) => (length < 2 ? String(length) : `2 ${words.more}`)));
  assert.ok(rows.some((row) => row.relations.totalCount > 2) && rows.some((row) => row.transcripts.nodes.length === 2));
  assert.deepEqual(await column(page, 'responsible.labels.name'), rows.map((row) => row.responsible?.labels.map(({ name }) => name).join('; ') || '–'));
  assert.deepEqual(await column(page, 'scopes'), rows.map((row) => row.scopes.join('; ')));
  await accessible(page, `a table, ${language}`);
  if (language !== 'en') return;

  await button(words.copy).click();
  await page.getByText(words.copied).waitFor();
  const [head, ...lines] = await clipboard(page);
  const copied = (name) => lines.map((line) => line[head.indexOf(name)]);
  assert.deepEqual(copied('relations'), rows.map((row) => String(row.relations.totalCount)));
  assert.deepEqual(copied('transcripts'), rows.map(({ transcripts: { nodes: { length } } }) => (length < 2 ? String(length) : `2 ${words.more}`)));
  assert.deepEqual(copied('responsible.labels.name'), rows.map((row) => row.responsible?.labels.map(({ name }) => name).join('; ') ?? ''));

  const scroll = page.locator('.bo-table-scroll');
  const narrow = (await scroll.boundingBox()).width;
  await button(words.wide).click();
  const wide = (await scroll.boundingBox()).width;
  assert.ok(narrow < 500 && wide > 1250, `${narrow} and ${wide} of 1440 px`);
  await page.locator('.bo-count').last().click();
  await scroll.evaluate((element) => element.scrollTo(10_000, 10_000));
  const [inner, outer] = [await page.locator('.bo-nested-scroll').boundingBox(), await scroll.boundingBox()];
  assert.ok((await scroll.evaluate((element) => element.scrollLeft)) > 0, 'it is scrolled sideways');
  assert.ok(inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width && inner.width > 200, `${JSON.stringify(inner)} is out of sight`);
  await accessible(page, `a list within a row at full width, ${language}`);
  await button(words.wide).click();
}

async function pivots(page, words, language) {
  const number = new Intl.NumberFormat(language);
  await put(page, 'query Groups { transcriptsAggregate(groupBy: [STATUS, LANGUAGE]) { totalCount groups { keys { dimension label } count averageProgress } } }');
  const { totalCount, groups } = (await run(page)).body.data.transcriptsAggregate;
  await page.getByRole('button', { name: words.pivot, exact: true }).click();
  const of = (status, language) => groups.find(({ keys: [a, b] }) => a.label === status && b.label === language)?.count;
  const statuses = await column(page, 'Status \\ Language');
  assert.deepEqual(statuses.toSorted(), [...new Set(groups.map(({ keys: [status] }) => status.label)), words.total].toSorted());
  const shown = (n) => (n === undefined ? '–' : number.format(n));
  assert.deepEqual((await column(page, 'Dutch')).slice(0, -1), statuses.slice(0, -1).map((status) => shown(of(status, 'Dutch'))));
  assert.equal((await column(page, words.total)).at(-1), number.format(totalCount));
  await accessible(page, `a pivot, ${language}`);
  if (language !== 'en') return;
  await page.getByRole('button', { name: words.swap }).click();
  assert.equal((await column(page, 'Language \\ Status')).length, 5);
  await page.locator('.bo-table-bar select').selectOption('averageProgress');
  assert.equal(await page.getByRole('columnheader', { name: words.total, exact: true }).count(), 0, 'means have no total');
  const means = new Intl.NumberFormat(language, { maximumFractionDigits: 4 });
  const [{ keys: [status, spoken], averageProgress }] = groups;
  const at = (await column(page, 'Language \\ Status')).indexOf(spoken.label);
  assert.equal((await column(page, status.label))[at], means.format(averageProgress));

  // A customer counts in each of its scopes: these sums would be no total.
  await put(page, 'query Scopes { customersAggregate(groupBy: [SCOPE, TYPE]) { totalCount groups { keys { dimension label } count } } }');
  const scopes = (await run(page)).body.data.customersAggregate;
  assert.ok(scopes.groups.reduce((sum, { count }) => sum + count, 0) > scopes.totalCount);
  await page.locator('.bo-answer', { hasText: 'Scope' }).waitFor();
  if ((await page.locator('.bo-pivot').count()) === 0) await page.getByRole('button', { name: words.pivot, exact: true }).click();
  await page.locator('.bo-pivot').waitFor();
  assert.equal(await page.getByRole('columnheader', { name: words.total, exact: true }).count(), 0, 'scopes have no total');

  // Two users of one name have one row, in which a number would be missing, unless their identifiers are there, too.
  const { user } = await ask('{ user(id: "user-04") { firstName lastName } }');
  await ask('mutation($input: UpdateUserInput!) { updateUser(input: $input) { userErrors { message } } }', { input: { id: 'user-05', ...user } });
  for (const [keys, offered] of [['label', 0], ['value label', 1]]) {
    await put(page, `query Users { customersAggregate(groupBy: [RESPONSIBLE, TYPE]) { groups { keys { dimension ${keys} } count } } }`);
    await run(page);
    await page.locator('.bo-answer', { hasText: offered ? '(user-05)' : 'Responsible' }).waitFor();
    assert.equal(await page.getByRole('button', { name: words.pivot, exact: true }).count(), offered, keys);
  }
}

async function forms(page, words, language) {
  const some = `query Some($first: Int!, $type: CustomerType, $filter: CustomerFilter!) {
    customers(first: $first, filter: { any: [{ type: $type }, $filter] }) { nodes { type } } }`;
  await put(page, some);
  await page.getByRole('button', { name: 'Show Variables as a form' }).click();
  const form = page.getByRole('region', { name: words.form });
  await form.getByLabel('first', { exact: true }).fill('4');
  await form.getByLabel('type', { exact: true }).first().selectOption('PRIVATE_PERSON');
  await form.getByText('filter CustomerFilter!').click();
  await form.locator('#variable-filter-type').selectOption('PRIVATE_PERSON');
  await form.locator('#variable-filter-ids').fill('a\nb');
  await accessible(page, `variables as a form, ${language}`);
  if (language !== 'en') return;
  const { request, body } = await run(page);
  assert.deepEqual(request.postDataJSON().variables, { first: 4, type: 'PRIVATE_PERSON', filter: { type: 'PRIVATE_PERSON', ids: ['a', 'b'] } });
  assert.deepEqual(body.data.customers.nodes.map(({ type }) => type), Array(4).fill('PRIVATE_PERSON'));

  // An object's fields stay open while its last value goes.
  const ids = form.locator('#variable-filter-ids');
  await form.locator('#variable-filter-type').selectOption('');
  await ids.fill('');
  await page.waitForTimeout(700); // the editors are looked at after a pause
  assert.ok(await ids.isVisible());
  assert.ok(await ids.evaluate((field) => field === globalThis.document.activeElement));

  // The same query with other variables, in another tab; they may have comments.
  const shows = (value) =>
    page.waitForFunction((v) => globalThis.document.querySelector('#variable-first')?.value === v, value);
  await shows('4');
  await page.getByRole('button', { name: 'New tab' }).click();
  await put(page, some);
  await page.evaluate((text) => {
    globalThis.__MONACO.editor.getModels().find((m) => m.uri.path.endsWith('variables.json')).setValue(text);
  }, '{\n  // three of them\n  "first": 3,\n}');
  await shows('3');
  await page.locator('.graphiql-tab-button').first().click();
  await shows('4');
  assert.equal(await form.getByLabel('type', { exact: true }).first().inputValue(), 'PRIVATE_PERSON');
}

async function shares(page, words, language) {
  await page.getByRole('button', { name: 'Show Saved queries' }).click();
  const drawer = page.getByRole('region', { name: words.saved });
  const offered = async (name) => {
    const item = drawer.locator('li', { has: page.getByRole('group', { name }) });
    await item.getByRole('button', { name: words.share }).click();
    const found = { formats: await item.getByLabel(words.format).locator('option').allInnerTexts(), address: await item.getByLabel(words.address).inputValue() };
    if (name === 'OfficeOneList') await accessible(page, `the ways to share a query, ${language}`);
    await item.getByRole('button', { name: words.share }).click();
    return found;
  };
  const all = ['xlsx', 'csv', 'jsonl', 'json'];
  const one = await offered('OfficeOneList');
  assert.deepEqual(one.formats, all);
  if (language !== 'en') return;
  const found = { byType: await offered('OfficeByType'), one };
  assert.deepEqual(found.byType.formats, all);
  assert.deepEqual((await offered('OfficeTwoLists')).formats, ['jsonl', 'json']);
  assert.deepEqual((await offered('OfficeNone')).formats, ['json']);
  for (const { address } of Object.values(found)) {
    const response = await fetch(address, { headers: { 'x-client-id': service.full.id, 'x-client-secret': service.full.secret } });
    const { status, headers } = response;
    await response.arrayBuffer(); // a second export at one time is refused
    assert.equal(`${status} ${headers.get('content-type')}`, '200 application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', address);
  }
  const answered = page.waitForResponse((response) => response.request().postData()?.includes('OfficeByType') && response.request().headers()['x-explain'] === 'true');
  await drawer.getByRole('group', { name: 'OfficeByType' }).getByRole('button', { name: words.run, exact: true }).click();
  const response = await answered;
  assert.deepEqual(response.request().postDataJSON().variables, { type: 'COMPANY', first: 3 });
  assert.equal((await response.json()).data.customers.nodes.length, 3);
}

async function exportsOf(page, words, language) {
  await put(page, saved.OfficeByType);
  await page.getByRole('button', { name: words.exporting }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(words.joined).waitFor();
  await accessible(page, `an export that joins a list, ${language}`);
  await dialog.locator('select').selectOption('responsible.labels');
  assert.equal(await dialog.getByText(words.joined).count(), 0);
  await dialog.getByRole('button', { name: words.close }).click();
}

// In one browser at one time: each is in a context of its own.
describe('the page', { concurrency: true }, () => {
  for (const [language, words] of Object.entries(languages)) {
    it(`shows an office its own language, ${language}`, async () => {
      const { page, heard } = await open(browser, { locale: language, permissions: ['clipboard-read', 'clipboard-write'] });
      assert.equal(await page.locator('html').getAttribute('lang'), language.slice(0, 2));
      await accessible(page, `signed out, ${language}`);
      await signIn(page, restricted);
      const { user } = await ask('{ user(id: "user-01") { displayName } }');
      await page.getByRole('banner').getByText(words.alone.replace('{name}', user.displayName), { exact: true }).waitFor();
      assert.equal(await page.locator('.bo-skip').evaluate((link) => link.textContent.includes('Ctrl+M')), true);
      const editor = page.getByRole('textbox', { name: words.leaves }).first();
      await editor.press('Control+m');
      await editor.press('Tab');
      assert.equal(await editor.evaluate((element) => element === globalThis.document.activeElement), false, 'Ctrl+M, then Tab, leaves the editor');
      await accessible(page, `restricted, ${language}`);
      await page.getByRole('button', { name: words.out }).click();
      await signIn(page, service.full);
      assert.equal(await page.locator('.bo-restriction').count(), 0);
      await put(page, '{ customers(first: 600) { nodes { id } } }');
      await run(page);
      await page.getByRole('button', { name: words.table, exact: true }).click();
      await page.getByRole('alert', { name: words.errors }).waitFor();
      await accessible(page, `errors, ${language}`);
      await tables(page, words, language);
      await pivots(page, words, language);
      await forms(page, words, language);
      await shares(page, words, language);
      await exportsOf(page, words, language);
      if (language === 'en') {
        await page.getByLabel('Language of this page').selectOption('fr');
        await page.getByRole('button', { name: 'Se déconnecter' }).waitFor();
        await page.reload();
        await page.getByRole('button', { name: 'Se connecter' }).waitFor();
        assert.deepEqual(await page.evaluate(() => ({ ...globalThis.localStorage })), { 'backoffice:language': 'fr' });
      }
      assert.deepEqual(heard.complaints, []);
      await page.context().close();
    });
  }
});
