import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';
import { errorBody } from '../errorFormat.ts';
import { invalidRequest } from '../httpError.ts';
import { readRequestBody } from '../requestBody.ts';
import type { Upstream, UpstreamCall, UpstreamReply } from '../upstreams/upstream.ts';
import { readCapped, upstreamError } from '../upstreams/upstreamFailure.ts';
import { type Conversion, type ConvertedRequest, conversionBetween, convertedError } from './conversion.ts';
import type { ConvertedStream } from './replies/convertedStream.ts';

/** JSON.stringify runs out of stack on much deeper bodies. */
const maxDepth = 500;

/** The most bytes of a reply that is not streamed. */
const maxReplyBytes = 64 * 1024 * 1024;

/** The most bytes of an error that are read. */
const maxErrorBytes = 64 * 1024;

/**
 * Asks a model in the caller's format, or in the first of its own that the request can be converted into.
 *
 * @param formats in which the model can be asked, the one that suits it best first
 * @throws {HttpError} as `upstream.send`, and 400 for a request that would lose content or a constraint
 */
export async function askUpstream(
  upstream: Pick<Upstream, 'name' | 'send'>,
  formats: readonly TextFormatId[],
  call: UpstreamCall,
): Promise<UpstreamReply> {
  const { format: from, framing } = call.request;
  const to = formats.includes(from) ? undefined : formats.find((format) => conversionBetween(from, format));
  const conversion = to && conversionBetween(from, to);
  if (!to || !conversion) return upstream.send(call);
  if (call.body.depth > maxDepth)
    throw invalidRequest(`The body is nested deeper than ${maxDepth} levels.`, 'invalid_json');
  const converted = conversion.request(call.body.bytes, { model: call.model, framing });
  const reply = await upstream.send({ ...call, ...requestIn(to, converted, call) });
  return convertedAnswer(reply, { upstream: upstream.name, conversion, converted, call });
}

function requestIn(
  format: TextFormatId,
  { body, streamed }: ConvertedRequest,
  { headers }: UpstreamCall,
): Pick<UpstreamCall, 'request' | 'body' | 'headers' | 'query'> {
  const isInRoute = format === 'contentGeneration';
  return {
    request: { format, ...(isInRoute && { framing: streamed ? 'events' : 'whole' }) },
    body: readRequestBody(Buffer.from(JSON.stringify(body))),
    headers: withoutOwn(headers),
    // The caller's parameters are of its own format.
    query: '',
  };
}

/** Headers that belong to the caller's format and library, and those that let the reply be compressed. */
const callersOwn =
  /^(anthropic-|vendor-|x-goog-|openai-|x-stainless-|(accept|accept-encoding|content-encoding)$)/;

function withoutOwn(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !callersOwn.test(name)));
}

interface Asked {
  /** The name of the upstream. */
  readonly upstream: string;
  readonly conversion: Conversion;
  readonly converted: ConvertedRequest;
  readonly call: UpstreamCall;
}

async function convertedAnswer(reply: UpstreamReply, asked: Asked): Promise<UpstreamReply> {
  const { upstream, converted, call } = asked;
  const { 'content-type': _, 'content-length': __, 'content-encoding': encoding, ...kept } = reply.headers;
  if (encoding !== undefined && encoding !== 'identity') throw compressed(upstream);
  const headers = { ...kept, ...headersOf(asked) };
  if (reply.status < 200 || reply.status > 299) return convertedFailure(reply, headers, call);
  const names = { id: randomUUID(), createdAt: new Date(), requestId: call.requestId };
  if (converted.streamed) {
    const stream = converted.stream(names);
    const body = convertedBytes(reply.body, stream, upstream);
    return { status: reply.status, headers: { ...headers, 'content-type': stream.contentType }, body };
  }
  const bytes = await readCapped(bytesOf(reply.body), maxReplyBytes);
  if (!bytes)
    throw upstreamError(502, `Upstream '${upstream}' sent more than 64 MiB.`, 'upstream_reply_size');
  return jsonReply(reply.status, headers, converted.reply(bytes, names));
}

/** What the reply tells of its conversion. */
function headersOf({ conversion, converted }: Asked): Readonly<Record<string, string>> {
  const { dropped } = converted;
  return {
    'x-gateway-conversion': conversion.name,
    ...(dropped.length > 0 && { 'x-gateway-dropped': dropped.join(', ') }),
  };
}

async function convertedFailure(
  { status, body }: UpstreamReply,
  headers: Readonly<Record<string, string>>,
  { request, requestId }: UpstreamCall,
): Promise<UpstreamReply> {
  const bytes = await readCapped(bytesOf(body), maxErrorBytes);
  const error = convertedError(status, bytes?.toString() ?? '');
  return jsonReply(status, { ...error.headers, ...headers }, errorBody(error, request.format, requestId));
}

function jsonReply(status: number, headers: Readonly<Record<string, string>>, value: object): UpstreamReply {
  const bytes = Buffer.from(JSON.stringify(value));
  const described = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(bytes.length),
  };
  return { status, headers: { ...headers, ...described }, body: once(bytes) };
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

async function* bytesOf(body: UpstreamReply['body']): AsyncIterable<Uint8Array> {
  for await (const piece of body) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}

/** Ends early after an error, which closes the upstream's reply, and throws where that was cut. */
async function* convertedBytes(
  body: UpstreamReply['body'],
  stream: ConvertedStream,
  upstream: string,
): AsyncIterable<string> {
  for await (const bytes of bytesOf(body)) {
    const text = stream.write(bytes);
    if (text !== '') yield text;
    if (stream.isOver && !stream.isCut) return;
  }
  const rest = stream.end();
  if (rest !== '') yield rest;
  if (stream.isCut)
    throw upstreamError(502, `The reply of upstream '${upstream}' was cut.`, 'upstream_reply_cut');
}

function compressed(upstream: string) {
  const message = `Upstream '${upstream}' sent a compressed reply, though it was asked not to. It cannot be converted.`;
  return upstreamError(502, message, 'upstream_reply_encoding');
}
