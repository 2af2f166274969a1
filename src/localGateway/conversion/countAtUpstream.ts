import { isObject, type JsonObject, parseJson } from '../../base/json.ts';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';
import { readRequestBody } from '../requestBody.ts';
import { uncompressed } from '../upstreams/unreadableReply.ts';
import type { Upstream, UpstreamCall, UpstreamReply } from '../upstreams/upstream.ts';
import { invalidReply } from '../upstreams/upstreamFailure.ts';
import { conversionBetween } from './conversion.ts';
import {
  checkDepth,
  convertedFailure,
  convertedHeaders,
  isFailure,
  jsonReply,
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
  const formats = upstream.countFormatsOf(call.model);
  if (formats.includes(from)) return upstream.sendCount(call);
  checkDepth(call.body);
  const isServed = upstream.formatsOf(call.model).includes(from);
  const to = isServed ? undefined : formats.find((format) => conversionBetween(from, format));
  const conversion = to && conversionBetween(from, to);
  if (!to || !conversion) {
    const headers = { 'x-upstream': upstream.name, 'x-gateway-token-count': 'estimated' };
    return jsonReply(200, headers, answer(estimatedTokens(request())));
  }
  const asked = Buffer.from(JSON.stringify(request()));
  const converted = conversion.request(readRequestBody(asked).bytes, { model: call.model, framing: 'whole' });
  const body = countedBody(to, converted.body as JsonObject, call.model);
  const sent = await upstream.sendCount({ ...call, ...requestIn(to, { body, streamed: false }, call) });
  const reply = uncompressed(sent, upstream.name);
  const headers = convertedHeaders(reply, conversion, converted);
  if (isFailure(reply)) return convertedFailure(reply, headers, call);
  const tokens = tokensIn(await wholeBody(reply, upstream.name));
  if (tokens === undefined)
    throw invalidReply(`Upstream '${upstream.name}' sent no token count.`, 'upstream_reply');
  return jsonReply(reply.status, headers, answer(tokens));
}

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
const counted: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'system', 'thinking', 'input', 'instructions', 'reasoning', 'text'],
  ...['tools', 'tool_choice', 'parallel_tool_calls', 'contents', 'systemInstruction', 'toolConfig'],
]);

function countedBody(format: TextFormatId, body: JsonObject, model: string): object {
  const kept = Object.fromEntries(Object.entries(body).filter(([name]) => counted.has(name)));
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
