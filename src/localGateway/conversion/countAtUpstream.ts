import { isObject, type JsonObject, parseJson } from '../../base/json.ts';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';
import { readRequestBody } from '../requestBody.ts';
import { uncompressed } from '../upstreams/unreadableReply.ts';
import { cannotCount } from '../upstreams/unsupported.ts';
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
 * request can be converted into.
 *
 * @throws {HttpError} as `upstream.sendCount`, and 400 for a request that would lose something, or where nobody counts
 */
export async function countAtUpstream(
  upstream: CountingUpstream,
  call: UpstreamCall,
  { request, answer }: CallersCount,
): Promise<UpstreamReply> {
  const { format: from } = call.request;
  if (upstream.formatsOf(call.model).includes(from)) return upstream.sendCount(call);
  const to = upstream.countFormatsOf(call.model).find((format) => conversionBetween(from, format));
  const conversion = to && conversionBetween(from, to);
  if (!to || !conversion) throw cannotCount(upstream.name, call.servedModel);
  checkDepth(call.body);
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

function tokensIn(bytes: Uint8Array): number | undefined {
  const told = parseJson(new TextDecoder().decode(bytes));
  if (!isObject(told)) return undefined;
  const tokens = told.totalTokens ?? told.input_tokens;
  return typeof tokens === 'number' ? tokens : undefined;
}
