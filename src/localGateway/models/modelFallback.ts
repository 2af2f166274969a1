import type { Cancellation } from '../../base/cancellation.ts';
import { HttpError } from '../http/httpError.ts';
import { FirstByteTimeout } from '../upstreams/capacity/gatedUpstream.ts';
import { UpstreamBusyError } from '../upstreams/capacity/upstreamGate.ts';
import type { UpstreamReply } from '../upstreams/upstream.ts';
import type { AliasRules } from './alias.ts';
import {
  type AttemptOutcome,
  ModelAttempt,
  type SendToTarget,
  sendToFirstWithRoom,
  wasNotSent,
} from './modelAttempt.ts';
import type { ModelTarget } from './modelTable.ts';

/** A model of an alias that did not reply, and why. */
export interface SkippedModel {
  readonly upstream: string;
  /** With the name of the upstream. */
  readonly model: string;
  /** A status, `busy`, `not sent`, or `no reply` if no reply began in time. */
  readonly reason: string;
  readonly mayBeBilled: boolean;
  /** For people. */
  readonly description: string;
}

/** The model that replies, for logs and metrics. */
interface ChoiceNotes {
  alias: string | undefined;
  model: string | undefined;
  upstream: string | undefined;
  skippedModels: readonly SkippedModel[];
}

/** A request to the models of an alias. */
interface FallbackRequest {
  readonly rules: AliasRules;
  /** In the order of the attempts. */
  readonly targets: readonly ModelTarget[];
  /** Aborted when the caller disconnects or the gateway ends. */
  readonly signal: Cancellation;
  readonly notes: ChoiceNotes;
  readonly send: SendToTarget;
}

/** Why the next target is tried. */
type FallbackReason = Pick<SkippedModel, 'reason' | 'mayBeBilled'>;

/**
 * Sends the request to the targets of an alias until one replies. First, targets without a queue are tried in
 * order; then the request waits for the first target with room. The next target is tried if nothing was sent, or
 * after 429. After other failures or a time limit it is tried only if the alias allows it. No other target is tried
 * after a part of a reply was passed on. Headers name the model that replied and the models that were skipped.
 *
 * If a spending limit refuses a further target after a failure, that refusal is returned instead of the failure,
 * because a repeated request would only reach the limit again.
 *
 * @throws {HttpError} the failure of the last target that received the request; if none received it, the failure of
 * the target that can be retried first
 */
export async function sendWithFallback(request: FallbackRequest): Promise<UpstreamReply> {
  const { rules, signal, notes } = request;
  const targets = [...request.targets];
  const skipped = new Map<ModelTarget, FallbackReason>();
  /** Targets whose limits are reached. The request waits in their queues when no other target is left. */
  let busy: ModelTarget[] = [];
  /** The last refusal. It is returned if no other target accepts the request. */
  let refusedAttempt: ModelAttempt | undefined;
  let unsentError: HttpError | undefined;
  let mayBeBilled = false;
  for (;;) {
    const { attempt, outcome } = await runNextAttempt(request, { targets, busy, skipped });
    const { target } = attempt;
    if ('error' in outcome && outcome.error instanceof UpstreamBusyError) {
      busy.push(target);
      skipped.set(target, { reason: 'busy', mayBeBilled: false });
      continue;
    }
    busy = busy.filter((each) => each !== target);
    skipped.delete(target);
    if ('error' in outcome && wasNotSent(outcome.error))
      unsentError = selectSooner(unsentError, outcome.error);
    const isLast = targets.length === 0 && busy.length === 0;
    const fallback = isLast || signal.aborted ? undefined : findFallbackReason(outcome, rules);
    if (fallback) {
      mayBeBilled ||= fallback.mayBeBilled;
      skipped.set(target, fallback);
      if ('reply' in outcome) {
        refusedAttempt?.drop();
        refusedAttempt = attempt;
      } else {
        attempt.drop();
      }
      continue;
    }
    const isLimited = mayBeBilled && 'error' in outcome && isLimitReached(outcome.error);
    if (refusedAttempt?.reply && 'error' in outcome && wasNotSent(outcome.error) && !isLimited) {
      noteChoice(notes, rules.name, refusedAttempt.target, skipped);
      return addHeaders(refusedAttempt.reply, refusedAttempt.target, skipped);
    }
    refusedAttempt?.drop();
    if ('reply' in outcome) return addHeaders(outcome.reply, target, skipped);
    const error = isLimited ? outcome.error : createFinalError(outcome, unsentError);
    if (!(error instanceof HttpError)) throw error;
    const tried = `Models tried before: ${listSkipped(target, skipped)
      .map(({ description }) => description)
      .join('; ')}.`;
    throw (mayBeBilled ? error.withEarlierAttempts(tried) : error).withHeaders(
      createHeaders(target, skipped),
    );
  }
}

interface RemainingTargets {
  /** In the order of the attempts. The next one is removed. */
  readonly targets: ModelTarget[];
  readonly busy: readonly ModelTarget[];
  readonly skipped: SkippedTargets;
}

/** The skipped targets, each with the reason. */
type SkippedTargets = ReadonlyMap<ModelTarget, FallbackReason>;

/**
 * Tries the next target, and waits in its queue only if it is the last one. After the last one, waits for the first
 * busy target with room.
 */
async function runNextAttempt(
  request: FallbackRequest,
  { targets, busy, skipped }: RemainingTargets,
): ReturnType<typeof sendToFirstWithRoom> {
  const { rules, notes } = request;
  const isLast = targets.length + busy.length === 1;
  const createAttempt = (target: ModelTarget) =>
    new ModelAttempt(request, target, isLast ? undefined : rules.nextAfterSeconds);
  const target = targets.shift();
  if (!target)
    return sendToFirstWithRoom(busy.map(createAttempt), (each) =>
      noteChoice(notes, rules.name, each, skipped),
    );
  noteChoice(notes, rules.name, target, skipped);
  const attempt = createAttempt(target);
  return { attempt, outcome: await attempt.run(isLast) };
}

function findFallbackReason(
  outcome: AttemptOutcome,
  { nextOnServerError = false }: AliasRules,
): FallbackReason | undefined {
  if ('isLate' in outcome) return { reason: 'no reply', mayBeBilled: true };
  if ('error' in outcome && wasNotSent(outcome.error)) return { reason: 'not sent', mayBeBilled: false };
  const status = 'reply' in outcome ? outcome.reply.status : readStatus(outcome.error);
  if (status === 429) return { reason: '429', mayBeBilled: false };
  const isFailure = status >= 500 || ('error' in outcome && isInvalidReply(outcome.error));
  return nextOnServerError && isFailure ? { reason: String(status), mayBeBilled: true } : undefined;
}

/** Whether a spending limit refused the request, so that it was not sent. */
function isLimitReached(error: unknown): error is HttpError {
  return error instanceof HttpError && error.neverSent && error.type === 'insufficient_quota';
}

function isInvalidReply(error: unknown): boolean {
  return error instanceof HttpError && error.type === 'invalid_reply_error';
}

function readStatus(error: unknown): number {
  return error instanceof HttpError ? error.status : 0;
}

function noteChoice(
  notes: FallbackRequest['notes'],
  alias: string,
  target: ModelTarget,
  skipped: SkippedTargets,
): void {
  notes.alias = alias;
  notes.model = formatId(target);
  notes.upstream = target.upstream.name;
  notes.skippedModels = listSkipped(target, skipped);
}

function addHeaders(reply: UpstreamReply, target: ModelTarget, skipped: SkippedTargets): UpstreamReply {
  return { ...reply, headers: { ...reply.headers, ...createHeaders(target, skipped) } };
}

function createFinalError(
  outcome: Exclude<AttemptOutcome, { readonly reply: UpstreamReply }>,
  unsentError: HttpError | undefined,
): unknown {
  if ('isLate' in outcome) return new FirstByteTimeout();
  return wasNotSent(outcome.error) ? unsentError : outcome.error;
}

/** Selects the failure with the earlier retry time. Neither request was sent. */
function selectSooner(one: HttpError | undefined, other: HttpError): HttpError {
  const seconds = ({ headers }: HttpError) => Number(headers['retry-after'] ?? Number.POSITIVE_INFINITY);
  return one && seconds(one) <= seconds(other) ? one : other;
}

function createHeaders(target: ModelTarget, skipped: SkippedTargets): Readonly<Record<string, string>> {
  const skippedModels = listSkipped(target, skipped).map(({ description }) => description);
  return {
    'x-gateway-model': encodeHeader(formatId(target)),
    ...(skippedModels.length > 0 && { 'x-gateway-skipped-models': encodeHeader(skippedModels.join('; ')) }),
  };
}

/** Lists the skipped targets, except the target that replied. */
function listSkipped(target: ModelTarget, skipped: SkippedTargets): readonly SkippedModel[] {
  return [...skipped]
    .filter(([each]) => each !== target)
    .map(([each, { reason, mayBeBilled }]) => {
      const model = formatId(each);
      const description = `${model} (${reason}${mayBeBilled ? ', may be billed' : ''})`;
      return { upstream: each.upstream.name, model, reason, mayBeBilled, description };
    });
}

function formatId({ upstream, model }: ModelTarget): string {
  return `${upstream.name}/${model}`;
}

/** Encodes the characters of IDs that are not allowed in headers. */
function encodeHeader(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]/g, encodeURIComponent);
}
