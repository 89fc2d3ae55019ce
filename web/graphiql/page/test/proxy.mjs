// A way to the service that treats exports and subscriptions as networks do: it lets them hang, and breaks them off.
import { createServer, request } from 'node:http';

/** Serves what the service does, but of an export so many bytes only; cut breaks it off then, or a subscription. */
export async function through(url, most) {
  const left = []; // exports that the client gave up
  let hanging = null;
  const server = createServer((asked, answer) => {
    const there = request(url + asked.url, { method: asked.method, headers: { ...asked.headers, host: new URL(url).host } }, (response) => {
      answer.writeHead(response.statusCode, response.headers);
      if (!asked.url.startsWith('/graphql/export')) {
        if (asked.headers.accept === 'text/event-stream') hanging = answer;
        response.pipe(answer).on('close', () => there.destroy());
        return;
      }
      hanging = answer;
      let bytes = 0;
      response.on('data', (part) => {
        if (bytes < most) answer.write(part.subarray(0, most - bytes));
        bytes += part.length;
      });
      answer.on('close', () => {
        left.push(asked.url);
        there.destroy();
      });
    });
    there.on('error', () => answer.destroy());
    asked.pipe(there);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    left,
    cut: () => hanging.socket.destroy(),
    close: () => new Promise((closed) => {
      server.closeAllConnections();
      server.close(closed);
    }),
  };
}
