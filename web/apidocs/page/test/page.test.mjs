// The page in a real browser against a running service, which `go test ./gateway/parity` starts; the environment names it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, afterEach, before, it } from 'node:test';
import { promisify } from 'node:util';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium } from 'playwright-core';

const run = promisify(execFile);
const service = { url: required('APIDOCS_TEST_URL'), id: required('APIDOCS_TEST_ID'), secret: required('APIDOCS_TEST_SECRET') };

function required(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: go test ./gateway/parity sets it`);
  return value;
}

let browser;
before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
});
after(() => browser?.close());
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

/** Opens the page and listens: to every request of it, and for anything that it complains about. */
async function open() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(180_000); // the machine may be busy with other tests
  const page = await context.newPage();
  const heard = { requests: [], complaints: [] };
  context.on('request', (request) => heard.requests.push(request));
  page.on('pageerror', (error) => heard.complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) heard.complaints.push(message.text());
  });
  await page.goto(`${service.url}/docs`);
  await page.waitForSelector('.opblock-summary');
  return { page, heard };
}

async function signIn(page) {
  await page.click('.btn.authorize');
  const fields = page.locator('.auth-container');
  assert.equal(await fields.count(), 3, 'the two headers of a pair, and a token of a person');
  for (const [name, value] of [['x-client-id', service.id], ['x-client-secret', service.secret]]) {
    const container = fields.filter({ hasText: name });
    assert.equal(await container.locator('input').getAttribute('type'), name === 'x-client-id' ? 'text' : 'password');
    await container.locator('input').fill(value);
    await container.getByRole('button', { name: 'Apply credentials' }).click();
  }
  await page.click('.btn-done');
}

async function execute(page, operation) {
  const block = page.locator(`[id$="-${operation}"]`);
  await block.locator('.opblock-summary-control').click();
  await block.locator('.execute').waitFor();
  const answered = page.waitForResponse((response) => { // a busy browser may only now load the page's icon
    return response.request().resourceType() === 'fetch' && !response.url().endsWith('/openapi.json');
  });
  await block.locator('.execute').click();
  const response = await answered;
  await block.locator('.live-responses-table').waitFor();
  return { block, response };
}

it('shows every operation, and asks nobody but its own server', async () => {
  const { page, heard } = await open();
  await page.waitForLoadState('networkidle');
  const described = await (await fetch(`${service.url}/openapi.json`)).json();
  const operations = Object.values(described.paths).flatMap((path) => Object.values(path).filter((o) => o.operationId));
  assert.equal(await page.locator('.opblock-summary').count(), operations.length);
  for (const request of heard.requests) {
    assert.ok(request.url().startsWith(`${service.url}/`) || request.url().startsWith('data:'), request.url());
  }
  assert.deepEqual(heard.complaints, []);
});

it('tries a request with the pair that was typed in, and keeps that in memory only', async () => {
  const { page, heard } = await open();
  await signIn(page);
  const { block, response } = await execute(page, 'listCustomers');
  assert.equal(response.status(), 200);
  const headers = await response.request().allHeaders();
  assert.equal(headers['x-client-id'], service.id);
  assert.equal(headers['x-client-secret'], service.secret);
  assert.match(await block.locator('.live-responses-table').innerText(), /Acmé Boekhouding/);
  const command = await block.locator('.curl').first().innerText();
  assert.ok(!(await page.content()).includes(service.secret), command);
  const pair = { BACKOFFICE_CLIENT_ID: service.id, BACKOFFICE_CLIENT_SECRET: service.secret };
  const curl = `curl() { printf '%s\n' "$@"; }; ${command}`;
  const { stdout } = await run('sh', ['-c', curl], { env: { ...process.env, ...pair } });
  const given = stdout.split('\n').filter((argument) => argument.startsWith('x-client'));
  assert.deepEqual(given, [`x-client-id: ${service.id}`, `x-client-secret: ${service.secret}`]);
  for (const request of heard.requests) {
    assert.ok(request.url().startsWith(`${service.url}/`) || request.url().startsWith('data:'), request.url());
    assert.ok(!request.url().includes(service.secret));
  }
  const kept = await page.evaluate(async () => ({
    local: { ...globalThis.localStorage },
    session: { ...globalThis.sessionStorage },
    cookies: globalThis.document.cookie,
    databases: await globalThis.indexedDB.databases(),
    address: globalThis.location.href,
  }));
  assert.ok(!JSON.stringify(kept).includes(service.secret), JSON.stringify(kept));
  assert.deepEqual([kept.local, kept.session, kept.cookies, kept.databases], [{}, {}, '', []]);
  assert.deepEqual(heard.complaints, []);

  // Logging out ends all of it, as a reload does.
  await page.click('.btn.authorize');
  const loaded = page.waitForEvent('load');
  await page.getByRole('button', { name: /Logout/ }).first().click();
  await loaded;
  await page.waitForSelector('.opblock-summary');
  assert.equal(await page.locator('.live-responses-table').count(), 0);
  const again = await execute(page, 'listUsers');
  assert.equal(again.response.status(), 401);
});

async function accessible(page, what) {
  // Without a second page to gather the frames in, which a page of one frame does not need, and without all that is well.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] }).analyze();
  const found = violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target} ${n.failureSummary}`).join('; ')}`);
  assert.deepEqual(found, [], `axe, ${what}`);
}

it('gives axe nothing to find', async () => {
  const { page } = await open();
  await accessible(page, 'as it opens');
  await page.click('.btn.authorize');
  await page.locator('.auth-container').first().waitFor();
  await accessible(page, 'signing in');
  await page.click('.btn-done');
  await signIn(page);
  await page.click('.btn.authorize');
  await accessible(page, 'signed in');
  await page.click('.btn-done');
  await execute(page, 'getCurrentFinancialYear');
  for (const operation of ['createCustomer', 'updateCustomer']) {
    await page.locator(`[id$="-${operation}"] .opblock-summary-control`).click();
    await page.locator(`[id$="-${operation}"] .execute`).waitFor();
  }
  await accessible(page, 'an answer, and two operations to write with');
});

it('keeps the operation that is open in the address', async () => {
  const { page } = await open();
  await page.locator('[id$="-listUsers"] .opblock-summary-control').click();
  await page.waitForFunction(() => globalThis.location.hash.endsWith('/listUsers'));
  await page.reload();
  await page.locator('[id$="-listUsers"] .execute').waitFor();
});

it('shows a problem as the service tells it', async () => {
  const { page } = await open();
  const { block, response } = await execute(page, 'getCurrentFinancialYear');
  assert.equal(response.status(), 401);
  assert.match(await block.locator('.live-responses-table').innerText(), /Unauthorized/);
});

if (process.env.APIDOCS_PICTURE) {
  it('has its picture taken', async () => {
    const { page } = await open();
    await page.screenshot({ path: process.env.APIDOCS_PICTURE });
  });
}
