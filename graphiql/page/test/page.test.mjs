// The page in a real browser against a running service. `go test ./graphiql` starts that service with demo data and
// runs this file; see browser.mjs for what it needs of the environment.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { accessible, kept, launch, open, openWorked, run, service, signIn, typePair } from './browser.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

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
    await page.focus('.graphiql-query-editor textarea');
    await page.keyboard.press('Control+Enter');
    await page.waitForSelector('.bo-cost dl');
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

  it('completes and marks what is typed, by the schema', async () => {
    const { page, heard } = await open(browser);
    await signIn(page, service.full);
    await page.getByRole('button', { name: 'New tab' }).click();
    await page.focus('.graphiql-query-editor textarea');
    await page.keyboard.type('query Mine { viewer { nam');
    await page.locator('.suggest-widget .monaco-list-row', { hasText: 'name' }).first().waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.type('less } }');
    const mark = page.locator('.graphiql-query-editor .squiggly-error').first();
    await mark.waitFor();
    assert.match(await mark.evaluate((e) => globalThis.getComputedStyle(e).backgroundImage), /^url\("data:image/);
    assert.deepEqual(heard.complaints, []);
  });

  it('builds a query in the explorer', async () => {
    const { page } = await open(browser);
    await signIn(page, service.full);
    await page.getByRole('button', { name: 'New tab' }).click();
    await page.getByRole('button', { name: 'Show GraphiQL Explorer' }).click();
    await page.locator('[data-field-name=viewer]').click();
    await page.locator('[data-field-name=clientId]').click();
    await page.waitForFunction(() =>
      globalThis.document.querySelector('.graphiql-query-editor .view-lines').textContent.includes('clientId'),
    );
    const { body } = await run(page);
    assert.equal(body.data.viewer.clientId, service.full.id);
  });

  it('sends the purpose, and says when the service would refuse it', async () => {
    const { page } = await open(browser);
    await signIn(page, service.full);
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
  });

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

  it('says when the service cannot be reached, and when its answer is none', async () => {
    const { page } = await open(browser);
    await signIn(page, service.full);
    for (const [fail, said] of [
      [(route) => route.abort(), /cannot be reached/],
      [(route) => route.fulfill({ status: 401, body: '{"errors":[{"message":"x"}]}' }), /no longer accepted/],
      [(route) => route.fulfill({ status: 503, headers: { 'retry-after': '1' }, body: '' }), /Try again in 1 second /],
    ]) {
      await page.route('**/graphql', fail);
      await page.click('.graphiql-execute-button');
      await page.locator('.bo-notice', { hasText: said }).waitFor();
      await page.unroute('**/graphql');
    }
    await run(page);
    assert.equal(await page.locator('.bo-notice').count(), 0);
  });

  it('answers every worked query, those that write in the order in which they teach', async () => {
    const { page, heard } = await open(browser);
    await signIn(page, service.full);
    const drawer = page.getByRole('region', { name: 'Worked queries' });
    const titles = await drawer.locator('li button strong').allInnerTexts();
    assert.ok(titles.length >= 12);
    for (const title of titles) {
      await openWorked(page, title);
      assert.equal(await page.locator('.bo-notice').count(), 0, `${title}: found what it needs`);
      const { status, body } = await run(page);
      assert.equal(status, 200, title);
      assert.equal(body.errors, undefined, `${title}: ${JSON.stringify(body.errors)}`);
      const [result] = Object.values(body.data);
      const wrong = (result?.userErrors ?? []).map((e) => e.code);
      assert.deepEqual(wrong, / a user$/.test(title) ? ['NOT_FOUND'] : [], title);
    }
    assert.deepEqual(heard.complaints, []);
  });
});

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

  it('is nothing after signing out: tabs, results and credentials are gone', async () => {
    const { page } = await open(browser);
    await signIn(page, service.full);
    await openWorked(page, 'Registration numbers');
    const { body } = await run(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForSelector('#client-id');
    await gone(page, body.data.customers.nodes.map((n) => n.registrationNumber).find(Boolean));

    await signIn(page, service.limited);
    assert.equal(await page.getByRole('tab').count(), 1);
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

for (const colorScheme of ['light', 'dark']) {
  it(`axe finds nothing in our parts, ${colorScheme}`, async () => {
    const { page } = await open(browser, { colorScheme });
    await accessible(page, 'signed out');
    await typePair(page, { id: service.limited.id, secret: 'not-the-secret' });
    await page.waitForSelector('.bo-notice');
    await accessible(page, 'wrong secret');
    await signIn(page, service.limited);
    await accessible(page, 'signed in, with the drawer');
    await openWorked(page, 'Registration numbers');
    await run(page);
    await page.waitForSelector('.bo-notice');
    await page.fill('#purpose', '123456789');
    await accessible(page, 'a missing scope and a purpose to mend');
    await page.setViewportSize({ width: 520, height: 900 });
    await accessible(page, 'a narrow window');
  });
}

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
