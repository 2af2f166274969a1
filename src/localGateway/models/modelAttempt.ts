import { type Cancellation, toAbortSignal } from '../../base/cancellation.ts';
import { HttpError } from '../http/httpError.ts';
import { FirstByteTimeout } from '../upstreams/capacity/gatedUpstream.ts';
import { UpstreamReplyBody } from '../upstreams/replyBody.ts';
import type { Queueing, UpstreamReply } from '../upstreams/upstream.ts';
import { invalidReplyError } from '../upstreams/upstreamFailure.ts';
import type { ModelTarget } from './modelTable.ts';

/** @param signal aborted when the signal of the caller is aborted, or when the attempt at this target is dropped */
export type SendToTarget = (
  target: ModelTarget,
  signal: Cancellation,
  queueing: Queueing,
) => Promise<UpstreamReply>;

/** The outcome of one attempt at one target. */
export type AttemptOutcome =
  | { readonly reply: UpstreamReply }
  | { readonly error: unknown }
  /** The reply did not begin in time. */
  | { readonly isLate: true };

interface FinishedAttempt {
  readonly attempt: ModelAttempt;
  readonly outcome: AttemptOutcome;
}

interface AttemptRequest {
  readonly send: SendToTarget;
  readonly signal: Cancellation;
}

/** An attempt to send a request to a target. */
export class ModelAttempt {
  readonly target: ModelTarget;
  readonly #request: AttemptRequest;
  readonly #limitSeconds: number | undefined;
  readonly #dropController = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  reply: UpstreamReply | undefined;

  /** @param limitSeconds the time limit for the first byte; undefined without a limit */
  constructor(request: AttemptRequest, target: ModelTarget, limitSeconds: number | undefined) {
    this.#request = request;
    this.target = target;
    this.#limitSeconds = limitSeconds;
  }

  /**
   * Sends the request. Time in a queue does not count towards the limit.
   *
   * @param shouldWait whether the request waits if the upstream's limits are reached
   * @param onDequeue called when the request leaves the queue of the upstream, before anything is sent
   */
  async run(shouldWait: boolean, onDequeue: () => void = () => {}): Promise<AttemptOutcome> {
    const { send, signal } = this.#request;
    const dropSignal = this.#dropController.signal;
    const queueing: Queueing = {
      shouldWait,
      onDequeue: () => {
        this.#startTimer();
        onDequeue();
      },
    };
    if (!shouldWait) this.#startTimer();
    try {
      const reply = await send(this.target, AbortSignal.any([toAbortSignal(signal), dropSignal]), queueing);
      this.reply = this.#limitSeconds === undefined ? reply : await waitForFirstByte(reply);
      return { reply: this.reply };
    } catch (error) {
      const isLate = dropSignal.aborted && !signal.aborted && !wasNotSent(error);
      return isLate ? { isLate } : { error };
    } finally {
      clearTimeout(this.#timer);
    }
  }

  /** Aborts the attempt, and drops the rest of its reply. */
  drop(): void {
    this.#dropController.abort(new Error('another model is used'));
  }

  #startTimer(): void {
    if (this.#limitSeconds === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => this.#dropController.abort(new FirstByteTimeout()),
      this.#limitSeconds * 1_000,
    );
  }
}

/**
 * Waits in the queues of all targets at once, and sends the request to the first target with room. At that moment
 * the other attempts are dropped, before anything is sent.
 *
 * @param onSend called with the target before the request is sent to it
 * @returns one of the failures if the request cannot wait at any target
 */
export async function sendToFirstWithRoom(
  attempts: readonly ModelAttempt[],
  onSend: (target: ModelTarget) => void,
): Promise<FinishedAttempt> {
  let sentAttempt: ModelAttempt | undefined;
  const finishedAttempts = attempts.map(async (attempt): Promise<FinishedAttempt> => {
    const outcome = await attempt.run(true, () => {
      sentAttempt = attempt;
      onSend(attempt.target);
      for (const other of attempts) if (other !== attempt) other.drop();
    });
    return { attempt, outcome };
  });
  const results = await Promise.all(finishedAttempts);
  const result = results.find(({ attempt }) => attempt === sentAttempt) ?? results[0];
  if (!result) throw new TypeError('there is no model to wait for');
  return result;
}

/**
 * Whether the request was not sent. The gateway itself may have refused it, for example because it cannot be
 * converted.
 */
export function wasNotSent(error: unknown): error is HttpError {
  return error instanceof HttpError && (error.neverSent || error.type === 'invalid_request_error');
}

/** Waits for the first byte of a reply. Replies with a failure status are returned at once. */
async function waitForFirstByte(reply: UpstreamReply): Promise<UpstreamReply> {
  const { body, status } = reply;
  if (status >= 400) return reply;
  try {
    if (body instanceof UpstreamReplyBody) {
      await body.waitForBytes();
      return reply;
    }
    const pieces = body[Symbol.asyncIterator]();
    return { ...reply, body: prependPiece(await pieces.next(), pieces) };
  } catch (error) {
    throw error instanceof HttpError ? error : cutBeforeFirstByteError(reply);
  }
}

function cutBeforeFirstByteError({ headers }: UpstreamReply): HttpError {
  const name = headers['x-upstream'];
  const message = `The reply of ${name === undefined ? 'the upstream' : `upstream '${name}'`} was cut off before its first byte.`;
  return invalidReplyError(message, 'upstream_reply_cut');
}

async function* prependPiece<Piece>(
  first: IteratorResult<Piece>,
  rest: AsyncIterator<Piece>,
): AsyncIterable<Piece> {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
