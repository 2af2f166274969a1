import { isObject, type JsonObject, parseForWriting, parseJson } from '../../../base/json.ts';
import type { TextFormatId } from '../../../wire/apis/textFormats.ts';
import { readErrorBody } from '../../../wire/errorBody.ts';
import { tellsNoRoute } from '../../../wire/errorWords.ts';
import { readRequestBody } from '../../http/requestBody.ts';
import { uncompressed } from '../../upstreams/unreadableReply.ts';
import type { Upstream, UpstreamCall, UpstreamReply } from '../../upstreams/upstream.ts';
import { invalidReply, readCapped } from '../../upstreams/upstreamFailure.ts';
import { conversionBetween } from './conversion.ts';
import {
  bytesOf,
  checkDepth,
  convertedFailure,
  convertedHeaders,
  isFailure,
  jsonReply,
  maxErrorBytes,
  once,
  requestIn,
  wholeBody,
} from './convertedExchange.ts';

export type CountingUpstream = Pick<Upstream, 'name' | 'formatsOf'> &
  Required<Pick<Upstream, 'countFormatsOf' | 'sendCount'>>;

/** How the caller counts. */
export interface CallersCount {
  /** The request that is counted, as it would be sent to the model. */
  request(): object;
  answer(tokens: number): object;
}

/**
 * Lets an upstream count the tokens of a request in the caller's format, or in the first of its own that the
 * request can be converted into. Where it cannot count, the answer is an estimate, which a header says.
 *
 * @throws {HttpError} as `upstream.sendCount`, and 400 for a request that would lose something
 */
export async function countAtUpstream(
  upstream: CountingUpstream,
  call: UpstreamCall,
  { request, answer }: CallersCount,
): Promise<UpstreamReply> {
  const { format: from } = call.request;
  const estimate = () => {
    const headers = { 'x-upstream': upstream.name, 'x-gateway-token-count': 'estimated' };
    return jsonReply(200, headers, answer(estimatedTokens(request())));
  };
  const formats = upstream.countFormatsOf(call.model);
  if (formats.includes(from)) return (await counted(upstream, withInnerModel(call))) ?? estimate();
  checkDepth(call.body);
  const isServed = upstream.formatsOf(call.model).includes(from);
  const to = isServed ? undefined : formats.find((format) => conversionBetween(from, format));
  const conversion = to && conversionBetween(from, to);
  if (!to || !conversion) return estimate();
  const asked = Buffer.from(JSON.stringify(request()));
  const converted = conversion.request(readRequestBody(asked).bytes, { model: call.model, framing: 'whole' });
  const body = countedBody(to, converted.body as JsonObject, call.model);
  const sent = await counted(upstream, { ...call, ...requestIn(to, { body, streamed: false }, call) });
  if (!sent) return estimate();
  const reply = uncompressed(sent, upstream.name);
  const headers = convertedHeaders(reply, conversion, converted);
  if (isFailure(reply)) return convertedFailure(reply, headers, call);
  const tokens = tokensIn(await wholeBody(reply, upstream.name));
  if (tokens === undefined)
    throw invalidReply(`Upstream '${upstream.name}' sent no token count.`, 'upstream_reply');
  return jsonReply(reply.status, headers, answer(tokens));
}

const noRouteStatuses: ReadonlySet<number> = new Set([404, 405, 501]);

/** The reply of the upstream; undefined where it has no route for counts, as many relays. */
async function counted(upstream: CountingUpstream, call: UpstreamCall): Promise<UpstreamReply | undefined> {
  const sent = await upstream.sendCount(call);
  if (!noRouteStatuses.has(sent.status)) return sent;
  const reply = uncompressed(sent, upstream.name);
  const bytes =
    (await readCapped(bytesOf(reply.body), maxErrorBytes).catch(() => undefined)) ?? Buffer.alloc(0);
  const report = readErrorBody(bytes.toString());
  const isRoute = reply.status === 404 && bytes.length > 0 && !report.html && !tellsNoRoute(report, true);
  return isRoute ? { ...reply, body: once(bytes) } : undefined;
}

/** The call with the upstream's id of the model also where the request within names it. */
function withInnerModel(call: UpstreamCall): UpstreamCall {
  if (call.request.format !== 'contentGeneration') return call;
  checkDepth(call.body);
  const body = parseForWriting(new TextDecoder().decode(call.body.bytes));
  const wrapper = isObject(body) && wrappers.find((name) => isObject(body[name]));
  if (!isObject(body) || !wrapper) return call;
  const inner = { ...(body[wrapper] as JsonObject), model: `models/${call.model}` };
  return { ...call, body: readRequestBody(Buffer.from(JSON.stringify({ ...body, [wrapper]: inner }))) };
}

/** The member that may hold the request, in both spellings of the provider. */
const wrappers = ['generateContentRequest', 'generate_content_request'];

/** What providers count for a picture of usual size. */
const fileTokens = 1_000;

/** How long a text without spaces is that may be the content of a file. */
const leastFileLength = 200;

/** About as many tokens as models of most providers make of the text: one for four bytes. */
function estimatedTokens(request: object): number {
  let files = 0;
  const text = JSON.stringify(request, (name, value: unknown) => {
    if (name === 'model') return undefined;
    if (typeof value !== 'string' || value.length < leastFileLength || !isFile(value)) return value;
    files++;
    return '';
  });
  return Math.ceil(Buffer.byteLength(text) / 4) + files * fileTokens;
}

function isFile(text: string): boolean {
  return text.startsWith('data:') || /^[\w+/=-]+$/.test(text);
}

/** What is counted. Routes for counts refuse the rest. */
const countedFields: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'system', 'thinking', 'input', 'instructions', 'reasoning', 'text'],
  ...['tools', 'tool_choice', 'parallel_tool_calls', 'contents', 'systemInstruction', 'toolConfig'],
]);

function countedBody(format: TextFormatId, body: JsonObject, model: string): object {
  const kept = Object.fromEntries(Object.entries(body).filter(([name]) => countedFields.has(name)));
  if (format !== 'contentGeneration') return kept;
  // Only within a whole request are instructions and tools counted.
  return { generateContentRequest: { model: `models/${model}`, ...kept } };
}

/** More than any request has. */
const maxTokens = 1e12;

function tokensIn(bytes: Uint8Array): number | undefined {
  const told = parseJson(new TextDecoder().decode(bytes));
  if (!isObject(told)) return undefined;
  const tokens = told.totalTokens ?? told.input_tokens;
  return typeof tokens === 'number' && tokens >= 0 && tokens <= maxTokens ? Math.round(tokens) : undefined;
}
