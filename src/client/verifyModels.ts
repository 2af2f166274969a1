import { setTimeout as sleep } from 'node:timers/promises';
import { type TextFormatId, textFormat, textFormats } from '../wire/apis/textFormats.ts';
import { cancelled } from '../wire/errorMapping.ts';
import type { GatewayError } from '../wire/failure.ts';
import { identify, unsent } from './call.ts';
import type { GatewayClient } from './gatewayClient.ts';
import { type ModelTrial, tryModel } from './modelTrial.ts';

/** A model, and the API format in which it is asked. */
export interface AskedModel {
  readonly model: string;
  readonly format: TextFormatId;
}

/** What came of asking a model. */
export interface ModelVerification extends AskedModel {
  /** The last request: one that was answered, or else the one in the model's own format. */
  readonly trial: ModelTrial;
  /** The only format that it answers in, where that is another one than it was asked in first. */
  readonly answersOnlyIn?: TextFormatId;
}

export interface VerifyOptions {
  readonly signal: AbortSignal;
  /** Called once for each model, in the order in which they are done. */
  readonly onVerified: (verification: ModelVerification) => void;
}

const maxAtOnce = 4;
/** How long a wait that a gateway asks for is kept, in milliseconds. */
const maxWaitMs = 30_000;

/** By interactions, a model that makes videos would make one. */
const otherFormats = textFormats.filter(({ id }) => id !== 'interactions');

/**
 * Asks each model for as little as it allows, at most 4 at a time. One that is not for the API format that it was asked
 * in is asked in the others. Nothing is sent twice.
 *
 * @throws {GatewayError} when nothing can be asked any more: the gateway cannot be reached, it refuses the credential
 * and no model answered, or, as `cancelled`, the signal is aborted
 */
export async function verifyModels(
  client: Pick<GatewayClient, 'ask'>,
  asked: readonly AskedModel[],
  { signal, onVerified }: VerifyOptions,
): Promise<void> {
  const left = [...asked];
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const refusals = new Refusals(onVerified);
  const work = async () => {
    for (let each = left.shift(); each; each = left.shift()) {
      if (either.aborted) return;
      const verification = await verify(client, each, either);
      const { error } = verification.trial;
      if (error && isCutOff(error)) throw error;
      refusals.tell(verification);
      if (error?.kind === 'rate-limited' && left.length > 0) await pause(error, either);
    }
  };
  const works = Array.from({ length: Math.min(maxAtOnce, asked.length) }, () =>
    work().catch((error) => {
      stop.abort();
      throw error;
    }),
  );
  const ends = await Promise.allSettled(works);
  // The first one to end told why; it stopped the others.
  const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  const reason = reasons.find(({ kind }) => kind !== 'cancelled') ?? reasons[0];
  if (reason !== undefined) throw reason;
  if (signal.aborted) throw unsent(cancelled(), identify({}));
  refusals.end();
}

/**
 * Holds refusals of the credential back: where another model answers, they are about one model alone, since gateways
 * pass on that a provider refused their own credential.
 */
class Refusals {
  readonly #onVerified: VerifyOptions['onVerified'];
  #held: ModelVerification[] = [];
  #hasAnswer = false;

  constructor(onVerified: VerifyOptions['onVerified']) {
    this.#onVerified = onVerified;
  }

  /** @throws {GatewayError} the first refusal, once as many as are asked at once were refused and none answered */
  tell(verification: ModelVerification): void {
    const { error } = verification.trial;
    if (!this.#hasAnswer && error && isRefused(error)) {
      this.#held.push(verification);
      if (this.#held.length >= maxAtOnce) this.end();
      return;
    }
    if (!error) this.#release();
    this.#onVerified(verification);
  }

  /** @throws {GatewayError} the first refusal, where none answered */
  end(): void {
    const [first] = this.#held;
    if (first?.trial.error) throw first.trial.error;
  }

  #release(): void {
    this.#hasAnswer = true;
    for (const each of this.#held) this.#onVerified(each);
    this.#held = [];
  }
}

async function verify(
  client: Pick<GatewayClient, 'ask'>,
  { model, format }: AskedModel,
  signal: AbortSignal,
): Promise<ModelVerification> {
  const trial = await tryModel(client, textFormat(format), model, signal);
  if (!trial.error || !mayAnswerElsewhere(trial.error)) return { model, format, trial };
  for (const other of otherFormats) {
    if (other.id === format) continue;
    const elsewhere = await tryModel(client, other, model, signal);
    if (!elsewhere.error) return { model, format, trial: elsewhere, answersOnlyIn: other.id };
    if (isCutOff(elsewhere.error) || isRefused(elsewhere.error)) return { model, format, trial: elsewhere };
  }
  return { model, format, trial };
}

function mayAnswerElsewhere({ kind, reason }: GatewayError): boolean {
  return kind === 'model-unavailable' || reason === 'no-such-route';
}

/** No other model would be answered either. What was sent may have been too much for one model alone. */
function isCutOff({ kind, sent }: GatewayError): boolean {
  return kind === 'unreachable' && sent === false;
}

function isRefused({ kind, status }: GatewayError): boolean {
  return kind === 'authentication' && status !== 403;
}

async function pause({ retryAfterMs = 1000 }: GatewayError, signal: AbortSignal): Promise<void> {
  await sleep(Math.min(retryAfterMs, maxWaitMs), undefined, { signal }).catch(() => undefined);
}
