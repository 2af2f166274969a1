import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';

/** A request as the fault server received it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  /** By lower-case name; repeated headers are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One connection; the test writes the bytes of the reply. */
export interface FaultConnection {
  /** Sends bytes unchanged and waits until they have left. Returns whether the connection is still open. */
  write(bytes: string | Uint8Array): Promise<boolean>;
  /** Sends a status line and headers. Everything written later is the body, up to the end of the connection. */
  writeHead(status: number, headers?: Readonly<Record<string, string>>): Promise<boolean>;
  /** Sends a whole reply with its length. */
  respond(
    status: number,
    headers: Readonly<Record<string, string>>,
    body?: string | Uint8Array,
  ): Promise<void>;
  /** Begins an event stream that lasts until the connection ends. */
  beginStream(): Promise<boolean>;
  /** Ends the connection cleanly (FIN). */
  end(): void;
  /** Breaks the connection off (RST). */
  reset(): void;
  /** Settles once the client has closed the connection. */
  readonly closed: Promise<unknown>;
}

/** Handles one request. The connection stays open until `end`, `reset` or the end of the test. */
export type ConnectionScript = (connection: FaultConnection, request: ReceivedRequest) => unknown;

export interface FaultServer {
  readonly baseUrl: string;
  readonly port: number;
  readonly requests: readonly ReceivedRequest[];
  /** The number of connections so far. */
  readonly connections: number;
  close(): Promise<void>;
}

export interface FaultServerOptions {
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** Starts a server on loopback that sends exactly the bytes of `script`, even if they are malformed. */
export async function startFaultServer(
  script: ConnectionScript,
  options: FaultServerOptions = {},
): Promise<FaultServer> {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<net.Socket>();
  let connections = 0;

  const serve = (socket: net.Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // Many tests are about a client that hangs up.
    socket.on('error', () => {});
    socket.setNoDelay(true);
    const connection = createConnection(socket);
    readRequests(socket, (request) => {
      requests.push(request);
      void script(connection, request);
    });
  };
  const server = options.tls ? tls.createServer(options.tls, serve) : net.createServer(serve);
  if (options.tls) server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    baseUrl: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    requests,
    get connections() {
      return connections;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function createConnection(socket: net.Socket): FaultConnection {
  const write = async (bytes: string | Uint8Array) => {
    if (!socket.writable) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    socket.write(bytes, (error) => resolve(!error));
    return promise;
  };
  const writeHead = (status: number, headers: Readonly<Record<string, string>> = {}) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return write(`HTTP/1.1 ${status} Scripted\r\n${lines.join('')}\r\n`);
  };
  return {
    write,
    writeHead,
    async respond(status, headers, body = '') {
      await writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
      await write(body);
    },
    beginStream: () => writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' }),
    end: () => void socket.end(),
    reset: () => void socket.resetAndDestroy(),
    closed: new Promise((resolve) => socket.once('close', resolve)),
  };
}

/** Reads requests with a length, one after another; supports only the HTTP that the tests need. */
function readRequests(socket: net.Socket, onRequest: (request: ReceivedRequest) => void): void {
  let received = Buffer.alloc(0);
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, bytes]);
    for (;;) {
      const headEnd = received.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const [requestLine = '', ...lines] = received.subarray(0, headEnd).toString().split('\r\n');
      const headers = readHeaders(lines);
      const end = headEnd + 4 + Number(headers['content-length'] ?? 0);
      if (received.length < end) return;
      const [method = '', path = ''] = requestLine.split(' ');
      const body = received.subarray(headEnd + 4, end).toString();
      received = received.subarray(end);
      onRequest({ method, path, headers, body });
    }
  });
}

function readHeaders(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}

/** Creates a script that replies with this status and body. */
export function replyWith(status: number, body = ''): ConnectionScript {
  return (connection) => connection.respond(status, {}, body);
}
