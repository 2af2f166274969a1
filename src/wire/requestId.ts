import { isObject, type JsonObject, nonEmptyString, parseJson } from '../base/json.ts';
import type { ReplyHeaders } from './retryHint.ts';

/** Headers in which gateways, providers and CDNs name a request, the nearest to the gateway first. */
const headerNames = [
  'x-request-id',
  'request-id',
  'x-oneapi-request-id',
  'x-litellm-call-id',
  'x-generation-id',
  'x-dashscope-request-id',
];
const edgeHeader = 'cf-ray';

/** An id that can be shown and copied unchanged. */
const readableId = /^[\x21-\x7e]{1,200}$/;

/**
 * The gateway's own id of a request, by which its operator finds it in logs: from the headers of the reply,
 * or from the body of an error.
 *
 * @param own the id that was sent, which many gateways send back as theirs
 */
export function gatewayRequestId(
  headers: ReplyHeaders,
  body: string | undefined,
  own: string,
): string | undefined {
  const candidates = [
    ...headerNames.flatMap((name) => headers[name]),
    ...(body === undefined ? [] : idsIn(body)),
    ...[headers[edgeHeader]].flat(),
  ];
  return candidates.find((id): id is string => typeof id === 'string' && readableId.test(id) && id !== own);
}

function idsIn(body: string): readonly unknown[] {
  const value = parseJson(body);
  const [root]: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!isObject(root)) return [];
  const inner = isObject(root.error) ? root.error : {};
  return [...named(root), ...named(inner), relayed(inner.message ?? root.message)];
}

function named({ request_id, requestId, RequestId }: JsonObject): readonly unknown[] {
  return [request_id, requestId, RequestId];
}

/** one-api and its relatives append theirs to the message. */
function relayed(message: unknown): string | undefined {
  return /\(request id: ([\w-]{1,100})\)/i.exec(nonEmptyString(message) ?? '')?.[1];
}
