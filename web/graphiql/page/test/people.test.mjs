// People who sign in at an OpenID provider, which `go test ./web/graphiql` starts as others run it.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, afterEach, before, describe, it } from 'node:test';
import { accessible, launch, put, run, service, signIn } from './browser.mjs';
import { atProvider, begin, enter, isToken, issuer, keepsNothing, manager, notice, openSignedOut, signInAtProvider, tokenOf, working } from './provider.mjs';

const ended = process.env.GRAPHIQL_TEST_ENDED;
const subject = process.env.GRAPHIQL_TEST_SUBJECT;
const guest = process.env.GRAPHIQL_TEST_GUEST;

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

const here = (options) => openSignedOut(browser, options);
const secrets = /eyJ[\w-]+\.|code=|state=|test-user2|verysecure/;

describe('somebody who signs in at the provider', () => {
  it('is shown, asks for numbers as themselves, and leaves nothing behind', async () => {
    const { page, heard } = await here();
    await page.waitForLoadState('networkidle');
    assert.ok(heard.requests.every((r) => new URL(r.url()).origin === service.url), 'the provider is asked before anybody wants it');
    await working(page);
    const banner = await page.getByRole('banner').innerText();
    assert.ok(banner.includes('Test User') && banner.includes(subject), banner);
    const scopes = await page.getByRole('list', { name: 'Scopes' }).getByRole('listitem').allTextContents();
    assert.deepEqual(scopes.slice(0, 2), ['privacy.read', 'customers.write']);
    await page.waitForSelector('.bo-needs dl');

    await page.fill('#purpose', 'A test of the page');
    await put(page, 'query Number { customer(id: "fien") { registrationNumber } }');
    const { request, body } = await run(page);
    assert.match(body.data.customer.registrationNumber, /^\d{11}$/);
    assert.equal(request.headers()['x-client-id'], undefined);
    await put(page, 'query Register { customer(id: "fien") { privacyAccesses(first: 1) { nodes { subject subjectName purpose } } } }');
    const { body: register } = await run(page);
    assert.deepEqual(register.data.customer.privacyAccesses.nodes, [{ subject, subjectName: 'Test User', purpose: 'A test of the page' }]);

    await keepsNothing(page);
    const origins = new Set(heard.requests.map((r) => new URL(r.url()).origin));
    assert.deepEqual([...origins].sort(), [service.url, issuer].sort());
    const token = tokenOf(request);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await atProvider(page).waitFor();
    const html = await page.content();
    assert.ok(!html.includes(token) && !html.includes(body.data.customer.registrationNumber) && !secrets.test(html));
    await keepsNothing(page);
    const before = heard.requests.filter((r) => r.url().endsWith('/graphql')).length;
    await page.getByText('Sign in with a credential pair').click();
    await page.waitForSelector('#client-id');
    assert.equal(heard.requests.filter((r) => r.url().endsWith('/graphql')).length, before);
    assert.deepEqual(heard.complaints, []);
  });

  it('saves and finds queries, follows changes and exports as with a pair', async () => {
    const { page, heard } = await here();
    await working(page);
    await page.getByRole('button', { name: 'Show Saved queries' }).click();
    await page.getByRole('region', { name: 'Saved queries' }).waitFor();
    await put(page, 'subscription Changes { changes { noun } }');
    const streamed = page.waitForRequest((r) => r.headers().accept === 'text/event-stream');
    await page.click('.graphiql-execute-button');
    assert.ok(tokenOf(await streamed));
    await page.click('.graphiql-execute-button'); // stops it
    await put(page, 'query Customers { customers(first: 2) { nodes { displayName } } }');
    await page.waitForFunction(() => !globalThis.document.querySelector('.bo-needs')?.dataset.old?.includes('true'));
    await page.getByRole('button', { name: 'Export…' }).click();
    await page.getByRole('dialog').waitFor();
    const refused = heard.requests.filter((r) => r.url().endsWith('/graphql') && !tokenOf(r));
    assert.equal(refused.length, 0, 'each request has the token');
    assert.deepEqual(heard.complaints, []);
  });

  it('has the token renewed before it ends, and goes on with the new one', async () => {
    const { page, heard } = await here({ clock: true });
    await working(page);
    const first = tokenOf((await run(page)).request);
    const renewed = page.waitForResponse((r) => isToken(new URL(r.url())));
    await page.clock.fastForward('04:30');
    const response = await renewed;
    assert.match(response.request().postData(), /grant_type=refresh_token/);
    const { access_token: second } = await response.json();
    assert.notEqual(second, first);
    const { status, request } = await run(page);
    assert.deepEqual([status, tokenOf(request)], [200, second]);
    assert.equal(await page.locator('.bo-notice').count(), 0);
    assert.deepEqual(heard.complaints, []);
  });

  it('is told before the end where the provider gives nothing to renew it by, and signs in again over the open page', async () => {
    const { page } = await here({ clock: true });
    await page.route(isToken, async (route) => {
      const response = await route.fetch();
      const { refresh_token: _, ...others } = await response.json();
      await route.fulfill({ response, json: others });
    });
    await working(page);
    await put(page, 'query Mine { viewer { name subject } }');
    await page.clock.fastForward('04:30');
    await page.getByText(/Your sign-in ends at/).waitFor();
    await accessible(page, 'before the end');
    const popup = await begin(page, page.getByRole('button', { name: 'Sign in again' }));
    assert.match(await notice(page), /Go on in the window of/);
    await enter(popup, manager);
    await page.locator('.bo-notice').waitFor({ state: 'detached' });
    const { body } = await run(page);
    assert.equal(body.data.viewer.subject, subject, 'what was in the editor is there');

    await enter(await begin(page, await nearTheEnd(page)), guest);
    await page.getByText('Somebody else has signed in').waitFor();
    assert.equal((await run(page)).body.data.viewer.subject, subject);
  });

  it('is signed out though they were about to sign in again', async () => {
    const { page, heard } = await here({ clock: true });
    const asked = () => heard.requests.filter((r) => isToken(new URL(r.url()))).length;
    let given, answer;
    const answered = new Promise((resolve) => (answer = resolve));
    await page.route(isToken, async (route) => {
      const response = await route.fetch();
      const { refresh_token, ...others } = await response.json();
      if (asked() === 1) return route.fulfill({ response, json: others });
      given = refresh_token;
      await answered;
      await route.fulfill({ response, json: { ...others, refresh_token } });
    });
    await working(page);
    const popup = await begin(page, await nearTheEnd(page));
    const again = page.waitForRequest((r) => isToken(new URL(r.url())));
    await enter(popup, manager);
    await again;
    await page.getByRole('button', { name: 'Sign out' }).click();
    const revoked = page.waitForRequest((r) => r.url() === `${issuer}/revoke`);
    answer();
    assert.equal(new URLSearchParams((await revoked).postData()).get('token'), given);
    await page.clock.fastForward('10:00');
    await page.waitForTimeout(500);
    assert.equal(asked(), 2, 'nothing is renewed');
    await keepsNothing(page);
  });

  it('tells that a token has ended in the middle, and goes on after signing in again', async () => {
    const { page } = await here();
    await working(page);
    await put(page, 'query Mine { viewer { name subject } }');
    const isService = (url) => url.href === `${service.url}/graphql`;
    await page.route(isService, (route) => route.continue({ headers: { ...route.request().headers(), authorization: `Bearer ${ended}` } }));
    assert.equal((await runRefused(page)).status(), 401);
    await page.getByText(/Your sign-in is no longer accepted.*has expired/).waitFor();
    assert.ok(!(await page.content()).includes(ended));
    await page.unroute(isService);
    await enter(await begin(page, page.getByRole('button', { name: 'Sign in again' })), manager);
    await page.locator('.bo-notice').waitFor({ state: 'detached' });
    assert.equal((await run(page)).body.data.viewer.subject, subject);
  });

  it('is told that no rule gives them anything', async () => {
    const { page } = await here();
    await signInAtProvider(page, guest);
    await page.getByText('Nothing is open to you here').waitFor();
    await accessible(page, 'no rule');
    await keepsNothing(page);
  });
});

/** Moves the clock to where the page warns, and gives the button that it offers. */
async function nearTheEnd(page) {
  await page.clock.fastForward('04:30');
  await page.getByText(/Your sign-in ends at/).waitFor();
  return page.getByRole('button', { name: 'Sign in again' });
}

async function runRefused(page) {
  const answered = page.waitForResponse((r) => r.url().endsWith('/graphql') && r.request().postData().includes('Mine') && r.request().headers()['x-explain'] !== 'plan');
  await page.click('.graphiql-execute-button');
  return answered;
}

describe('what is not taken', () => {
  it('an answer to another question, a refusal, and words of strangers', async () => {
    const { page, heard } = await here();
    let popup = await begin(page);
    await popup.goto(`${service.url}/graphiql/signed-in?code=forged-code&state=forged-state`);
    await popup.getByText('No page waits for this sign-in').waitFor();
    await keepsNothing(popup);
    assert.ok(!/forged/.test((await popup.content()) + (await page.content())));
    await accessible(popup, 'a window that nobody waits for');
    assert.match(await notice(page), /Go on in the window of/);
    assert.equal(heard.requests.filter((r) => isToken(new URL(r.url()))).length, 0);
    await popup.close();

    for (const [answer, words] of [
      ['error=access_denied&error_description=%3Cb%3Estrange%3C%2Fb%3E', /refused it, or it was cancelled/],
      ['error=strange-error', /refused it, or it was cancelled/],
      ['code=forged-code&iss=https%3A%2F%2Fstrange.example', /not the one to what this page asked/],
      ['', /not the one to what this page asked/],
      ['code=forged-code', /refused it, or it was cancelled/], // the provider knows no such code
    ]) {
      const asked = page.context().waitForEvent('request', (r) => r.url().startsWith(`${issuer}/auth?`));
      popup = await begin(page);
      const parameters = new URL((await asked).url()).searchParams;
      assert.deepEqual([parameters.get('code_challenge_method'), parameters.get('response_type'), parameters.get('redirect_uri')], ['S256', 'code', `${service.url}/graphiql/signed-in`]);
      assert.ok(parameters.get('nonce').length > 40 && parameters.get('code_challenge').length > 40);
      const closed = popup.waitForEvent('close');
      await popup.goto(`${service.url}/graphiql/signed-in?${answer}&state=${parameters.get('state')}`).catch(() => undefined); // it closes itself
      await closed;
      await page.locator('.bo-error').waitFor();
      assert.match(await notice(page), words, answer);
      assert.ok(!/strange|forged|access_denied/.test(await page.content()), answer);
    }
    await accessible(page, 'refused');
    await signInAtProvider(page);
    await page.waitForSelector('.graphiql-query-editor .view-line');
  });

  it('an ID token for another question, and a provider that is away', async () => {
    const { page } = await here();
    const away = async (words) => {
      await page.locator('.bo-error').waitFor();
      assert.match(await notice(page), words);
    };
    const isDiscovery = (url) => url.pathname === '/.well-known/openid-configuration';
    await page.route(isDiscovery, (route) => route.abort());
    await atProvider(page).click();
    await away(/cannot be reached/);
    await page.unroute(isDiscovery);
    await page.route(isDiscovery, (route) => route.fulfill({ json: { issuer: 'https://strange.example' } }));
    await atProvider(page).click();
    await away(/cannot be reached/);
    await page.unroute(isDiscovery);

    await page.route(isToken, (route) => route.fulfill({ status: 502, body: 'strange' }));
    await enter(await begin(page), manager);
    await away(/cannot be reached/);
    await page.unroute(isToken);

    let earlier; // the ID token of one sign-in is given to another
    await page.route(isToken, async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      earlier ??= answer.id_token;
      await route.fulfill({ response, json: { ...answer, id_token: earlier } });
    });
    await working(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await enter(await begin(page), manager);
    await away(/not the one to what this page asked/);
    await keepsNothing(page);
  });

  it('anybody else’s address: the policy names the provider and no other', async (t) => {
    const { page, heard } = await here();
    const policy = (await (await fetch(`${service.url}/graphiql`)).headers).get('content-security-policy');
    assert.ok(policy.includes(`connect-src 'self' ${issuer};`), policy);
    const asked = [];
    const stranger = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(200, { 'access-control-allow-origin': '*' }).end();
    });
    await new Promise((listening) => stranger.listen(0, '127.0.0.1', listening));
    t.after(() => stranger.close());
    const { port } = stranger.address();
    assert.equal(await page.evaluate((to) => fetch(to).then(() => 'let through', () => 'stopped'), `http://127.0.0.1:${port}/`), 'stopped');
    assert.deepEqual(asked, []);
    assert.match(heard.complaints.join(), /Content Security Policy/);
  });
});

it('still takes a pair', async () => {
  const { page, heard } = await here();
  await page.getByText('Sign in with a credential pair').click();
  await signIn(page, service.full);
  assert.match(await page.getByRole('banner').innerText(), new RegExp(service.full.id));
  assert.ok(heard.requests.every((r) => new URL(r.url()).origin === service.url));
  assert.deepEqual(heard.complaints, []);
});

for (const colorScheme of ['light', 'dark']) {
  it(`axe finds nothing, ${colorScheme}`, async () => {
    const { page } = await here({ colorScheme });
    const folder = process.env.GRAPHIQL_TEST_PICTURES;
    const look = async (what) => {
      await accessible(page, what);
      if (folder) await page.screenshot({ path: `${folder}/${colorScheme} ${what}.png` });
    };
    await look('signed out');
    if (colorScheme === 'light') { // dark is looked at where its colours are
      await page.getByText('Sign in with a credential pair').click();
      await look('with the form for a pair');
      const popup = await begin(page);
      await look('waiting');
      await popup.close();
    }
    await page.route(isToken, (route) => route.abort());
    await enter(await begin(page), manager);
    await page.locator('.bo-error').waitFor();
    await look('failure');
    await page.unroute(isToken);
    await working(page);
    await look('signed in');
  });
}
