import { randomUUID } from 'node:crypto';
import type { TextFormatId } from '../../../wire/apis/textFormats.ts';
import { replyCut, uncompressed } from '../../upstreams/unreadableReply.ts';
import type { Upstream, UpstreamCall, UpstreamReply } from '../../upstreams/upstream.ts';
import { type Conversion, type ConvertedRequest, conversionBetween } from './conversion.ts';
import {
  bytesOf,
  checkDepth,
  convertedFailure,
  convertedHeaders,
  isFailure,
  jsonReply,
  requestIn,
  wholeBody,
} from './convertedExchange.ts';
import type { ConvertedStream } from './convertedReply.ts';

/**
 * Asks a model in the caller's format, or in the first of its own that the request can be converted into.
 *
 * @param formats in which the model can be asked, the one that suits it best first
 * @throws {HttpError} as `upstream.send`, and 400 for a request that would lose content or a constraint
 */
export function askUpstream(
  upstream: Pick<Upstream, 'name' | 'send'>,
  formats: readonly TextFormatId[],
  call: UpstreamCall,
): Promise<UpstreamReply> {
  const { format: from } = call.request;
  const to = formats.includes(from) ? undefined : formats.find((format) => conversionBetween(from, format));
  const conversion = to && conversionBetween(from, to);
  return to && conversion ? askConverted(upstream, to, conversion, call) : upstream.send(call);
}

async function askConverted(
  upstream: Pick<Upstream, 'name' | 'send'>,
  to: TextFormatId,
  conversion: Conversion,
  call: UpstreamCall,
): Promise<UpstreamReply> {
  checkDepth(call.body);
  const { framing } = call.request;
  const converted = conversion.request(call.body.bytes, { model: call.model, framing });
  const reply = await upstream.send({ ...call, ...requestIn(to, converted, call) });
  return convertedAnswer(uncompressed(reply, upstream.name), {
    upstream: upstream.name,
    conversion,
    converted,
    call,
  });
}

interface Asked {
  /** The name of the upstream. */
  readonly upstream: string;
  readonly conversion: Conversion;
  readonly converted: ConvertedRequest;
  readonly call: UpstreamCall;
}

async function convertedAnswer(reply: UpstreamReply, asked: Asked): Promise<UpstreamReply> {
  const { upstream, conversion, converted, call } = asked;
  const headers = convertedHeaders(reply, conversion, converted);
  if (isFailure(reply)) return convertedFailure(reply, headers, call);
  const names = { id: randomUUID(), createdAt: new Date(), requestId: call.requestId };
  if (converted.streamed) {
    const stream = converted.stream(names);
    const body = convertedBytes(reply.body, stream, upstream);
    return { status: reply.status, headers: { ...headers, 'content-type': stream.contentType }, body };
  }
  const bytes = await wholeBody(reply, upstream);
  return jsonReply(reply.status, headers, converted.reply(bytes, names));
}

/** Ends early after an error, which closes the upstream's reply, and throws where that was cut. */
async function* convertedBytes(
  body: UpstreamReply['body'],
  stream: ConvertedStream,
  upstream: string,
): AsyncIterable<string> {
  let isBroken = false;
  try {
    for await (const bytes of bytesOf(body)) {
      const text = stream.write(bytes);
      if (text !== '') yield text;
      if (stream.isOver && !stream.isCut) return;
    }
  } catch {
    isBroken = true;
  }
  const rest = isBroken ? stream.cut() : stream.end();
  if (rest !== '') yield rest;
  if (stream.isCut) throw replyCut(upstream);
}
