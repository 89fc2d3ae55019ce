// The page in a real browser against a running service. `go test ./web/graphiql` starts that service with demo data and
// runs this file; see browser.mjs for what it needs of the environment.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, describe, it } from 'node:test';
import {
  accessible, closeOwn, insert, isPlan, kept, launch, onePage, open, openWorked, put, realOffice, run, service, signIn,
  typePair,
} from './browser.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());
afterEach(() => closeOwn(browser));

const full = onePage(() => browser, service.full);
const real = onePage(() => browser, realOffice.full, { url: realOffice.url });

describe('signing in', () => {
  it('asks the service nothing before, and shows the name and the scopes after', async () => {
    const { page, heard } = await open(browser);
    await page.waitForLoadState('networkidle');
    const asked = () => heard.requests.filter((r) => r.url().endsWith('/graphql'));
    assert.equal(asked().length, 0);

    await signIn(page, service.limited);
    assert.match(asked()[0].postData(), /viewer/);
    const scopes = page.getByRole('list', { name: 'Scopes' });
    assert.match(await page.getByRole('banner').innerText(), new RegExp(service.limited.id));
    assert.deepEqual(await scopes.getByRole('listitem').allTextContents(), [
      'not privacy.read',
      'customers.write',
      'pti.write',
      'minfin.read',
      'settings.write',
      'users.write',
    ]);
    assert.deepEqual(heard.complaints, []);
  });

  it('works by keyboard alone, from the first field to the answer', async () => {
    const { page } = await open(browser);
    await page.keyboard.type(service.full.id);
    await page.keyboard.press('Tab');
    await page.keyboard.type(service.full.secret);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.graphiql-query-editor .view-line');
    await inEditor(page); // without a key being pressed
    await page.keyboard.press('Control+Enter');
    await page.waitForSelector('.bo-cost dl');
  });

  it('lets the keyboard skip the frame', async () => {
    const { page } = await open(browser);
    await signIn(page, service.full);
    await inEditor(page);
    const skip = page.getByRole('link', { name: 'Skip to the query editor' });
    assert.ok(await skip.evaluate((link) => link === globalThis.document.querySelector('a, button, input, textarea, [tabindex]')));
    await skip.focus();
    assert.ok((await skip.boundingBox()).y >= 0 && (await skip.evaluate((e) => globalThis.getComputedStyle(e).clipPath)) === 'none');
    const address = page.url();
    await page.keyboard.press('Enter');
    await inEditor(page);
    assert.equal(page.url(), address);
  });

  it('tells that the secret is wrong, keeps the id, and lets the right one in', async () => {
    const { page } = await open(browser);
    await typePair(page, { id: service.full.id, secret: 'not-the-secret' });
    assert.match(await page.getByRole('alert').innerText(), /client id or the secret is wrong/);
    assert.equal(await page.inputValue('#client-id'), service.full.id);
    await signIn(page, service.full);
  });

  it('refuses a secret that no header can hold with the same words', async () => {
    const { page } = await open(browser);
    await typePair(page, { id: service.full.id, secret: 'geheim…' });
    assert.match(await page.getByRole('alert').innerText(), /client id or the secret is wrong/);
  });
});

describe('asking', () => {
  it('opens with the worked query of the link, answers it and tells the cost', async (t) => {
    const start = performance.now();
    const { page, heard } = await open(browser, { hash: '#worked=relations' });
    await signIn(page, service.full);
    const { status, body } = await run(page);
    t.diagnostic(`from opening to the first answer: ${Math.round(performance.now() - start)} ms`);
    assert.equal(status, 200);
    assert.equal(body.errors, undefined);
    assert.ok(body.data.customers.nodes.length > 0);

    const { cost } = body.extensions;
    const told = await page.getByRole('status', { name: 'What the query cost' }).innerText();
    const number = new Intl.NumberFormat('en');
    for (const figure of [cost.cost, cost.limit, cost.depth, cost.storeCalls]) {
      assert.ok(told.includes(number.format(figure)), `${figure} in: ${told}`);
    }
    assert.deepEqual(heard.complaints, []);
  });

  it('says that the worked query of a link is not there, at once and when the address changes', async () => {
    const { page, heard } = await open(browser, { hash: '#worked=nope' });
    await signIn(page, service.full);
    const said = page.getByText('The link’s query is not there');
    await said.waitFor();
    await run(page);
    await said.waitFor({ state: 'detached' });
    await page.evaluate(() => void (globalThis.location.hash = '#worked=relations'));
    await page.waitForFunction(() => globalThis.document.querySelector('.graphiql-query-editor .view-lines')?.textContent.includes('relations'));
    assert.equal(await said.count(), 0);
    await page.evaluate(() => void (globalThis.location.hash = '#worked=gone'));
    await said.waitFor();
    assert.deepEqual(heard.complaints, []);
  });

  it('has the way out beside who is signed in, in a window of a tablet', async () => {
    const { page } = await open(browser, { viewport: { width: 768, height: 1024 } });
    await signIn(page, service.full);
    const [who, out] = [await page.locator('.bo-viewer').boundingBox(), await page.getByRole('button', { name: 'Sign out' }).boundingBox()];
    assert.ok(out.x >= who.x + who.width && out.y < who.y + who.height, `${JSON.stringify(who)} and ${JSON.stringify(out)}`);
  });

  it('completes and marks what is typed, by the schema', full(async ({ page, heard }) => {
    await page.getByRole('button', { name: 'New tab' }).click();
    await page.focus('.graphiql-query-editor textarea');
    await page.keyboard.type('query Mine { viewer { nam');
    const suggested = page.locator('.suggest-widget .monaco-list-row', { hasText: 'name' }).first();
    // What is typed before the schema has reached the worker suggests nothing: it is asked for again, as a user would.
    for (let asked = 0; asked < 6 && !(await suggested.isVisible()); asked++) {
      await suggested.waitFor({ timeout: 10_000 }).catch(() => page.keyboard.press('Control+Space'));
    }
    await suggested.waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.type('less } }');
    // The editor draws its marks anew as it likes, and one that is no longer of the page has no style.
    await page.waitForFunction(() => {
      const mark = globalThis.document.querySelector('.graphiql-query-editor .squiggly-error');
      return mark && globalThis.getComputedStyle(mark).backgroundImage.startsWith('url("data:image');
    });
    assert.deepEqual(heard.complaints, []);
  }));

  it('builds a query in the explorer', full(async ({ page }) => {
    await page.getByRole('button', { name: 'New tab' }).click();
    await page.getByLabel('Language of this page').selectOption('fr');
    await page.getByRole('button', { name: 'Show GraphiQL Explorer' }).click();
    await page.getByLabel('Type d’opération à ajouter').waitFor();
    await page.locator('[data-field-name=viewer]').click();
    await page.locator('[data-field-name=clientId]').click();
    await page.waitForFunction(() =>
      globalThis.document.querySelector('.graphiql-query-editor .view-lines').textContent.includes('clientId'),
    );
    const { body } = await run(page);
    assert.equal(body.data.viewer.clientId, service.full.id);
    await page.getByLabel('Langue de cette page').selectOption('en');
    await page.getByRole('button', { name: 'Show Worked queries' }).click();
  }));

  it('sends the purpose, and says when the service would refuse it', full(async ({ page }) => {
    await put(page, '{ viewer { name } }');
    const purpose = page.getByLabel('Purpose');
    await purpose.fill('Contrôle annuel');
    const { request } = await run(page);
    const sent = Buffer.from((await request.allHeaders())['x-access-purpose'], 'latin1').toString('utf8');
    assert.equal(sent, 'Contrôle annuel');

    await purpose.fill('about 123456789');
    assert.match(await page.getByRole('alert').filter({ hasText: 'number' }).innerText(), /No long numbers/);
    assert.equal(await purpose.getAttribute('aria-invalid'), 'true');
    await purpose.fill('x'.repeat(300));
    assert.equal((await purpose.inputValue()).length, 200);
  }));

  it('names the scope that is missing', async () => {
    const { page } = await open(browser);
    await signIn(page, service.limited);
    await openWorked(page, 'Registration numbers');
    const { body } = await run(page);
    assert.equal(body.errors[0].extensions.requiredScope, 'privacy.read');
    const notice = page.locator('.bo-notice');
    assert.match(await notice.innerText(), /Needs scope privacy\.read/);
    await page.getByRole('button', { name: 'Dismiss this notice' }).click();
    assert.equal(await notice.count(), 0);
  });

  it('says when the service cannot be reached, and when its answer is none', full(async ({ page }) => {
    await put(page, '{ viewer { name } }');
    // A refusal that no scope would lift.
    const refused = { errors: [{ message: 'deleting is for others', extensions: { code: 'FORBIDDEN' } }] };
    for (const [fail, said] of [
      [(route) => route.abort(), /cannot be reached/],
      [(route) => route.fulfill({ status: 401, body: '{"errors":[{"message":"x"}]}' }), /no longer accepted[^]*Sign in again/],
      [(route) => route.fulfill({ status: 503, headers: { 'retry-after': '1' }, body: '' }), /Try again in 1 second /],
      [(route) => route.fulfill({ json: refused }), /Refused\. Deleting is for others\./],
    ]) {
      await page.route('**/graphql', fail);
      await page.click('.graphiql-execute-button');
      await page.locator('.bo-notice', { hasText: said }).waitFor();
      await page.unroute('**/graphql');
    }
    await run(page);
    assert.equal(await page.locator('.bo-notice').count(), 0);

    // The look-up of a worked query's variables, too: that it failed is not that nothing fits.
    await page.route('**/graphql', (route) => route.fulfill({ status: 503, body: '' }));
    await openWorked(page, 'Any object by its identifier');
    await page.locator('.bo-notice', { hasText: /Not available right now/ }).waitFor();
    await page.unroute('**/graphql');
  }));

  it('follows a subscription, tells each answer as it comes, and stops', full(async ({ page, heard }) => {
    await openWorked(page, 'Changes as they come');
    const began = page.waitForResponse((response) => response.headers()['content-type']?.startsWith('text/event-stream'));
    await page.click('.graphiql-execute-button');
    await began;
    for (const name of ['Told first', 'Told second']) {
      const query = `mutation { createLabel(input: { name: "${name} ${Date.now()}" }) { label { id } userErrors { code } } }`;
      const headers = { 'x-client-id': service.full.id, 'x-client-secret': service.full.secret };
      const made = await (await page.request.post(`${service.url}/graphql`, { headers, data: { query } })).json();
      assert.deepEqual(made.data.createLabel.userErrors, []);
      await page.locator('.result-window', { hasText: name }).waitFor();
    }
    assert.match(await page.getByRole('status', { name: 'What the query cost' }).innerText(), /Cost/);
    const ended = page.waitForEvent('requestfailed');
    await page.click('.graphiql-execute-button');
    await ended;
    assert.deepEqual(heard.complaints, []);
  }));

  it('stops what runs when its tab is left or has another query, and when its user signs out', async () => {
    const { page, heard } = await open(browser);
    await signIn(page, service.full);
    for (const button of ['New tab', /^Search by a part of the name/, 'Sign out']) {
      await openWorked(page, 'Changes as they come');
      const began = page.waitForResponse((response) => response.headers()['content-type']?.startsWith('text/event-stream'));
      await page.click('.graphiql-execute-button');
      await began;
      const ended = page.waitForEvent('requestfailed');
      await page.getByRole('button', { name: button }).click();
      await ended;
    }
    assert.deepEqual(heard.complaints, []);
  });

  it('shows no answer under another query than its own', full(async ({ page }) => {
    await openWorked(page, 'Companies and the people behind them');
    await page.getByRole('button', { name: 'New tab' }).click();
    const tabs = page.locator('.graphiql-tab-button');
    await tabs.first().click();
    await run(page);
    await openWorked(page, 'Search by a part of the name');
    await tabs.last().click();
    await tabs.first().click();
    await page.locator('.graphiql-query-editor .view-line', { hasText: 'Search' }).first().waitFor();
    assert.equal((await page.locator('.result-window .view-lines').innerText()).trim(), '');
  }));

  it('opens another query beside variables that were filled in', full(async ({ page }) => {
    await openWorked(page, 'Search by a part of the name');
    await page.evaluate(() => globalThis.__MONACO.editor.getModels().find((m) => m.uri.path.endsWith('variables.json')).setValue('{"text": "mine"}'));
    await openWorked(page, 'Registration numbers');
    await page.locator('.graphiql-tab-button').first().click();
    await page.locator('[aria-label=Variables] .view-lines', { hasText: 'mine' }).waitFor();

    // A look-up that a later click overtook opens nothing.
    const isLookUp = (request) => request.postData()?.includes('{ transcripts(first: 1) { nodes { id } } }');
    let answer;
    const held = new Promise((go) => (answer = go));
    await page.route('**/graphql', async (route) => {
      if (isLookUp(route.request())) await held;
      await route.fallback();
    });
    await page.getByText('Any object by its identifier', { exact: true }).click();
    await openWorked(page, 'Registration numbers');
    const answered = page.waitForResponse((response) => isLookUp(response.request()));
    answer();
    await answered;
    await page.waitForTimeout(300);
    assert.match(await page.locator('.graphiql-query-editor .view-lines').innerText(), /Registration.numbers/);
  }));

  it('answers every worked query, those that write in the order in which they teach', full(async ({ page, heard }) => {
    const drawer = page.getByRole('region', { name: 'Worked queries' });
    const titles = await drawer.locator('li button strong').allInnerTexts();
    assert.ok(titles.length >= 12);
    for (const title of titles) {
      if (title === 'Changes as they come') continue; // a subscription, which has no end
      await openWorked(page, title);
      assert.equal(await page.locator('.bo-notice').count(), 0, `${title}: found what it needs`);
      const { status, body } = await run(page);
      assert.equal(status, 200, title);
      assert.equal(body.errors, undefined, `${title}: ${JSON.stringify(body.errors)}`);
      const [result] = Object.values(body.data);
      const wrong = [...new Set((result?.userErrors ?? []).map((e) => e.code))];
      assert.deepEqual(wrong, /( a user|^Merge two customers|^Note a discrepancy)$/.test(title) ? ['NOT_FOUND'] : [], title);
    }
    assert.deepEqual(heard.complaints, []);
  }));
});

describe('what leads to real records', () => {
  it('makes a link of each downloadPath, in the answer and below it', full(async ({ page, heard }) => {
    await openWorked(page, "A customer's documents");
    const { body } = await run(page);
    const files = body.data.customers.nodes.flatMap((customer) => customer.documents.nodes);
    assert.ok(files.length > 8, `${files.length} files`);

    const below = page.getByRole('navigation', { name: 'Files in the answer' });
    const links = below.getByRole('link');
    assert.deepEqual(await links.allInnerTexts(), files.slice(0, 8).map((file) => file.name));
    assert.match(await below.innerText(), new RegExp(`and ${files.length - 8} more`));
    const saved = page.waitForEvent('download');
    await links.first().click();
    await isDocument(await saved);

    const inAnswer = page.locator('.result-window .detected-link').first();
    await inAnswer.waitFor();
    const opened = page.context().waitForEvent('response', (response) => response.url().includes('/files/'));
    await inAnswer.click({ modifiers: ['Control'], position: { x: 30, y: 8 } });
    const paths = files.map((file) => service.url + file.file.downloadPath); // the editor's lines are in no order
    assert.ok(paths.includes((await opened).url()), (await opened).url());
    assert.equal((await opened).status(), 200);

    const cost = page.getByRole('status', { name: 'What the query cost' });
    await page.getByRole('button', { name: 'New tab' }).click();
    await below.waitFor({ state: 'detached' }); // they are of the other tab
    await cost.getByText('Run a query').waitFor();
    await page.locator('.graphiql-tab-button').first().click();
    await below.waitFor();
    await cost.getByText('Store calls').waitFor();
    assert.deepEqual(heard.complaints, []);
  }));

  it('never puts one into a worked query that writes, unless the store is a demo’s', real(async ({ page }) => {
    const records = await identifiers();
    assert.ok(records.length > 10);
    const writing = page.getByRole('region', { name: 'Writing', exact: true }).locator('li button strong');
    const titles = await writing.allInnerTexts();
    assert.ok(titles.length >= 10);
    let mine = [];
    for (const title of titles) {
      await openWorked(page, title);
      const variables = JSON.parse(await page.evaluate(() => globalThis.__MONACO.editor.getModels().find((m) => m.uri.path.endsWith('variables.json')).getValue()));
      const filled = strings(variables);
      assert.deepEqual(filled.filter((value) => records.includes(value)), [], title);
      // What the worked queries made themselves, they go on with; of the others the notice says what is to be done.
      const asks = await page.locator('.bo-notice').allInnerTexts();
      if (filled.includes('')) assert.match(asks.join(), /real records: fill in the identifiers|: this query (works on|undoes)/, title);
      if (/^(Create a customer|Change a customer)$/.test(title)) {
        const { body } = await run(page);
        const [result] = Object.values(body.data);
        assert.deepEqual(result.userErrors, [], title);
        mine.push(result.customer.id);
      }
      if (title === 'Delete a customer') assert.ok(filled.includes(mine[0]), 'it does not go on with its own customer');
    }
    assert.deepEqual(new Set(mine).size, 1);
  }));

  it('asks the questions of an office about its own years', real(async ({ page }) => {
    for (const [title, isCurrentYear] of [['Who has no transcript this year', true], ["All of last year's transcripts", false]]) {
      await openWorked(page, title);
      const { year } = (await run(page)).request.postDataJSON().variables;
      await put(page, 'query Year($year: ID!) { financialYear(id: $year) { startDate isCurrentYear } }');
      assert.deepEqual((await run(page)).body.data.financialYear, { startDate: isCurrentYear ? '2027' : '2026', isCurrentYear });
    }
  }));
});

async function inEditor(page) {
  await page.waitForFunction(() => globalThis.document.activeElement.closest('.graphiql-query-editor') !== null);
}

async function isDocument(download) {
  const bytes = await readFile(await download.path());
  assert.equal(bytes.subarray(0, 5).toString(), '%PDF-');
}

function strings(value) {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
}

/** The identifiers of everything in the store that is no demo's, as another client reads them. */
async function identifiers() {
  const query = `{ customers { nodes { id relations { nodes { id } } } } transcripts { nodes { id } }
    financialYears { nodes { id checklists { nodes { id } } } } users { nodes { id } } labels { nodes { id } } }`;
  const response = await fetch(`${realOffice.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-client-id': realOffice.full.id, 'x-client-secret': realOffice.full.secret },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = await response.json();
  assert.equal(errors, undefined, JSON.stringify(errors));
  return strings(data);
}

describe('what is left behind', () => {
  it('is nothing: no outside request, nothing stored, nothing in the history, no number after a reload', async () => {
    const { page, heard } = await open(browser);
    const before = { ...(await kept(page)), length: await page.evaluate(() => globalThis.history.length) };
    await signIn(page, service.full);
    await openWorked(page, 'Registration numbers');
    const { body } = await run(page);
    const number = body.data.customers.nodes.map((n) => n.registrationNumber).find(Boolean);
    assert.match(number, /^\d{11}$/);
    await page.locator('.result-window .view-line', { hasText: number }).first().waitFor();
    await page.getByRole('button', { name: 'New tab' }).click();

    assert.deepEqual({ ...(await kept(page)), length: await page.evaluate(() => globalThis.history.length) }, before);
    assert.deepEqual(before.local, {});
    assert.deepEqual(before.session, {});
    assert.equal(before.address, `${service.url}/graphiql`);

    await page.reload();
    await page.waitForSelector('#client-id');
    await gone(page, number);
    for (const request of heard.requests) {
      assert.ok(request.url().startsWith(`${service.url}/graph`), request.url());
      for (const secret of [number, service.full.id, service.full.secret]) {
        assert.ok(!request.url().includes(secret), 'an address holds a secret');
      }
    }
    assert.deepEqual(heard.complaints, []);
  });

  it('is what was written, for signing in again within the page', async () => {
    const { page, heard } = await open(browser);
    await signIn(page, service.full);
    await openWorked(page, 'Search by a part of the name');
    await page.getByRole('button', { name: 'New tab' }).click();
    await insert(page, 'query Mine { viewer { name } }');
    await page.getByRole('button', { name: 'New tab' }).click();
    await insert(page, 'query Last { viewer { clientId } }');
    await insert(page, '{"unused": "kept as well"}', 'variables');
    await run(page);
    const refuse = (route) => (isPlan(route.request()) ? route.fallback() : route.fulfill({ status: 401, body: '{"errors":[{"message":"x"}]}' }));
    await page.route('**/graphql', refuse);
    await page.click('.graphiql-execute-button');
    await page.getByRole('button', { name: 'Sign in again' }).waitFor();
    await page.unroute('**/graphql', refuse);
    await page.getByRole('button', { name: 'Sign in again' }).click();

    await page.waitForSelector('#client-id');
    assert.match(await page.locator('.bo-kept').innerText(), /2 tabs/);
    await accessible(page, 'signed out, with what was written');
    await signIn(page, service.limited);
    const tabs = page.locator('.graphiql-tab-button');
    await page.locator('.graphiql-query-editor .view-line', { hasText: 'clientId' }).waitFor();
    assert.deepEqual(await tabs.allInnerTexts(), ['Search', 'Mine', 'Last']);
    assert.equal(await tabs.nth(2).getAttribute('aria-current'), 'true');
    assert.match(await page.locator('[aria-label=Variables] .view-lines').innerText(), /kept.as.well/);
    assert.equal((await run(page)).body.data.viewer.clientId, service.limited.id);
    await tabs.nth(1).click();
    await page.locator('.graphiql-query-editor .view-line', { hasText: 'name' }).waitFor();
    assert.equal((await run(page)).body.data.viewer.name, 'Without privacy.read');

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Discard them' }).click();
    assert.equal(await page.locator('.bo-kept').count(), 0);
    await signIn(page, service.limited);
    assert.equal(await tabs.count(), 1);
    assert.deepEqual(heard.complaints, []);
  });

  it('is asked about before the page goes, if there is something that was written', async () => {
    const { page } = await open(browser);
    const asked = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await signIn(page, service.full);
    await openWorked(page, 'Search by a part of the name');
    await page.reload();
    assert.deepEqual(asked, []); // a worked query is found again
    await signIn(page, service.full);
    await page.focus('.graphiql-query-editor textarea');
    await page.keyboard.insertText('# mine');
    await page.reload();
    assert.deepEqual(asked, ['beforeunload']);
    await signIn(page, service.full);
    await page.focus('.graphiql-query-editor textarea');
    await page.keyboard.insertText('# mine');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForSelector('.bo-kept');
    await page.reload();
    assert.deepEqual(asked, ['beforeunload', 'beforeunload']);
    await page.waitForSelector('#client-id');
    assert.equal(await page.locator('.bo-kept').count(), 0);
  });

  it('is no answer and no credential after signing out', async () => {
    const { page } = await open(browser);
    await signIn(page, service.full);
    await openWorked(page, 'Registration numbers');
    const { body } = await run(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForSelector('#client-id');
    await gone(page, body.data.customers.nodes.map((n) => n.registrationNumber).find(Boolean));

    await signIn(page, service.limited);
    assert.equal(await page.locator('.graphiql-tab').count(), 1);
    assert.equal((await page.locator('.result-window .view-lines').innerText()).trim(), '');
    assert.equal(await page.inputValue('#purpose'), '');
  });
});

async function gone(page, number) {
  const html = await page.content();
  for (const secret of [number, service.full.id, service.full.secret]) assert.ok(!html.includes(secret));
  assert.equal(await page.inputValue('#client-id'), '');
  assert.equal(await page.inputValue('#client-secret'), '');
}

// Dark is looked at where its colours are: the markup is the same.
for (const colorScheme of ['light', 'dark']) {
  it(`axe finds nothing in the page, ${colorScheme}`, async () => {
    const { page } = await open(browser, { colorScheme });
    if (colorScheme === 'light') await accessible(page, 'signed out');
    await typePair(page, { id: service.limited.id, secret: 'not-the-secret' });
    await page.waitForSelector('.bo-notice');
    await accessible(page, 'wrong secret');
    await signIn(page, service.limited);
    await accessible(page, 'signed in, with the drawer');
    await page.getByRole('button', { name: 'New tab' }).click();
    if (colorScheme === 'light') await accessible(page, 'two tabs');
    await page.locator('.graphiql-tab-button').first().click();
    await run(page);
    for (const panel of ['Show Documentation Explorer', 'Show GraphiQL Explorer']) {
      await page.getByRole('button', { name: panel }).click();
      await page.waitForTimeout(300); // the panel fades in
      await accessible(page, panel);
    }
    await page.getByRole('button', { name: 'Show Worked queries' }).click();
    for (const dialog of colorScheme === 'light' ? ['Open settings dialog', 'Open short keys dialog'] : []) {
      await page.getByRole('button', { name: dialog }).click();
      await page.getByRole('dialog').waitFor();
      await page.waitForTimeout(300);
      await accessible(page, dialog);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await openWorked(page, 'Registration numbers');
    await run(page);
    await page.waitForSelector('.bo-notice');
    await page.fill('#purpose', '123456789');
    await accessible(page, 'a missing scope and a purpose to mend');
    if (colorScheme === 'dark') return;
    await page.setViewportSize({ width: 520, height: 900 });
    await accessible(page, 'a narrow window');
  });
}

it('shows the run button in high contrast', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const { page } = await open(browser, { forcedColors: 'active', colorScheme });
    await signIn(page, service.full);
    const picture = (await page.locator('.graphiql-execute-button').screenshot()).toString('base64');
    // How much of the button has another colour than its ground: the triangle is a tenth of it.
    const share = await page.evaluate(async (base64) => {
      const image = new globalThis.Image();
      image.src = `data:image/png;base64,${base64}`;
      await image.decode();
      const canvas = globalThis.document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(4, 4, image.width - 8, image.height - 8);
      let other = 0;
      for (let i = 0; i < data.length; i += 4) {
        const distance = [0, 1, 2].reduce((sum, c) => sum + Math.abs(data[i + c] - data[c]), 0);
        if (distance > 380) other++;
      }
      return other / (data.length / 4);
    }, picture);
    assert.ok(share > 0.04 && share < 0.5, `${colorScheme}: ${share}`);
  }
});

// The last, since it uses up this address's failed sign-ins.
it('tells when to try again after too many wrong secrets', async () => {
  const { page } = await open(browser);
  let said = '';
  for (let attempt = 0; attempt < 15 && !said.includes('Too many'); attempt++) {
    const answered = page.waitForResponse((response) => response.url().endsWith('/graphql'));
    await typePair(page, { id: service.full.id, secret: 'not-the-secret' });
    await answered;
    said = await page.locator('.bo-notice').innerText();
  }
  assert.match(said, /Too many failed attempts\. Try again in \d+ seconds? \(at /);
  await signIn(page, service.full); // a right secret is never slowed
});
