import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTextChunk } from './scriptedGateway.ts';

const pieces = 20;

/** How the upstream replies to a chat, by the model. */
const scripts: Readonly<Record<string, (response: ServerResponse) => void>> = {
  complete(response) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let at = 0; at < pieces; at += 1) response.write(createTextChunk(`Piece ${at}. `));
    response.end(`${createTextChunk('The end.', 'stop')}data: [DONE]\n\n`);
  },
  /** Begins, and then sends nothing until the caller closes the connection. */
  halting(response) {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(createTextChunk('Half a '));
  },
  cut(response) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(createTextChunk('Half a '), () => response.destroy());
  },
  malformed(response) {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"choices": 7\n\n');
  },
  busy(response) {
    response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' });
    response.end('{"error":{"message":"busy"}}');
  },
  broken(response) {
    response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>broken</h1>');
  },
  /** Does not reply. */
  silent() {},
};

/** An upstream that serves chat completions for hours: unlike others of tests, it does not record the requests. */
export async function startSoakUpstream(): Promise<{ readonly baseUrl: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray().catch(() => []));
    if (request.method === 'GET') {
      const data = Object.keys(scripts).map((id) => ({ id }));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
      return;
    }
    // The caller would close an idle connection at some later time.
    response.shouldKeepAlive = request.url?.startsWith('/steady/') === true;
    scripts[JSON.parse(body.toString()).model]?.(response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
