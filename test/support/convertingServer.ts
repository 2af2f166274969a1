import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { askUpstream } from '../../src/localGateway/conversion/askUpstream.ts';
import type { ConvertibleFormat } from '../../src/localGateway/conversion/conversion.ts';
import { errorBody } from '../../src/localGateway/errorFormat.ts';
import { HttpError } from '../../src/localGateway/httpError.ts';
import { modelField, readRequestBody } from '../../src/localGateway/requestBody.ts';
import type { ReplyFraming, Upstream } from '../../src/localGateway/upstreams/upstream.ts';
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
  upstream: SdkTarget,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const bytes = Buffer.concat(await req.toArray());
  const url = new URL(req.url ?? '', upstream.baseUrl);
  const [, inPath, method] = /\/v1(?:beta)?\/(?:models\/)?(.+):(\w+)$/.exec(url.pathname) ?? [];
  const body = readRequestBody(bytes);
  const model = inPath === undefined ? modelField(body) : decodeURIComponent(inPath);
  const framing = framingOf(method, url);
  const ended = new AbortController();
  res.on('close', () => ended.abort());
  const reply = await askUpstream(askedIn(to, upstream), [to], {
    ...{ request: { format: from, ...(framing && { framing }) }, body, headers: req.headers },
    ...{ servedModel: model, model, requestId: 'r', signal: ended.signal },
  });
  res.writeHead(reply.status, reply.headers);
  try {
    for await (const piece of reply.body) res.write(piece);
    res.end();
  } catch {
    res.destroy();
  }
}

/** An upstream that serves one format. */
function askedIn(
  format: ConvertibleFormat,
  { baseUrl, credential }: SdkTarget,
): Pick<Upstream, 'name' | 'send'> {
  return {
    name: 'other',
    async send({ request, body, model, signal }) {
      assert.equal(request.format, format);
      const reply = await fetch(baseUrl + pathOf(format, model, request.framing === 'events'), {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${credential}` },
        body: Buffer.from(body.bytes),
        signal,
      });
      assert.ok(reply.body);
      const contentType = reply.headers.get('content-type') ?? '';
      return { status: reply.status, headers: { 'content-type': contentType }, body: reply.body };
    },
  };
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
