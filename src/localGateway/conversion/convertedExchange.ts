import type { IncomingHttpHeaders } from 'node:http';
import { maxDepth } from '../../wire/apis/shared/messageParts.ts';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';
import { createErrorBody } from '../http/errorReply.ts';
import { invalidRequestError } from '../http/httpError.ts';
import { readRequestBody } from '../http/requestBody.ts';
import { replyCutError } from '../upstreams/unreadableReply.ts';
import type { UpstreamCall, UpstreamReply } from '../upstreams/upstream.ts';
import { invalidReplyError, readCapped } from '../upstreams/upstreamFailure.ts';
import { type Conversion, type ConvertedRequest, convertError } from './conversion.ts';

/** The most bytes of a reply that is not streamed. */
const maxReplyBytes = 64 * 1024 * 1024;

/** The most bytes of an error that are read. The rest is ignored. */
export const maxErrorBytes = 64 * 1024;

/** @throws {HttpError} 400 for a body that is nested too deeply for any conversion */
export function checkDepth({ depth }: UpstreamCall['body']): void {
  if (depth > maxDepth)
    throw invalidRequestError(`The body is nested deeper than ${maxDepth} levels.`, 'invalid_json');
}

/** Creates the members of a call in the upstream's format. */
export function convertCall(
  format: TextFormatId,
  { body, isStreamed }: Pick<ConvertedRequest, 'body' | 'isStreamed'>,
  { headers }: UpstreamCall,
): Pick<UpstreamCall, 'request' | 'body' | 'headers' | 'query'> {
  const isInRoute = format === 'contentGeneration';
  return {
    request: { format, ...(isInRoute && { framing: isStreamed ? 'events' : 'whole' }) },
    body: readRequestBody(Buffer.from(JSON.stringify(body))),
    headers: removeCallerHeaders(headers),
    // The query parameters of the caller belong to its own format.
    query: '',
  };
}

/** Headers that belong to the caller's format and library, and headers that allow compression of the reply. */
const callerHeaders =
  /^(anthropic-|vendor-|x-goog-|openai-|x-stainless-|(accept|accept-encoding|content-encoding)$)/;

function removeCallerHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !callerHeaders.test(name)));
}

/**
 * Selects the headers of the upstream's reply that also apply to the converted reply, and adds headers about the
 * conversion.
 */
export function convertHeaders(
  { headers }: UpstreamReply,
  { name }: Conversion,
  { dropped }: ConvertedRequest,
): Readonly<Record<string, string>> {
  const { 'content-type': _, 'content-length': __, 'content-encoding': ___, ...others } = headers;
  return {
    ...others,
    'x-gateway-conversion': name,
    ...(dropped.length > 0 && { 'x-gateway-dropped': dropped.join(', ') }),
  };
}

export function isFailure({ status }: UpstreamReply): boolean {
  return status < 200 || status > 299;
}

/** Converts a reply with a failure status into the caller's format. */
export async function convertFailure(
  { status, body }: UpstreamReply,
  headers: Readonly<Record<string, string>>,
  { request, requestId }: UpstreamCall,
): Promise<UpstreamReply> {
  // The status is preserved even if the body is cut.
  const bytes = await readCapped(iterateBytes(body), maxErrorBytes).catch(() => undefined);
  const error = convertError(status, bytes?.toString() ?? '');
  return createJsonReply(
    status,
    { ...error.headers, ...headers },
    createErrorBody(error, request.format, requestId),
  );
}

export function createJsonReply(
  status: number,
  headers: Readonly<Record<string, string>>,
  value: object,
): UpstreamReply {
  const bytes = Buffer.from(JSON.stringify(value));
  const contentHeaders = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(bytes.length),
  };
  return { status, headers: { ...headers, ...contentHeaders }, body: yieldPiece(bytes) };
}

/**
 * Reads a reply that is not streamed.
 *
 * @throws {HttpError} if it is too long, or was cut
 */
export async function readReplyBytes({ body }: UpstreamReply, upstream: string): Promise<Uint8Array> {
  const bytes = await readCapped(iterateBytes(body), maxReplyBytes).catch(() => {
    throw replyCutError(upstream);
  });
  if (!bytes) throw invalidReplyError(`Upstream '${upstream}' sent more than 64 MiB.`, 'upstream_reply_size');
  return bytes;
}

export async function* yieldPiece(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

export async function* iterateBytes(body: UpstreamReply['body']): AsyncIterable<Uint8Array> {
  for await (const piece of body) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}
