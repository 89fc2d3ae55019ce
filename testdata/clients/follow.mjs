// Follows the change feed of a running service with the clients that people have for subscriptions; a Go test starts that and
// names it in the environment. The working folder has this folder's node_modules in it.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { it } from 'node:test';

const require = createRequire(join(process.cwd(), 'x.js'));
const { ApolloClient, gql, InMemoryCache } = require('@apollo/client');
const { GraphQLWsLink } = require('@apollo/client/link/subscriptions');
const { Client, fetchExchange, subscriptionExchange } = require('@urql/core');
const sse = require('graphql-sse');
const ws = require('graphql-ws');
const WebSocket = require('ws');

const [origin, id, secret] = ['ORIGIN', 'CLIENT_ID', 'CLIENT_SECRET'].map((name) => process.env[`BACKOFFICE_${name}`]);
const pair = { 'x-client-id': id, 'x-client-secret': secret };
const url = `${origin}/graphql`;
const feed = 'subscription Feed($after: String) { changes(after: $after, nouns: [LABEL]) { cursor objectId action object { id ... on Label { name } } } }';

async function ask(query, variables) {
  const response = await fetch(url, { method: 'POST', headers: { ...pair, 'content-type': 'application/json' }, body: JSON.stringify({ query, variables }) });
  const { data, errors } = await response.json();
  assert.equal(errors, undefined);
  return data;
}

const now = async () => (await ask('{ changes(first: 0) { latestCursor } }')).changes.latestCursor;

async function write(name, labels) {
  const made = [];
  for (let i = 0; i < labels; i++) {
    const { createLabel } = await ask('mutation($name: String!) { createLabel(input: { name: $name }) { label { id } userErrors { code } } }', { name: `${name} ${i}` });
    assert.deepEqual(createLabel.userErrors, []);
    made.push(createLabel.label.id);
  }
  return made;
}

const socket = () => ws.createClient({ url: url.replace('http', 'ws'), connectionParams: pair, webSocketImpl: WebSocket, retryAttempts: 0 });

// Each begins to follow behind a cursor, tells every answer, and returns what ends it.
const clients = {
  'graphql-sse': (after, told, failed) => {
    const client = sse.createClient({ url, headers: pair, retryAttempts: 0 });
    const stop = client.subscribe({ query: feed, variables: { after } }, { next: told, error: failed, complete: () => {} });
    return () => { stop(); client.dispose(); };
  },
  'graphql-ws': (after, told, failed) => {
    const client = socket();
    const stop = client.subscribe({ query: feed, variables: { after } }, { next: told, error: failed, complete: () => {} });
    return () => { stop(); client.dispose(); };
  },
  'Apollo Client over a WebSocket': (after, told, failed) => {
    const client = socket();
    const apollo = new ApolloClient({ cache: new InMemoryCache(), link: new GraphQLWsLink(client) });
    const subscription = apollo.subscribe({ query: gql(feed), variables: { after }, fetchPolicy: 'no-cache' }).subscribe({ next: (answer) => (answer.error ? failed(answer.error) : told(answer)), error: failed });
    return () => { subscription.unsubscribe(); client.dispose(); };
  },
  'urql over Server-Sent Events': (after, told, failed) => {
    // Without its signal: urql leaves the rejection of a stream that it breaks off to nobody, which ends a test in Node.
    const unbroken = (address, { signal, ...options }) => fetch(address, options);
    const urql = new Client({ url, exchanges: [fetchExchange], fetchSubscriptions: true, fetch: unbroken, fetchOptions: { headers: pair }, preferGetMethod: false });
    const { unsubscribe } = urql.subscription(feed, { after }).subscribe((answer) => (answer.error ? failed(answer.error) : told(answer)));
    return unsubscribe;
  },
  'urql over a WebSocket': (after, told, failed) => {
    const client = socket();
    const forward = subscriptionExchange({ forwardSubscription: (operation) => ({ subscribe: (sink) => ({ unsubscribe: client.subscribe({ ...operation, query: operation.query ?? '' }, sink) }) }) });
    const urql = new Client({ url, exchanges: [forward], preferGetMethod: false });
    const { unsubscribe } = urql.subscription(feed, { after }).subscribe((answer) => (answer.error ? failed(answer.error) : told(answer)));
    return () => { unsubscribe(); client.dispose(); };
  },
};

for (const [name, follow] of Object.entries(clients)) {
  it(`${name} follows the feed, leaves, and goes on where it was`, async () => {
    let after = await now();
    const seen = [];
    const until = (count) =>
      new Promise((done, fail) => {
        const stop = follow(after, ({ data, errors }) => {
          if (errors) return fail(new Error(JSON.stringify(errors)));
          const { cursor, objectId, action, object } = data.changes;
          assert.equal(action, 'CREATED');
          assert.equal(object.id, objectId);
          assert.ok(object.name.startsWith(name));
          if (seen.length === count) return; // on its way when it left
          after = cursor;
          if (seen.push(objectId) === count) { stop(); done(); }
        }, fail);
      });
    const before = await write(`${name} before`, 3);
    const first = until(5);
    const later = await write(`${name} later`, 4);
    await first;
    const away = await write(`${name} away`, 2);
    await until(9);
    assert.deepEqual(seen, [...before, ...later, ...away]);
  });
}

it('every client learns why it is refused', async () => {
  const query = 'subscription { changes(after: "otherhistory.9") { cursor } }';
  const refused = (subscribe) => new Promise((done) => subscribe({ next: (answer) => done(answer.errors), error: done, complete: () => done() }));
  const overSocket = await refused((sink) => socket().subscribe({ query }, sink));
  assert.equal(overSocket[0].extensions.code, 'CURSOR_EXPIRED');
  const overEvents = await refused((sink) => sse.createClient({ url, headers: pair, retryAttempts: 0 }).subscribe({ query }, sink));
  assert.equal(overEvents.response.status, 410);
  const wrong = ws.createClient({ url: url.replace('http', 'ws'), connectionParams: { ...pair, 'x-client-secret': 'wrong' }, webSocketImpl: WebSocket, retryAttempts: 5 });
  assert.equal((await refused((sink) => wrong.subscribe({ query: feed }, sink))).code, 4401);
});
