// A gateway in its own process, so that only the client's work is measured. Prints its port. Streams as many
// events as the request's output limit, in the format of the path: in writes of 16 KB, or with the argument
// `single` each event in its own write and HTTP chunk, as providers do.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bodies } from './streamBodies.ts';

const bytesPerWrite = 16 * 1024;
const writesEvents = process.argv[2] === 'single';

const streams = new Map<string, readonly Buffer[]>();

function createWrites(path: string, count: number): readonly Buffer[] {
  const key = `${path} ${count}`;
  const known = streams.get(key);
  if (known) return known;
  const events = bodies.find(({ route }) => route.test(path))?.events(count) ?? [];
  const writes = writesEvents ? events.map((event) => Buffer.from(event)) : slices(events.join(''));
  streams.set(key, writes);
  return writes;
}

function slices(text: string): readonly Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / bytesPerWrite) }, (_, nth) =>
    bytes.subarray(nth * bytesPerWrite, (nth + 1) * bytesPerWrite),
  );
}

async function stream(response: ServerResponse, writes: readonly Buffer[]): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const bytes of writes) {
    if (!response.write(bytes)) await once(response, 'drain');
    if (writesEvents) await nextTurn();
  }
  response.end();
}

const server = createServer(async (request, response) => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const { max_tokens, max_output_tokens, generationConfig, generation_config } = JSON.parse(
    Buffer.concat(pieces).toString(),
  );
  const count =
    max_tokens ??
    max_output_tokens ??
    generationConfig?.maxOutputTokens ??
    generation_config?.max_output_tokens ??
    1;
  await stream(response, createWrites(request.url ?? '', count));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
