import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';

// A process that a test kills: an upstream that makes responses in the background and streams chats. It stores the
// responses in a file, so that it still has them after a restart.

const [, , port = '0', createdFile = ''] = process.argv;

/** The time for making a response, in milliseconds. */
const creationMs = 100;

interface CreatedResponse {
  readonly id: string;
  readonly at: number;
}

function readCreated(): readonly CreatedResponse[] {
  if (!existsSync(createdFile)) return [];
  const lines = readFileSync(createdFile, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const [id = '', , at] = line.split(' ');
    return { id, at: Number(at) };
  });
}

function createRecord({ id, at }: CreatedResponse) {
  const status = Date.now() - at < creationMs ? 'in_progress' : 'completed';
  return { id, object: 'response', status, background: true, model: 'm', output: [], error: null };
}

function createResponse(order: string): CreatedResponse {
  const created = { id: `resp_${process.pid}_${performance.now()}`, at: Date.now() };
  appendFileSync(createdFile, `${created.id} ${order} ${created.at}\n`);
  return created;
}

async function sendStream(res: ServerResponse, events: readonly string[]): Promise<void> {
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

function replyToOrder(res: ServerResponse, created: CreatedResponse, streamed: boolean): void {
  if (!streamed) {
    res.end(JSON.stringify(createRecord(created)));
    return;
  }
  const events = [
    { type: 'response.created', response: createRecord(created) },
    ...Array(20).fill({ type: 'delta' }),
  ];
  void sendStream(
    res,
    events.map((event) => JSON.stringify(event)),
  );
}

const server = createServer(async (req, res) => {
  const sent = await text(req).catch(() => undefined);
  if (sent === undefined) return;
  if (req.url === '/v1/chat/completions') {
    await sendStream(res, pieces);
  } else if (req.method === 'POST') {
    const { input, stream: streamed } = JSON.parse(sent);
    // A kill can happen before or after something is created.
    await wait(Math.random() * 20);
    const created = createResponse(input);
    await wait(Math.random() * 40);
    replyToOrder(res, created, streamed === true);
  } else {
    const created = readCreated().find(({ id }) => req.url === `/v1/responses/${id}`);
    if (created) res.end(JSON.stringify(createRecord(created)));
    else res.writeHead(404).end('{"error":{"message":"There is none."}}');
  }
});
server.listen(Number(port), '127.0.0.1', () => process.stdout.write(`${JSON.stringify(server.address())}\n`));
