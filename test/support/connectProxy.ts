import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** The proxy's response to a CONNECT request: it opens a tunnel, replies with a status, hangs up, or is silent. */
export type ProxyBehavior = 'tunnel' | 'close' | 'silence' | number;

export interface ConnectProxy {
  /** Such as `127.0.0.1:41234`. */
  readonly host: string;
  /** Settles when the first tunnel is requested. */
  readonly opened: Promise<void>;
  /** The CONNECT requests, in order. */
  readonly connectRequests: readonly Pick<IncomingMessage, 'url' | 'headers'>[];
  close(): Promise<void>;
}

export interface ConnectProxyOptions {
  readonly behavior?: ProxyBehavior;
  /** The target of every tunnel, regardless of the requested one. */
  readonly port?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** A forward proxy on loopback that opens tunnels to a single server with CONNECT. */
export async function startConnectProxy({
  behavior = 'tunnel',
  port = 0,
  tls,
}: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const opened = Promise.withResolvers<void>();
  const connectRequests: Pick<IncomingMessage, 'url' | 'headers'>[] = [];
  const sockets = new Set<Socket>();
  const server = tls ? createTlsServer(tls) : createServer();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => {}));
  });
  server.on('request', (_request, res) => res.writeHead(405).end());
  server.on('connect', ({ url, headers }: IncomingMessage, client: Socket) => {
    connectRequests.push({ url, headers });
    opened.resolve();
    client.on('error', () => {});
    if (behavior === 'silence') return;
    if (behavior === 'close') {
      client.destroy();
      return;
    }
    if (behavior !== 'tunnel') {
      client.end(`HTTP/1.1 ${behavior} No\r\nContent-Length: 4\r\nContent-Type: text/html\r\n\r\n<no>`);
      return;
    }
    const upstream = connect(port, '127.0.0.1').on('error', () => client.destroy());
    sockets.add(upstream);
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    client.pipe(upstream).pipe(client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    opened: opened.promise,
    connectRequests,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
