import { isObject, parseJson } from '../../base/json.ts';
import type { OpenedRequest } from '../requestHistory.ts';
import type { RequestFigures } from '../requestRecord.ts';

/** What a report says of the programs, by their names, such as `VS Code`. */
export type Versions = Readonly<Record<string, string>>;

const maxReplyLength = 4096;

/**
 * A request for whoever runs the gateway: versions, class, ids, times, headers and the reply. Prompts are left out; of
 * the request's body only its fields are told, and how long their texts are.
 */
export function requestReport({ figures, content }: OpenedRequest, versions: Versions): string {
  const body = content?.requestBody;
  const reply = content && [...content.reply.beginning, ...content.reply.end].map(({ text }) => text);
  return [
    lines(Object.entries(versions)),
    lines([
      ['Request', `${figures.method} ${figures.url}`],
      ['Time', new Date(figures.requestedAt).toISOString()],
      ['Request id', figures.requestId],
      ['Gateway request id', figures.gatewayRequestId],
      ['Model', figures.model],
      ['Status', String(figures.status ?? 'no reply')],
      ['Class', figures.failure && [figures.failure.kind, figures.failure.reason].filter(Boolean).join(', ')],
      ['Cause', figures.failure?.message],
      ['Times', timesOf(figures)],
      ['Bytes received', String(figures.bytesReceived)],
    ]),
    ...(content ? [`Request headers\n${lines(Object.entries(content.requestHeaders))}`] : []),
    ...(body ? [`Request body, texts left out\n${withoutTexts(body.text)}`] : []),
    ...(content ? [`Reply headers\n${lines(Object.entries(content.replyHeaders))}`] : []),
    // A reply that succeeded holds what was said, and nothing that explains a failure.
    ...(reply && figures.failure && (figures.status ?? 0) >= 300
      ? [`Reply\n${reply.join('\n\n').slice(0, maxReplyLength)}`]
      : []),
  ].join('\n\n');
}

function timesOf({ sentMs, headersMs, firstByteMs, lastByteMs, totalMs }: RequestFigures): string {
  const times = Object.entries({
    connected: sentMs,
    headers: headersMs,
    'first byte': firstByteMs,
    'last byte': lastByteMs,
    end: totalMs,
  });
  return times.flatMap(([name, ms]) => (ms === undefined ? [] : [`${name} ${Math.round(ms)} ms`])).join(', ');
}

/** Fields of which the value is no prompt, in any API format. */
const toldFields = new Set([
  'model',
  'role',
  'type',
  'effort',
  'reasoning_effort',
  'service_tier',
  'tool_choice',
]);

function withoutTexts(body: string): string {
  const value = parseJson(body);
  if (!isObject(value)) return `(${body.length} characters)`;
  return JSON.stringify(
    value,
    (name, inner: unknown) =>
      typeof inner === 'string' && !toldFields.has(name) ? `(${inner.length} characters)` : inner,
    2,
  );
}

function lines(entries: readonly (readonly [name: string, value: string | undefined])[]): string {
  return entries.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : [])).join('\n');
}
