import { appendFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

// A process that a test kills: several callers of a gateway that order responses, streamed or not, stream chats
// and read tasks. A failed order is sent again under its key until its outcome is known. The received replies are
// stored in a file.

const [, , baseUrl = '', credential = '', generation = '', reportedIdsFile = ''] = process.argv;

const callers = 4;

const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };

function send(path: string, body?: object, key?: string): Promise<Response> {
  return fetch(baseUrl + path, {
    method: body ? 'POST' : 'GET',
    headers: { ...headers, ...(key !== undefined && { 'idempotency-key': key }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** Sends an order until its outcome is known. */
async function sendOrder(name: string, stream: boolean): Promise<void> {
  for (;;) {
    try {
      const reply = await send('/v1/responses', { model: 'm', input: name, background: true, stream }, name);
      if (reply.status === 409) return;
      const id = /"(task_[\w-]+)"/.exec(await readFirstPiece(reply))?.[1];
      if (reply.ok && id !== undefined) {
        appendFileSync(reportedIdsFile, `${id} ${name}\n`);
        return;
      }
    } catch {
      // The gateway or its upstream was killed.
    }
    await wait(20);
  }
}

/** Reads the first piece of a reply, and discards the rest. */
async function readFirstPiece({ body }: Response): Promise<string> {
  if (!body) return '';
  for await (const piece of body) return Buffer.from(piece).toString();
  return '';
}

async function sendOrders(caller: number): Promise<never> {
  for (let i = 0; ; i++) await sendOrder(`${generation}-${caller}-${i}`, i % 2 === 0);
}

/** Streams chats and reads tasks; failures are ignored. */
async function sendChats(): Promise<never> {
  const body = { model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] };
  for (;;) {
    await readToEnd('/v1/chat/completions', body);
    await readToEnd('/v1/tasks?limit=5');
  }
}

async function readToEnd(path: string, body?: object): Promise<void> {
  try {
    await (await send(path, body)).arrayBuffer();
  } catch {
    await wait(20);
  }
}

process.stdout.write('begun\n');
for (let caller = 0; caller < callers; caller++) void sendOrders(caller);
void sendChats();
