import { parseExactJson } from '../base/json.ts';
import type { TaskReply } from '../wire/apis/taskRecord/decode.ts';
import { type IdProblem, idProblem, maxIdLength } from '../wire/apis/taskRecord/names.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';
import { type FailureDetails, malformedReply, webPage } from '../wire/errorMapping.ts';
import { explain, type SentenceNaming } from '../wire/explanations/explanation.ts';
import { withoutSecrets } from '../wire/secrets/redact.ts';
import { sniff } from '../wire/stream/sniff.ts';
import { type CallIdentity, identify, unsent } from './call.ts';
import { type BodyHead, BodySink } from './replySink.ts';
import type { Call, Sender } from './send.ts';
import type { CallOptions } from './types.ts';

/** The value of a reply, or what is wrong with it. */
type Reading<Value> = { readonly value: Value } | { readonly failure: FailureDetails };

/** Reads the value of a reply: parsed JSON, undefined for an empty body. */
export type Read<Value> = (value: unknown, context: TaskReply, head: BodyHead) => Reading<Value>;

export type TaskCall = Pick<
  Call,
  'route' | 'params' | 'query' | 'body' | 'vendorHeaders' | 'idempotencyKey' | 'minTimeouts'
>;

const askedIds = {
  empty: 'task-id-empty',
  'too-long': 'task-id-too-long',
  'control-characters': 'task-id-unprintable',
} as const satisfies Readonly<Record<IdProblem, SentenceNaming<'maxLength'>>>;

/** Refuses to send what is no id, since ids come from gateways (T7). */
function requireTaskId(params: TaskCall['params'], identity: CallIdentity): void {
  const problem = params && idProblem(params.task_id ?? '');
  if (!problem) return;
  const explanation = explain(askedIds[problem], { maxLength: maxIdLength });
  throw unsent({ kind: 'invalid-parameters', explanation }, identity);
}

/** The value of a reply, and the gateway's own id of the request. */
interface Sent<Value> {
  readonly value: Value;
  readonly gatewayRequestId: string | undefined;
}

/**
 * Sends a request about one task. Its snapshot also bears the gateway's own id of the request.
 *
 * @throws {GatewayError}
 */
export async function sendForTask<Value extends TaskSnapshot | undefined>(
  ...args: [sender: Sender, call: TaskCall, options: CallOptions, read: Read<Value>]
): Promise<Value> {
  const { value, gatewayRequestId } = await sendTaskCall(...args);
  return value && gatewayRequestId !== undefined ? { ...value, gatewayRequestId } : value;
}

/** Sends a request about tasks and reads the reply. @throws {GatewayError} */
export async function sendTaskCall<Value>(
  sender: Sender,
  call: TaskCall,
  options: CallOptions,
  read: Read<Value>,
): Promise<Sent<Value>> {
  const identity = identify(options);
  requireTaskId(call.params, identity);
  const { promise, resolve } = Promise.withResolvers<Value>();
  const sink = new BodySink((text, head) => {
    const reading = readBody(text, { httpStatus: head.status, baseUrl: sender.baseUrl }, head, read);
    if ('failure' in reading) return reading.failure;
    resolve(reading.value);
    return undefined;
  });
  const sent = { ...call, accept: 'application/json', sink, identity, options };
  const gatewayRequestId = await sender.send(sent);
  return { value: await promise, gatewayRequestId };
}

/** An empty body is a valid reply: some gateways send no more about a running or a deleted task. */
function readBody<Value>(
  text: string,
  context: TaskReply,
  head: BodyHead,
  read: Read<Value>,
): Reading<Value> {
  const kind = sniff(text);
  if (kind === 'html') return { failure: webPage(text) };
  const value = kind === undefined ? undefined : parseExactJson(text);
  if (kind !== undefined && value === undefined)
    return { failure: malformedReply(explain('reply-not-json')) };
  return read(withoutSecrets(value, head.secrets), context, head);
}
