// The upstream of all measured gateways: it sends prepared bytes, so that its cost is negligible compared with
// theirs. A body that requests a stream gets `max_tokens` events, each in its own write. Prints its port.
import { type AddressInfo, createServer, type Socket } from 'node:net';

const reply = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_767_225_600,
  model: 'bench',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello there.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
});
const completeReply = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${reply.length}\r\n\r\n${reply}`,
);
const streamHead = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const event = chunked(
  `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_767_225_600, model: 'bench', choices: [{ index: 0, delta: { content: 'Hello there. ' }, finish_reason: null }] })}\n\n`,
);
const streamEnd = `${chunked('data: [DONE]\n\n')}0\r\n\r\n`;

function chunked(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

async function stream(socket: Socket, count: number): Promise<void> {
  socket.write(streamHead + event);
  for (let nth = 1; nth < count && !socket.destroyed; nth++) {
    // So that each event arrives separately.
    await new Promise(setImmediate);
    socket.write(event);
  }
  socket.write(streamEnd);
}

/** Replies to each request when the last byte of its body has arrived. */
function serve(socket: Socket): void {
  /** The incomplete head of a request. */
  let waiting: Buffer = Buffer.alloc(0);
  /** The missing bytes of the body; infinite for a chunked one. */
  let missing = 0;
  let tail = '';
  const take = (body: Buffer) => {
    missing -= body.length;
    tail = (tail + body.subarray(-200).toString('latin1')).slice(-200);
    if (missing === Number.POSITIVE_INFINITY ? !tail.endsWith('0\r\n\r\n') : missing > 0) return;
    missing = 0;
    const count = /"max_tokens":(\d+)/.exec(tail)?.[1];
    if (count !== undefined && tail.includes('"stream":true')) void stream(socket, Number(count));
    else socket.write(completeReply);
  };
  socket.setNoDelay(true).on('error', () => {});
  socket.on('data', (chunk) => {
    if (missing > 0) {
      take(chunk);
      return;
    }
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    const end = waiting.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = waiting.toString('latin1', 0, end);
    const length = /content-length: *(\d+)/i.exec(head)?.[1];
    const body = waiting.subarray(end + 4);
    waiting = Buffer.alloc(0);
    missing = length === undefined ? Number.POSITIVE_INFINITY : Number(length);
    tail = '';
    take(body);
  });
}

const server = createServer(serve);
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
