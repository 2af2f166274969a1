import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One caller with its own connection; its cost is negligible compared with the gateway's. */
export class Caller {
  readonly #socket: Socket;
  #onBytes: (bytes: Buffer) => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true).on('data', (bytes) => this.#onBytes(bytes));
  }

  static async connect(port: number): Promise<Caller> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Caller(socket);
  }

  /** Sends a request and reads the reply up to its end: its length, or the last chunk. */
  ask(bytes: Buffer): Promise<{ readonly firstByteMs: number; readonly totalMs: number }> {
    const started = performance.now();
    let firstDataAt = 0;
    let head = '';
    let missing = -1;
    let tail = '';
    return new Promise((resolve, reject) => {
      this.#socket.once('close', reject);
      this.#onBytes = (chunk) => {
        let body: Buffer = chunk;
        if (missing === -1) {
          head += chunk.toString('latin1');
          const end = head.indexOf('\r\n\r\n');
          if (end < 0) return;
          if (!head.startsWith('HTTP/1.1 200')) {
            reject(new Error(head));
            return;
          }
          const length = /content-length: *(\d+)/i.exec(head.slice(0, end))?.[1];
          missing = length === undefined ? Number.POSITIVE_INFINITY : Number(length);
          body = Buffer.from(head.slice(end + 4), 'latin1');
        }
        if (body.length === 0) return;
        if (firstDataAt === 0) firstDataAt = performance.now();
        missing -= body.length;
        tail = (tail + body.subarray(-5).toString('latin1')).slice(-5);
        if (missing > 0 && !(missing === Number.POSITIVE_INFINITY && tail === '0\r\n\r\n')) return;
        this.#onBytes = () => {};
        this.#socket.removeListener('close', reject);
        resolve({ firstByteMs: firstDataAt - started, totalMs: performance.now() - started });
      };
      this.#socket.write(bytes);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}

export interface UpstreamRequest {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** A request as clients write it. */
export function requestBytes({ port, path, headers, body }: UpstreamRequest): Buffer {
  const text = JSON.stringify(body);
  const lines = Object.entries({
    host: `127.0.0.1:${port}`,
    accept: 'application/json',
    'content-type': 'application/json',
    'user-agent': 'OpenAI/JS 6.0.0',
    'x-stainless-lang': 'js',
    'x-stainless-runtime': 'node',
    'accept-language': '*',
    'accept-encoding': 'identity',
    ...headers,
    'content-length': String(Buffer.byteLength(text)),
  }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${text}`);
}
