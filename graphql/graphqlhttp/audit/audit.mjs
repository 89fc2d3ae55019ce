// Runs every server audit of graphql-http against the endpoint in AUDIT_URL, with the headers of the JSON object in
// AUDIT_HEADERS, and prints one line for each. Ends with 1 unless all of them pass; also the ones that may fail.
import { serverAudits } from 'graphql-http';

const extra = JSON.parse(process.env.AUDIT_HEADERS ?? '{}');
const audits = serverAudits({
  url: process.env.AUDIT_URL,
  fetchFn: (url, options = {}) => fetch(url, { ...options, headers: { ...options.headers, ...extra } }),
});

let passed = 0;
for (const audit of audits) {
  const result = await audit.fn();
  if (result.status === 'ok') passed++;
  console.log(`${result.status}\t${result.id}\t${result.name}${result.reason ? `\t${result.reason}` : ''}`);
}
console.log(`${passed} of ${audits.length} audits passed`);
process.exit(passed === audits.length ? 0 : 1);
