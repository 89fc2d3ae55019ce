// Takes the README's picture of the page from a running demo:
//   GRAPHIQL_TEST_URL=… GRAPHIQL_TEST_ID=… (and the others, see browser.mjs) node test/picture.mjs ../../docs/graphiql.png
import { launch, open, run, service, signIn } from './browser.mjs';

const browser = await launch();
const { page } = await open(browser, { hash: '#worked=groups', viewport: { width: 1360, height: 820 } });
await signIn(page, service.full);
await page.fill('#purpose', 'Annual review');
await run(page);
await page.getByRole('button', { name: 'Table', exact: true }).click();
await page.mouse.move(700, 5);
await page.evaluate(() => globalThis.document.activeElement.blur());
await page.waitForTimeout(1000); // fonts, colours and fading scroll bars come to rest
await page.screenshot({ path: process.argv[2] });
await browser.close();
