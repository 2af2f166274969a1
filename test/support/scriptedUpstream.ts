import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface UpstreamRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export interface ScriptedUpstream {
  /** Such as `http://127.0.0.1:41234/v1`. */
  readonly baseUrl: string;
  readonly requests: readonly UpstreamRequest[];
  close(): Promise<void>;
}

/** Starts an upstream that calls `handle` with each request, once it has read the whole body. */
export async function startUpstream(
  handle: (request: UpstreamRequest, res: ServerResponse) => void,
  { tls }: { readonly tls?: { readonly key: string; readonly cert: string } } = {},
): Promise<ScriptedUpstream> {
  const requests: UpstreamRequest[] = [];
  const serve = async (req: IncomingMessage, res: ServerResponse) => {
    const body = Buffer.concat(await req.toArray());
    const { method = '', url: path = '', headers, rawHeaders } = req;
    const request = { method, path, headers, rawHeaders, body };
    requests.push(request);
    handle(request, res);
  };
  const server = tls ? createTlsServer(tls, serve) : createServer(serve);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `${tls ? 'https' : 'http'}://127.0.0.1:${port}/v1`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Starts an upstream with the models `one` and `two`, which refuses requests without this key. */
export function startUpstreamWithKey(key: string): Promise<ScriptedUpstream> {
  return startUpstream(({ headers }, response) => {
    const isKnown = headers.authorization === `Bearer ${key}`;
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
    response.end(isKnown ? '{"data":[{"id":"one"},{"id":"two"}]}' : '{"error":{"message":"who?"}}');
  });
}
