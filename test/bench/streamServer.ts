// A gateway in its own process, so that only the client's work is measured. Prints its port. Streams as many
// events as the request's output limit, in the format of the path, in writes of 16 KB.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bodies } from './streamBodies.ts';

const bytesPerWrite = 16 * 1024;

const streams = new Map<string, readonly Buffer[]>();

function writesOf(path: string, events: number): readonly Buffer[] {
  const key = `${path} ${events}`;
  const known = streams.get(key);
  if (known) return known;
  const bytes = Buffer.from(bodies.find(({ route }) => route.test(path))?.body(events) ?? '');
  const writes: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += bytesPerWrite)
    writes.push(bytes.subarray(at, at + bytesPerWrite));
  streams.set(key, writes);
  return writes;
}

async function stream(response: ServerResponse, writes: readonly Buffer[]): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const bytes of writes) {
    if (!response.write(bytes)) await once(response, 'drain');
  }
  response.end();
}

const server = createServer(async (request, response) => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const { max_tokens, generationConfig } = JSON.parse(Buffer.concat(pieces).toString());
  const events = max_tokens ?? generationConfig?.maxOutputTokens ?? 1;
  await stream(response, writesOf(request.url ?? '', events));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
