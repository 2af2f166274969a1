import { isObject, type JsonObject, parseForWriting, parseJson } from '../../base/json.ts';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';
import { readErrorBody } from '../../wire/failures/errorBody.ts';
import { reportsMissingRoute } from '../../wire/failures/errorWords.ts';
import { readRequestBody } from '../http/requestBody.ts';
import { decompressReply } from '../upstreams/unreadableReply.ts';
import type { Upstream, UpstreamCall, UpstreamReply } from '../upstreams/upstream.ts';
import { invalidReplyError, readCapped } from '../upstreams/upstreamFailure.ts';
import { findConversion } from './conversion.ts';
import {
  checkDepth,
  convertCall,
  convertFailure,
  convertHeaders,
  createJsonReply,
  isFailure,
  iterateBytes,
  maxErrorBytes,
  readReplyBytes,
  yieldPiece,
} from './convertedExchange.ts';

export type CountingUpstream = Pick<Upstream, 'name' | 'listFormats' | 'findCacheSupport'> &
  Required<Pick<Upstream, 'listCountFormats' | 'sendCount'>>;

/** The caller's request for a count. */
interface CountRequest {
  /** Creates the request whose tokens are counted, in the form that is sent to the model. */
  createRequest(): object;
  writeReply(tokens: number): object;
}

/**
 * Lets an upstream count the tokens of a request in the caller's format, or in the first of its own formats that
 * the request can be converted into. If the upstream cannot count, the reply has an estimate, and a header reports
 * this.
 *
 * @throws {HttpError} as `upstream.sendCount`, and 400 for a request that would lose content or a constraint
 */
export async function countAtUpstream(
  upstream: CountingUpstream,
  call: UpstreamCall,
  { createRequest, writeReply }: CountRequest,
): Promise<UpstreamReply> {
  const { format: from } = call.request;
  const estimate = () => {
    const headers = { 'x-upstream': upstream.name, 'x-gateway-token-count': 'estimated' };
    return createJsonReply(200, headers, writeReply(estimateTokenCount(createRequest())));
  };
  const formats = upstream.listCountFormats(call.model);
  if (formats.includes(from)) return (await requestCount(upstream, setInnerModel(call))) ?? estimate();
  checkDepth(call.body);
  const isServed = upstream.listFormats(call.model).includes(from);
  const to = isServed ? undefined : formats.find((format) => findConversion(from, format));
  const conversion = to && findConversion(from, to);
  if (!to || !conversion) return estimate();
  const requestBytes = Buffer.from(JSON.stringify(createRequest()));
  const converted = conversion.convertRequest(readRequestBody(requestBytes).bytes, {
    model: call.model,
    framing: 'whole',
    caching: upstream.findCacheSupport?.(to, call.model),
  });
  const body = selectCountedFields(to, converted.body as JsonObject, call.model);
  const upstreamReply = await requestCount(upstream, {
    ...call,
    ...convertCall(to, { body, isStreamed: false }, call),
  });
  if (!upstreamReply) return estimate();
  const reply = decompressReply(upstreamReply, upstream.name);
  const headers = convertHeaders(reply, conversion, converted);
  if (isFailure(reply)) return convertFailure(reply, headers, call);
  const tokens = readTokenCount(await readReplyBytes(reply, upstream.name));
  if (tokens === undefined)
    throw invalidReplyError(`Upstream '${upstream.name}' did not return a token count.`, 'upstream_reply');
  return createJsonReply(reply.status, headers, writeReply(tokens));
}

const noRouteStatuses: ReadonlySet<number> = new Set([404, 405, 501]);

/** Returns the reply of the upstream; undefined if the upstream has no route for counts. Relays often have none. */
async function requestCount(
  upstream: CountingUpstream,
  call: UpstreamCall,
): Promise<UpstreamReply | undefined> {
  const upstreamReply = await upstream.sendCount(call);
  if (!noRouteStatuses.has(upstreamReply.status)) return upstreamReply;
  const reply = decompressReply(upstreamReply, upstream.name);
  const bytes =
    (await readCapped(iterateBytes(reply.body), maxErrorBytes).catch(() => undefined)) ?? Buffer.alloc(0);
  const report = readErrorBody(bytes.toString());
  const hasRoute =
    reply.status === 404 && bytes.length > 0 && !report.isHtml && !reportsMissingRoute(report, true);
  return hasRoute ? { ...reply, body: yieldPiece(bytes) } : undefined;
}

/** Sets the upstream's ID of the model in the nested request of content generation. */
function setInnerModel(call: UpstreamCall): UpstreamCall {
  if (call.request.format !== 'contentGeneration') return call;
  checkDepth(call.body);
  const body = parseForWriting(new TextDecoder().decode(call.body.bytes));
  const wrapper = isObject(body) && wrapperNames.find((name) => isObject(body[name]));
  if (!isObject(body) || !wrapper) return call;
  const inner = { ...(body[wrapper] as JsonObject), model: `models/${call.model}` };
  return { ...call, body: readRequestBody(Buffer.from(JSON.stringify({ ...body, [wrapper]: inner }))) };
}

/** The member that may contain a nested request, in both spellings of the provider. */
const wrapperNames = ['generateContentRequest', 'generate_content_request'];

/** The tokens of a picture of average size at most providers. */
const fileTokens = 1_000;

/** The shortest text without spaces that may be the content of a file. */
const minFileLength = 200;

/** Estimates one token for four bytes, which is close to the counts of most providers. */
function estimateTokenCount(request: object): number {
  let files = 0;
  const text = JSON.stringify(request, (name, value: unknown) => {
    if (name === 'model') return undefined;
    if (typeof value !== 'string' || value.length < minFileLength || !isFileContent(value)) return value;
    files++;
    return '';
  });
  return Math.ceil(Buffer.byteLength(text) / 4) + files * fileTokens;
}

function isFileContent(text: string): boolean {
  return text.startsWith('data:') || /^[\w+/=-]+$/.test(text);
}

/** The fields that routes for counts accept. */
const countedFields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'thinking',
  'input',
  'instructions',
  'reasoning',
  'text',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'contents',
  'systemInstruction',
  'toolConfig',
]);

function selectCountedFields(format: TextFormatId, body: JsonObject, model: string): object {
  const members = Object.fromEntries(Object.entries(body).filter(([name]) => countedFields.has(name)));
  if (format !== 'contentGeneration') return members;
  // Instructions and tools are only counted within a nested request.
  return { generateContentRequest: { model: `models/${model}`, ...members } };
}

/** A larger count is treated as invalid. */
const maxTokens = 1e12;

function readTokenCount(bytes: Uint8Array): number | undefined {
  const reply = parseJson(new TextDecoder().decode(bytes));
  if (!isObject(reply)) return undefined;
  const tokens = reply.totalTokens ?? reply.input_tokens;
  return typeof tokens === 'number' && tokens >= 0 && tokens <= maxTokens ? Math.round(tokens) : undefined;
}
