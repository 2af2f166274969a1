import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type ConvertibleFormat,
  conversionBetween,
  convertedError,
} from '../../src/localGateway/conversion/conversion.ts';
import { errorBody } from '../../src/localGateway/errorFormat.ts';
import { HttpError } from '../../src/localGateway/httpError.ts';
import type { ReplyFraming } from '../../src/localGateway/upstreams/upstream.ts';
import type { SdkTarget } from './sdks/sdk.ts';

export interface ConvertingServer extends SdkTarget {
  close(): Promise<void>;
}

/** Serves one format before a gateway that is asked in another one only. */
export async function startConverting(
  from: ConvertibleFormat,
  to: ConvertibleFormat,
  upstream: SdkTarget,
): Promise<ConvertingServer> {
  const serve = (req: IncomingMessage, res: ServerResponse) =>
    answer(from, to, upstream, req, res).catch((error: unknown) => {
      const told = error instanceof HttpError ? error : undefined;
      res.writeHead(told?.status ?? 500, { 'content-type': 'application/json' });
      res.end(JSON.stringify(told ? errorBody(told, from, 'r') : { error: { message: String(error) } }));
    });
  const server = createServer(serve);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    credential: upstream.credential,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  from: ConvertibleFormat,
  to: ConvertibleFormat,
  { baseUrl, credential }: SdkTarget,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const bytes = Buffer.concat(await req.toArray());
  const url = new URL(req.url ?? '', baseUrl);
  const [, inPath, method] = /\/v1(?:beta)?\/(?:models\/)?(.+):(\w+)$/.exec(url.pathname) ?? [];
  const model = inPath === undefined ? JSON.parse(bytes.toString()).model : decodeURIComponent(inPath);
  const conversion = conversionBetween(from, to);
  const asked = conversion?.request(bytes, { model, framing: framingOf(method, url) });
  if (!asked) throw new TypeError('no conversion');
  const ended = new AbortController();
  res.on('close', () => ended.abort());
  const reply = await fetch(baseUrl + pathOf(to, model, asked.streamed), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': credential,
      authorization: `Bearer ${credential}`,
    },
    body: JSON.stringify(asked.body),
    signal: ended.signal,
  });
  const names = { id: randomUUID(), createdAt: new Date(), requestId: 'r' };
  const headers = { 'x-gateway-dropped': asked.dropped.join(', ') };
  if (!reply.ok) throw convertedError(reply.status, await reply.text());
  if (!asked.streamed) {
    const whole = asked.reply(await reply.bytes(), names);
    res.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(whole));
    return;
  }
  const stream = asked.stream(names);
  res.writeHead(200, { ...headers, 'content-type': stream.contentType });
  for await (const piece of reply.body ?? []) res.write(stream.write(piece));
  const end = stream.end();
  if (stream.isCut) res.destroy();
  else res.end(end);
}

function framingOf(method: string | undefined, { searchParams }: URL): ReplyFraming | undefined {
  if (method === undefined) return undefined;
  if (method !== 'streamGenerateContent') return 'whole';
  return searchParams.get('alt') === 'sse' ? 'events' : 'array';
}

function pathOf(format: ConvertibleFormat, model: string, streamed: boolean): string {
  const generation = `/v1beta/models/${encodeURIComponent(model)}`;
  const paths = {
    chatCompletions: '/v1/chat/completions',
    contentGeneration: streamed
      ? `${generation}:streamGenerateContent?alt=sse`
      : `${generation}:generateContent`,
    messages: '/v1/messages',
    responses: '/v1/responses',
  };
  return paths[format];
}
