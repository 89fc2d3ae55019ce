// Saved queries: kept on the server under a name, found, shared by a link, run, and removed.
import assert from 'node:assert/strict';
import { after, afterEach, before, it } from 'node:test';
import { accessible, launch, open, put, run, service, signIn } from './browser.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

const there = (await (await fetch(`${service.url}/schema.graphqls`)).text()).includes('savedQueries:');
const skip = there ? false : 'this server does not save queries';

const drawer = (page) => page.getByRole('region', { name: 'Saved queries' });

/** Saves a query as a user does. */
async function save(page, name, query, title, description) {
  await put(page, query);
  const form = drawer(page).locator('form');
  await drawer(page).getByText('Save the query in the editor').click();
  await form.getByText(`Saved as ${name}, the operation’s name`).waitFor();
  await form.getByLabel('Title').fill(title);
  await form.getByLabel('What it answers').fill(description);
  await form.getByRole('button', { name: 'Save', exact: true }).click();
  await form.getByText(`Saved as ${name}.`).waitFor();
  await drawer(page).getByText('Save the query in the editor').click();
}

it('keeps a query, finds it, shares it by a link, runs it and removes it', { skip }, async () => {
  const { page, heard } = await open(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
  await signIn(page, service.full);
  await page.getByRole('button', { name: 'Show Saved queries' }).click();
  const companies = 'query CompaniesByName { customers(first: 3, filter: { type: COMPANY }) { nodes { displayName } } }';
  const one = 'query OneCustomer($id: ID!) { customer(id: $id) { displayName } }';
  await save(page, 'CompaniesByName', companies, 'Companies by name', 'Three of them.');
  await save(page, 'OneCustomer', one, 'One customer', 'By its identifier.');

  const items = drawer(page).locator('ul > li');
  const titles = await items.locator('strong').allInnerTexts(); // the demo has some of its own
  assert.ok(titles.includes('Companies by name') && titles.includes('One customer'), titles.join());
  await drawer(page).getByLabel('Search saved queries').fill('three');
  assert.deepEqual(await items.locator('strong').allInnerTexts(), ['Companies by name']);
  await accessible(page, 'a saved query');

  const first = drawer(page).getByRole('group', { name: 'Companies by name' });
  await put(page, 'subscription Changes { changes { noun } }'); // which another one's Run takes the place of
  const began = page.waitForResponse((response) => response.headers()['content-type']?.startsWith('text/event-stream'));
  await page.click('.graphiql-execute-button');
  await began;
  const answered = page.waitForResponse((response) => response.request().postData()?.includes('CompaniesByName') && !response.request().headers()['x-explain']?.includes('plan'));
  await first.getByRole('button', { name: 'Run' }).click();
  assert.equal((await (await answered).json()).data.customers.nodes.length, 3);

  await first.getByRole('button', { name: 'Share' }).click();
  const link = await drawer(page).getByLabel('Link').inputValue();
  assert.equal(link, `${service.url}/graphiql#saved=CompaniesByName`);
  assert.equal(await drawer(page).getByLabel('Address').inputValue(), `${service.url}/queries/CompaniesByName.xlsx`);
  await drawer(page).getByLabel('Format').selectOption('json');
  await drawer(page).getByRole('button', { name: 'Copy' }).nth(1).click();
  await drawer(page).getByText('Copied').waitFor();
  await accessible(page, 'the ways to share it');
  const address = await page.evaluate(() => globalThis.navigator.clipboard.readText());
  const response = await fetch(address, { headers: { 'x-client-id': service.full.id, 'x-client-secret': service.full.secret } });
  assert.equal(response.status, 200);
  assert.equal((await response.json()).data.customers.nodes.length, 3);

  await drawer(page).getByLabel('Search saved queries').fill('');
  const second = drawer(page).getByRole('group', { name: 'One customer' });
  assert.equal(await second.getByRole('button', { name: 'Run' }).count(), 0, 'it needs a variable first');
  await first.getByRole('button', { name: 'Share' }).click();
  await second.getByRole('button', { name: 'Share' }).click();
  assert.equal(await drawer(page).getByLabel('Address').inputValue(), `${service.url}/queries/OneCustomer.json?id=`);

  const other = await open(browser, { hash: '#saved=OneCustomer' });
  await signIn(other.page, service.limited);
  await other.page.waitForFunction(() => globalThis.document.querySelector('.graphiql-query-editor .view-lines').textContent.includes('OneCustomer'));
  await put(other.page, 'query OneCustomer { customers(first: 1) { nodes { id } } }');
  await run(other.page);
  await other.page.getByRole('button', { name: 'Sign out' }).click();
  await signIn(other.page, service.limited); // to what was written: the link's query was opened already
  await run(other.page);
  assert.equal(await other.page.locator('.graphiql-tab-button').count(), 1);
  for (const [hash, text] of [['#saved=CompaniesByName', 'CompaniesByName'], ['#worked=relations', 'behind']]) {
    await other.page.getByRole('button', { name: 'Sign out' }).click();
    await other.page.evaluate((to) => void (globalThis.location.hash = to), hash);
    await signIn(other.page, service.limited); // to a link that was opened meanwhile, beside what was written
    await other.page.locator('.graphiql-query-editor .view-line', { hasText: text }).first().waitFor();
    await run(other.page);
    assert.equal(await other.page.locator('.graphiql-tab-button').count(), 2);
  }
  assert.deepEqual(other.heard.complaints, []);

  for (const [name, title] of [['CompaniesByName', 'Companies by name'], ['OneCustomer', 'One customer']]) {
    await drawer(page).getByRole('group', { name: title }).getByRole('button', { name: 'Delete', exact: true }).click();
    await drawer(page).getByRole('button', { name: `Delete ${name}` }).click();
    await drawer(page).locator('strong', { hasText: title }).waitFor({ state: 'detached' });
  }
  assert.deepEqual(heard.complaints, []);
});

it('says what is wrong: a name that somebody else has, and a link to what is gone or cannot be loaded', { skip }, async () => {
  const { page } = await open(browser, { hash: '#saved=NotThere' });
  await signIn(page, service.full);
  await page.getByText('The link’s query is not there').waitFor();
  const away = (route) => (route.request().postData().includes('savedQueries') ? route.fulfill({ status: 503, body: '{"errors":[{"message":"the store is away"}]}' }) : route.fallback());
  await page.route('**/graphql', away);
  await page.evaluate(() => void (globalThis.location.hash = '#saved=Away'));
  await page.getByText('The link’s query could not be loaded. The store is away.').waitFor();
  await page.unroute('**/graphql', away);
  await page.getByRole('button', { name: 'Show Saved queries' }).click();
  await save(page, 'Mine', 'query Mine { viewer { name } }', 'Mine', '');

  const other = await open(browser);
  await signIn(other.page, service.limited);
  await other.page.getByRole('button', { name: 'Show Saved queries' }).click();
  await put(other.page, 'query Mine { viewer { clientId } }');
  const form = drawer(other.page).locator('form');
  await drawer(other.page).getByText('Save the query in the editor').click();
  await form.getByText('Saved as Mine, ').waitFor();
  await form.locator('button[type=submit]').click();
  assert.match(await form.getByRole('alert').locator('p').innerText(), /another query has this name/i);
  const theirs = drawer(other.page).getByRole('group', { name: 'Mine' });
  await theirs.getByRole('button', { name: 'Delete', exact: true }).click();
  await drawer(other.page).getByText(/Only the credential that saved a query/).waitFor();
  assert.equal(await drawer(other.page).getByRole('button', { name: 'Delete Mine' }).count(), 0, 'who may not is not asked whether they are sure');
  assert.equal(await drawer(other.page).locator('strong', { hasText: 'Mine' }).count(), 1);

  await drawer(page).getByRole('group', { name: 'Mine' }).getByRole('button', { name: 'Delete', exact: true }).click();
  await drawer(page).getByRole('button', { name: 'Delete Mine' }).click();
  await drawer(page).locator('strong', { hasText: 'Mine' }).waitFor({ state: 'detached' });
});
