// Runs what docs/clients.md says as it stands there against a running service; `go test .` starts that and names it in the
// environment. The working folder is a temporary one, with this folder's node_modules in it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { before, it } from 'node:test';

const require = createRequire(join(process.cwd(), 'out', 'x.js'));
const [origin, id, secret] = ['ORIGIN', 'CLIENT_ID', 'CLIENT_SECRET'].map((name) => process.env[`BACKOFFICE_${name}`]);
const page = readFileSync(process.env.CLIENTS_PAGE, 'utf8');

const fields = 'edges { cursor node { __typename id displayName registrationNumber } } pageInfo { hasNextPage endCursor }';
const list = `query Customers($after: String) { customers(first: 2, after: $after, filter: { type: PRIVATE_PERSON }) { ${fields} } }`;
const one = 'query One($id: ID!) { node(id: $id) { __typename id ...Names } } fragment Names on Node { id ... on Customer { displayName } }';
let wanted; // the first four customers, as a plain request gets them

const bin = (name) => join('node_modules', '.bin', name);
const run = (name, ...args) => execFileSync(bin(name), args, { stdio: ['ignore', 'pipe', 'pipe'] });
const built = (name) => require(`./${name}.js`);
const idsOf = (connection) => connection.edges.map((edge) => edge.node.id);
const forbidden = (errors) => errors.some((error) => error.extensions?.code === 'FORBIDDEN');

before(async () => {
  for (const [, name, text] of page.matchAll(/```ts (\S+)\n([^]*?)```/g)) writeFileSync(name, text);
  const schema = await (await fetch(`${origin}/schema.graphqls`)).text();
  writeFileSync('schema.graphql', schema);
  // What a project has beside those lines: its own queries, and what each tool's own set-up makes.
  writeFileSync('queries.ts', `import { graphql } from "./gql";\nexport const list = graphql(\`${list}\`);\nexport type Name = NonNullable<import("./gql/graphql").CustomersQuery["customers"]["edges"][number]["node"]["displayName"]>;\nexport const named: Name = "a text";\n// @ts-expect-error a name is no number\nexport const wrong: Name = 1;\n`);
  writeFileSync('tada-queries.ts', `import type { ResultOf } from "gql.tada";\nimport { graphql } from "./tada";\nexport const list = graphql(\`${list}\`);\ntype Node = ResultOf<typeof list>["customers"]["edges"][number]["node"];\nexport const number: Node["registrationNumber"] = null;\n// @ts-expect-error a name is no number\nexport const wrong: Node["displayName"] = 1;\n`);
  const connection = list.replace('query Customers($after: String)', 'query relayQueriesListQuery($first: Int!, $after: String)').replace('first: 2', 'first: $first');
  writeFileSync('relay-queries.ts', `import { graphql } from "relay-runtime";\nexport const list = graphql\`${connection.replace('{ type: PRIVATE_PERSON })', '{ type: PRIVATE_PERSON }) @connection(key: "Relay_customers")').replaceAll('relayQueriesListQuery', 'relayQueriesListQuery')}\`;\nexport const one = graphql\`query relayQueriesOneQuery($id: ID!) { node(id: $id) { __typename id ... on Node { id ... on Customer { displayName } } } }\`;\n`);
  writeFileSync('relay.config.json', JSON.stringify({ src: '.', schema: 'schema.graphql', language: 'typescript', artifactDirectory: './artifacts', excludes: ['**/node_modules/**', 'gql/**', 'queries.ts', 'tada*.ts'], customScalarTypes: { DateTime: 'string', JSON: 'string' } }));
  mkdirSync('artifacts', { recursive: true });
  writeFileSync('tsconfig.json', JSON.stringify({
    compilerOptions: {
      strict: true, target: 'es2023', module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '5.0', skipLibCheck: true, esModuleInterop: true, outDir: 'out', rootDir: '.',
      types: ['node'], plugins: [{ name: 'gql.tada/ts-plugin', schema: './schema.graphql', tadaOutputLocation: './graphql-env.d.ts' }],
    },
    include: ['*.ts', 'gql/**/*.ts', 'artifacts/**/*.ts'],
  }));
  const response = await fetch(`${origin}/graphql`, {
    method: 'POST', headers: { 'content-type': 'application/json', 'x-client-id': id, 'x-client-secret': secret },
    body: JSON.stringify({ query: list.replace('first: 2', 'first: 4') }),
  });
  const { data, errors } = await response.json();
  wanted = idsOf(data.customers);
  assert.equal(new Set(wanted).size, 4);
  assert.ok(forbidden(errors), 'this pair must lack privacy.read');
});

it('every tool takes its lines, and all of them compile together', () => {
  try {
    run('graphql-codegen', '--config', 'codegen.ts');
    run('gql.tada', 'generate-output');
    run('relay-compiler', 'relay.config.json');
    run('tsc', '--project', '.');
  } catch (cause) {
    assert.fail(`${cause.message}\n${cause.stdout}\n${cause.stderr}`);
  }
  const { possibleTypes } = JSON.parse(readFileSync('possible-types.json', 'utf8'));
  const written = JSON.parse(/possibleTypes = (\{.*\});/.exec(page)[1].replace('Node:', '"Node":'));
  assert.deepEqual([...possibleTypes.Node].sort(), written.Node);
});

it('Apollo keeps data beside errors, joins pages and knows the possible types', async () => {
  const { client } = built('apollo');
  const { gql } = require('@apollo/client');
  const query = gql(list);
  const first = await client.query({ query });
  assert.ok(first.error && forbidden(first.error.errors));
  assert.deepEqual(idsOf(first.data.customers), wanted.slice(0, 2));
  await client.query({ query, variables: { after: first.data.customers.pageInfo.endCursor }, fetchPolicy: 'network-only' });
  assert.deepEqual(idsOf(client.readQuery({ query }).customers), wanted);
  const { data } = await client.query({ query: gql(one), variables: { id: wanted[0] } });
  assert.equal(data.node.displayName, first.data.customers.edges[0].node.displayName);
  assert.ok(data.node.displayName);
});

it('urql keeps data beside errors, joins pages and knows the possible types', async () => {
  const client = await built('urql').connect();
  const first = await client.query(list, {}).toPromise();
  assert.ok(forbidden(first.error.graphQLErrors));
  assert.deepEqual(idsOf(first.data.customers), wanted.slice(0, 2));
  const second = await client.query(list, { after: first.data.customers.pageInfo.endCursor }).toPromise();
  assert.deepEqual(idsOf(second.data.customers), wanted);
  const { data } = await client.query(one, { id: wanted[0] }).toPromise();
  assert.equal(data.node.displayName, first.data.customers.edges[0].node.displayName);
});

it('Relay keeps data beside errors, joins pages and knows the possible types', async () => {
  const { environment } = built('relay');
  const { createOperationDescriptor, fetchQuery } = require('relay-runtime');
  const artifact = (name) => require(`./artifacts/relayQueries${name}Query.graphql.js`).default;
  const list = artifact('List');
  const ask = (request, variables) => fetchQuery(environment, request, variables, { fetchPolicy: 'network-only' }).toPromise();
  const first = await ask(list, { first: 2 });
  assert.deepEqual(idsOf(first.customers), wanted.slice(0, 2));
  assert.equal(first.customers.edges[0].node.registrationNumber, null);
  environment.retain(createOperationDescriptor(list, { first: 2 }));
  await ask(list, { first: 2, after: first.customers.pageInfo.endCursor });
  const joined = environment.lookup(createOperationDescriptor(list, { first: 4 }).fragment).data;
  assert.deepEqual(idsOf(joined.customers), wanted);
  const { node } = await ask(artifact('One'), { id: wanted[0] });
  assert.equal(node.displayName, first.customers.edges[0].node.displayName);
});

it('TanStack Query keeps data beside errors and walks the pages', async () => {
  const { ask, customers } = built('tanstack');
  const { pages } = await customers(list, 2);
  assert.deepEqual(pages.flatMap(({ data }) => idsOf(data.customers)), wanted);
  assert.ok(pages.every(({ errors }) => forbidden(errors)));
  await assert.rejects(ask('{ nothing }', {}), /nothing/);
});

it('the documents of the generators are answered', async () => {
  const { ask } = built('tanstack');
  const { print } = require('graphql');
  for (const name of ['queries', 'tada-queries']) {
    const { data } = await ask(print(built(name).list), {});
    assert.deepEqual(idsOf(data.customers), wanted.slice(0, 2));
  }
});
