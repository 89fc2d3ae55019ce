// A program that uses the client that is generated from the OpenAPI document, compiled strictly and run against a
// service: `go test .` does both.
import assert from 'node:assert/strict';
import { client } from './client/client.gen';
import {
  assignChecklist, createCustomer, createLabel, createRelation, deleteCustomer, downloadTranscriptFile, getCurrentFinancialYear, getCustomer,
  getTranscript, listCustomers, listTranscripts, searchCustomers, updateCustomer, updateUser,
} from './client/sdk.gen';
import type { Customer, Problem, Transcript } from './client/types.gen';

const pair: Record<string, string | undefined> = { 'x-client-id': process.env.CLIENT_TEST_ID, 'x-client-secret': process.env.CLIENT_TEST_SECRET };
client.setConfig({ baseUrl: process.env.CLIENT_TEST_URL, auth: (scheme) => pair[scheme.name ?? ''] });

function done<T>(result: { data?: T; error?: unknown }): T {
  assert.equal(result.error, undefined);
  assert.ok(result.data !== undefined);
  return result.data;
}

async function main() {
  const year = done(await getCurrentFinancialYear());
  assert.equal(year.startDate, '2026');

  const page = done(await listCustomers({ query: { type: 'Private Person', page: 1, pageSize: 2 } }));
  assert.equal(page.total, 3);
  assert.equal(page.count, 2);
  const first: Customer = page.data[0]!;
  assert.equal(first.displayName, 'Els Van Damme');
  assert.match(first.registrationNumber ?? '', /^\d{11}$/);

  const found = done(await searchCustomers({ body: { registrationNumber: first.registrationNumber }, headers: { 'x-access-purpose': 'a test' } }));
  assert.deepEqual(found.data.map((c) => c._id), [first._id]);

  const made = done(await createCustomer({ body: { type: 'Company', name: 'Gegenereerd', addressFields: { city: 'Gent' } }, headers: { 'Idempotency-Key': 'generated-1' } }));
  assert.equal(made.addressFields.city, 'Gent');
  assert.equal(made.name, 'Gegenereerd');
  const changed = await updateCustomer({ path: { customerId: made._id }, body: { name: null, customerCode: 'G-1' }, headers: { 'If-Match': '"1"' } });
  assert.equal(done(changed).displayName, 'G-1');
  assert.equal(changed.response?.headers.get('ETag'), '"2"');

  done(await createRelation({ path: { customerId: made._id }, body: { relatedCustomer: first._id, kind: 'director' } }));
  done(await createLabel({ body: { name: 'Gegenereerd', color: '#00ff00' } }));
  done(await updateUser({ path: { userId: 'user-an' }, body: { labels: [] } }));
  const assigned = done(await assignChecklist({ body: { checklist: 'list-2026-nl', customer: made._id, customVariables: { a: [1, { b: null }] } } }));
  const transcript: Transcript = done(await getTranscript({ path: { transcriptId: assigned._id } }));
  assert.equal(transcript.status, 'To Process');
  assert.deepEqual(transcript.customVariables, { a: [1, { b: null }] });
  const states = done(await listTranscripts({ query: { status: ['In calculation', 'Approved'] } }));
  assert.deepEqual(states.data.map((t) => t._id), ['tr-2', 'tr-5']);

  const file = done(await downloadTranscriptFile({ path: { transcriptId: 'tr-1' }, parseAs: 'blob' })) as Blob;
  assert.equal(file.type, 'application/pdf');
  assert.equal(await file.slice(0, 4).text(), '%PDF');

  const stale = await updateCustomer({ path: { customerId: made._id }, body: { name: 'x' }, headers: { 'If-Match': '"1"' } });
  const problem = stale.error as Problem;
  assert.equal(problem.status, 412);
  assert.equal(problem.errors?.[0]?.code, 'STALE_VERSION');

  assert.equal((await deleteCustomer({ path: { customerId: made._id } })).response?.status, 204);
  assert.equal((await getCustomer({ path: { customerId: made._id } })).response?.status, 404);
}

main().catch((fault) => {
  console.error(fault);
  process.exitCode = 1;
});
