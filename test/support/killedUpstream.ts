import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';

// A process that a test kills: an upstream that makes responses in the background and streams chats. It stores the
// responses in a file, so that it still has them after a restart.

const [, , port = '0', madeFile = ''] = process.argv;

/** The time for making a response, in milliseconds. */
const makingMs = 100;

interface Made {
  readonly id: string;
  readonly at: number;
}

function readCreated(): readonly Made[] {
  if (!existsSync(madeFile)) return [];
  const lines = readFileSync(madeFile, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const [id = '', , at] = line.split(' ');
    return { id, at: Number(at) };
  });
}

function record({ id, at }: Made) {
  const status = Date.now() - at < makingMs ? 'in_progress' : 'completed';
  return { id, object: 'response', status, background: true, model: 'm', output: [], error: null };
}

function make(order: string): Made {
  const made = { id: `resp_${process.pid}_${performance.now()}`, at: Date.now() };
  appendFileSync(madeFile, `${made.id} ${order} ${made.at}\n`);
  return made;
}

async function stream(res: ServerResponse, events: readonly string[]): Promise<void> {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    res.write(`data: ${event}\n\n`);
    await wait(3);
    if (res.destroyed) return;
  }
  res.end();
}

const pieces = Array.from({ length: 30 }, (_, i) =>
  JSON.stringify({ choices: [{ delta: { content: `${i} ` } }] }),
);

function answerOrder(res: ServerResponse, made: Made, streamed: boolean): void {
  if (!streamed) {
    res.end(JSON.stringify(record(made)));
    return;
  }
  const events = [{ type: 'response.created', response: record(made) }, ...Array(20).fill({ type: 'delta' })];
  void stream(
    res,
    events.map((event) => JSON.stringify(event)),
  );
}

const server = createServer(async (req, res) => {
  const sent = await text(req).catch(() => undefined);
  if (sent === undefined) return;
  if (req.url === '/v1/chat/completions') {
    await stream(res, pieces);
  } else if (req.method === 'POST') {
    const { input, stream: streamed } = JSON.parse(sent);
    // A kill can happen before or after something is made.
    await wait(Math.random() * 20);
    const made = make(input);
    await wait(Math.random() * 40);
    answerOrder(res, made, streamed === true);
  } else {
    const made = readCreated().find(({ id }) => req.url === `/v1/responses/${id}`);
    if (made) res.end(JSON.stringify(record(made)));
    else res.writeHead(404).end('{"error":{"message":"There is none."}}');
  }
});
server.listen(Number(port), '127.0.0.1', () => process.stdout.write(`${JSON.stringify(server.address())}\n`));
