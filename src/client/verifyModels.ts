import { setTimeout as sleep } from 'node:timers/promises';
import { withValue } from '../base/nestedValues.ts';
import type { ApiFormat } from '../wire/apis/shared/apiFormat.ts';
import { type TextFormatId, textFormat, textFormats } from '../wire/apis/textFormats.ts';
import type { Outcome } from '../wire/chatEvent.ts';
import type { GatewayError } from '../wire/failures/gatewayError.ts';
import { createCancelledFailure } from '../wire/failures/replyFailure.ts';
import { createCallIdentity, createUnsentError } from './callIdentity.ts';
import type { GatewayClient } from './gatewayClient.ts';
import type { FormatRequest, Timeouts } from './types.ts';

/** A model, and the API format of the request to it. */
interface TriedModel {
  readonly model: string;
  readonly format: TextFormatId;
}

/** The result of a test request to a model. */
export interface ModelVerification extends TriedModel {
  /** The deciding request: the first successful or refused one, or else the first one. */
  readonly trial: ModelTrial;
  /** The only format in which the model works, if it is not the format of the first request. */
  readonly onlyFormat?: TextFormatId;
}

interface VerifyOptions {
  readonly signal: AbortSignal;
  /** Called once for each model, in the order of completion. */
  readonly onVerified: (verification: ModelVerification) => void;
}

const maxAtOnce = 4;
/** The longest wait that a gateway can request, in milliseconds. */
const maxWaitMs = 30_000;

/** Excludes the interactions format, because a video model would make a video. */
const otherFormats = textFormats.filter(({ id }) => id !== 'interactions');

/**
 * Sends the smallest possible request to each model, to at most 4 models at a time. If the API format does not
 * suit a model, the other formats are tried. A request is never sent twice.
 *
 * @throws {GatewayError} if no more requests can be sent: the gateway cannot be reached, it refuses the credential
 * and no model replied, or the signal is aborted (as `cancelled`)
 */
export async function verifyModels(
  client: Pick<GatewayClient, 'sendFormatRequest'>,
  models: readonly TriedModel[],
  { signal, onVerified }: VerifyOptions,
): Promise<void> {
  const remaining = [...models];
  const stop = new AbortController();
  const anySignal = AbortSignal.any([signal, stop.signal]);
  const refusals = new RefusalBuffer(onVerified);
  const worker = async () => {
    for (let model = remaining.shift(); model; model = remaining.shift()) {
      if (anySignal.aborted) return;
      const verification = await verifyModel(client, model, anySignal);
      const { error } = verification.trial;
      if (error && isUnreachable(error)) throw error;
      refusals.report(verification);
      if (error?.kind === 'rate-limited' && remaining.length > 0) await pause(error, anySignal);
    }
  };
  const workers = Array.from({ length: Math.min(maxAtOnce, models.length) }, () =>
    worker().catch((error) => {
      stop.abort();
      throw error;
    }),
  );
  const results = await Promise.allSettled(workers);
  // The failure that is not a cancellation is the reason: it cancelled the other requests.
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  const reason = reasons.find(({ kind }) => kind !== 'cancelled') ?? reasons[0];
  if (reason !== undefined) throw reason;
  if (signal.aborted) throw createUnsentError(createCancelledFailure(), createCallIdentity({}));
  refusals.end();
}

/**
 * Delays reports of refused credentials until one model replies. The refusals then concern single models, because
 * a gateway also forwards a provider's refusal of the gateway's own credential.
 */
class RefusalBuffer {
  readonly #onVerified: VerifyOptions['onVerified'];
  #refusals: ModelVerification[] = [];
  #hasReply = false;

  constructor(onVerified: VerifyOptions['onVerified']) {
    this.#onVerified = onVerified;
  }

  /** @throws {GatewayError} the first refusal, after 4 refusals without any reply */
  report(verification: ModelVerification): void {
    const { error } = verification.trial;
    if (!this.#hasReply && error && refusesCredential(error)) {
      this.#refusals.push(verification);
      if (this.#refusals.length >= maxAtOnce) this.end();
      return;
    }
    if (!error) this.#release();
    this.#onVerified(verification);
  }

  /** @throws {GatewayError} the first refusal, if no model replied */
  end(): void {
    const [first] = this.#refusals;
    if (first?.trial.error) throw first.trial.error;
  }

  #release(): void {
    this.#hasReply = true;
    for (const each of this.#refusals) this.#onVerified(each);
    this.#refusals = [];
  }
}

async function verifyModel(
  client: Pick<GatewayClient, 'sendFormatRequest'>,
  { model, format }: TriedModel,
  signal: AbortSignal,
): Promise<ModelVerification> {
  const trial = await tryModel(client, textFormat(format), model, signal);
  if (!trial.error || !mayWorkInOtherFormat(trial.error)) return { model, format, trial };
  for (const other of otherFormats) {
    if (other.id === format) continue;
    const otherTrial = await tryModel(client, other, model, signal);
    if (!otherTrial.error) return { model, format, trial: otherTrial, onlyFormat: other.id };
    if (isUnreachable(otherTrial.error) || refusesCredential(otherTrial.error))
      return { model, format, trial: otherTrial };
  }
  return { model, format, trial };
}

function mayWorkInOtherFormat({ kind, reason }: GatewayError): boolean {
  return kind === 'model-unavailable' || reason === 'no-such-route';
}

/**
 * Whether the gateway is unreachable for all models. If the request was sent, the failure may concern only one
 * model.
 */
function isUnreachable({ kind, wasSent }: GatewayError): boolean {
  return kind === 'unreachable' && wasSent === false;
}

function refusesCredential({ kind, status }: GatewayError): boolean {
  return kind === 'authentication' && status !== 403;
}

async function pause({ retryAfterMs = 1000 }: GatewayError, signal: AbortSignal): Promise<void> {
  await sleep(Math.min(retryAfterMs, maxWaitMs), undefined, { signal }).catch(() => undefined);
}

/** The result of the smallest request to a model. */
export interface ModelTrial {
  readonly requestedAt: Date;
  /** From the call to the end of the reply, in milliseconds. */
  readonly ms: number;
  readonly requestId: string;
  readonly gatewayRequestId?: string;
  /** Why the model cannot be used; undefined if it replied. */
  readonly error?: GatewayError;
}

/** Short, because a model writes one word quickly even if its usual replies take long. */
const trialTimeouts: Partial<Timeouts> = { firstByte: 60_000, idle: 60_000, noData: 60_000, total: 90_000 };

/** OpenAI's error message with status 400 if the output limit is too low for a reasoning model. */
const outputLimitReached = /max_tokens or model output limit was reached/i;

/** Creates the smallest request of a format: two letters of input, and the lowest output limit that it allows. */
function createSmallestRequest(format: ApiFormat, model: string): FormatRequest {
  const { body } = format.encode([{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }]);
  const limit = format.common.outputLimit?.place({ outputLimit: format.minOutputLimit ?? 1 }, model) ?? [];
  const fields = limit.reduce((json, { path, value }) => withValue(json, path, value), {
    ...(!format.isModelInPath && { model }),
    ...body,
  });
  const unstreamedRoute = format.routes.find(({ isStreamed }) => isStreamed === false);
  return { format, model, body: fields, ...(unstreamedRoute && { route: unstreamedRoute }) };
}

/**
 * Sends the smallest possible request to a model, once. A reply that ends at the output limit counts as success.
 *
 * @throws {GatewayError} as `cancelled` if the signal is aborted
 */
export async function tryModel(
  client: Pick<GatewayClient, 'sendFormatRequest'>,
  format: ApiFormat,
  model: string,
  signal: AbortSignal,
): Promise<ModelTrial> {
  const request = createSmallestRequest(format, model);
  const result = await client.sendFormatRequest(request, () => {}, { signal, timeouts: trialTimeouts });
  const { requestedAt, totalMs: ms, requestId, gatewayRequestId, outcome } = result;
  if (outcome.kind === 'cancelled')
    throw createUnsentError(createCancelledFailure(), createCallIdentity({ requestId }));
  const error = readRefusal(outcome);
  return {
    requestedAt,
    ms,
    requestId,
    ...(gatewayRequestId !== undefined && { gatewayRequestId }),
    ...(error && { error }),
  };
}

function readRefusal(outcome: Outcome): GatewayError | undefined {
  const error = 'error' in outcome ? outcome.error : undefined;
  return error?.status === 400 && outputLimitReached.test(error.gatewayMessage ?? '') ? undefined : error;
}
