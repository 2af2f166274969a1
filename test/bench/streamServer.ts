// A gateway that costs nothing to ask: a process of its own, so that only the client's work is measured.
// Prints its port. Streams as many events as the request's `max_tokens`, in writes of 16 KB.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const WRITE_BYTES = 16 * 1024;

function chunk(choice: object, extra: object = {}): string {
  const head = {
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'bench-model',
  };
  return `data: ${JSON.stringify({ ...head, choices: [{ index: 0, ...choice, logprobs: null }], ...extra })}\n\n`;
}

function streamOf(events: number): readonly Buffer[] {
  const words = [' the', ' quick', ' brown', ' fox', ' jumps', ', über', ' 懶狗', '.\n'];
  const lines = Array.from({ length: events - 1 }, (_, at) =>
    chunk({ delta: { content: words[at % words.length] }, finish_reason: null }),
  );
  lines.push(chunk({ delta: {}, finish_reason: 'stop' }), 'data: [DONE]\n\n');
  const bytes = Buffer.from(lines.join(''));
  const writes: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += WRITE_BYTES) writes.push(bytes.subarray(at, at + WRITE_BYTES));
  return writes;
}

const streams = new Map<number, readonly Buffer[]>();

async function stream(response: ServerResponse, events: number): Promise<void> {
  const writes = streams.get(events) ?? streamOf(events);
  streams.set(events, writes);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const bytes of writes) {
    if (!response.write(bytes)) await once(response, 'drain');
  }
  response.end();
}

const server = createServer(async (request, response) => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const { max_tokens: events = 1 } = JSON.parse(Buffer.concat(pieces).toString());
  await stream(response, events);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
