import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TestCertificate } from './faultServerCertificates.ts';

/** A proxy's response in place of a tunnel: raw bytes, or an action on the connection. */
export type ProxyFault = (client: Duplex) => void;

export interface ForwardProxyOptions {
  /** The target of every tunnel, regardless of the requested name. */
  readonly target?: number;
  readonly fault?: ProxyFault;
  /** The accepted `Proxy-Authorization`; the proxy requires none if absent. */
  readonly credentials?: string;
  readonly tls?: TestCertificate;
}

/** A CONNECT request, as the proxy received it. */
export interface ConnectRequest {
  readonly authority: string;
  readonly headers: http.IncomingHttpHeaders;
}

export interface ForwardProxy {
  readonly url: string;
  /** Host and port, as shown to users. */
  readonly host: string;
  readonly port: number;
  readonly connectRequests: readonly ConnectRequest[];
  /** Plain requests to forward, without a tunnel. */
  readonly plainRequests: readonly string[];
  /** The open connections. */
  readonly openSockets: ReadonlySet<Socket>;
  close(): Promise<void>;
}

/** A real forward proxy on loopback, which opens tunnels by CONNECT and records the requests. */
export async function startForwardProxy(options: ForwardProxyOptions = {}): Promise<ForwardProxy> {
  const { target = 0, fault, credentials, tls } = options;
  const connectRequests: ConnectRequest[] = [];
  const plainRequests: string[] = [];
  const openSockets = new Set<Socket>();
  const refuse: http.RequestListener = ({ method, url }, response) => {
    plainRequests.push(`${method} ${url}`);
    response.writeHead(400).end();
  };
  const server = tls
    ? https.createServer({ key: tls.key, cert: tls.cert }, refuse)
    : http.createServer(refuse);
  server.on('tlsClientError', () => {});
  server.on('connection', (socket: Socket) => {
    openSockets.add(socket);
    socket.on('close', () => openSockets.delete(socket)).on('error', () => {});
  });
  server.on('connect', ({ url = '', headers }, client: Duplex) => {
    client.on('error', () => {}).on('end', () => client.end());
    connectRequests.push({ authority: url, headers });
    if (credentials !== undefined && headers['proxy-authorization'] !== credentials) {
      client.end('HTTP/1.1 407 Who\r\nproxy-authenticate: Basic realm="office"\r\ncontent-length: 0\r\n\r\n');
    } else if (fault) fault(client.resume());
    else openTunnel(client, target);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    port,
    connectRequests,
    plainRequests,
    openSockets,
    async close() {
      for (const socket of openSockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function openTunnel(client: Duplex, port: number): void {
  const gateway = net.connect(port, '127.0.0.1', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    gateway.pipe(client).pipe(gateway);
  });
  gateway.on('error', () => client.destroy()).on('close', () => client.destroy());
  client.on('close', () => gateway.destroy());
}

/** Creates a fault that replies with a status and a page, as proxies do. */
export function replyWithPage(status: number): ProxyFault {
  const page = `<html><body>ERR_CACHE ${status}</body></html>`;
  return (client) =>
    client.end(
      `HTTP/1.1 ${status} Proxied\r\ncontent-type: text/html\r\ncontent-length: ${page.length}\r\n\r\n${page}`,
    );
}

/** Creates a fault that sends these bytes, then `last` after the client's first bytes, and hangs up. */
export function replyWithBytes(bytes: string, last?: string): ProxyFault {
  return (client) => {
    if (last === undefined) client.end(bytes);
    else client.once('data', () => client.end(last)).write(bytes);
  };
}

/** Creates the value of an authorization header. */
export function createBasicHeader(userAndPassword: string): string {
  return `Basic ${Buffer.from(userAndPassword).toString('base64')}`;
}

/** Finds a closed port of this machine. */
export async function findClosedPort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
