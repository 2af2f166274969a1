import { abortSignalOf, type Cancellation } from '../../base/cancellation.ts';
import { HttpError } from '../http/httpError.ts';
import { FirstByteLimit } from '../upstreams/load/gatedUpstream.ts';
import { ReplyBody } from '../upstreams/replyBody.ts';
import type { Queueing, UpstreamReply } from '../upstreams/upstream.ts';
import { invalidReply } from '../upstreams/upstreamFailure.ts';
import type { ModelPlace } from './modelTable.ts';

/** @param signal of the caller, aborted as well when this place is given up */
export type AskPlace = (
  place: ModelPlace,
  signal: Cancellation,
  queueing: Queueing,
) => Promise<UpstreamReply>;

/** What asking one place came to. */
export type Outcome =
  | { readonly reply: UpstreamReply }
  | { readonly error: unknown }
  /** The reply did not begin in time. */
  | { readonly isLate: true };

export interface Tried {
  readonly attempt: Attempt;
  readonly outcome: Outcome;
}

interface Asked {
  readonly ask: AskPlace;
  readonly signal: Cancellation;
}

/** One place that is asked, which can be given up. */
export class Attempt {
  readonly place: ModelPlace;
  readonly #asked: Asked;
  readonly #limitSeconds: number | undefined;
  readonly #given = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  reply: UpstreamReply | undefined;

  /** @param limitSeconds how long the first byte may take; undefined where it may take any time */
  constructor(asked: Asked, place: ModelPlace, limitSeconds: number | undefined) {
    this.#asked = asked;
    this.place = place;
    this.#limitSeconds = limitSeconds;
  }

  /**
   * Asks it. Time in a queue does not count to its limit.
   *
   * @param waits whether it waits where the upstream's limits are reached
   * @param entered called when it has its place, before anything is sent
   */
  async run(waits: boolean, entered: () => void = () => {}): Promise<Outcome> {
    const { ask, signal } = this.#asked;
    const given = this.#given.signal;
    const queueing: Queueing = {
      waits,
      entered: () => {
        this.#limit();
        entered();
      },
    };
    if (!waits) this.#limit();
    try {
      const reply = await ask(this.place, AbortSignal.any([abortSignalOf(signal), given]), queueing);
      this.reply = this.#limitSeconds === undefined ? reply : await begun(reply);
      return { reply: this.reply };
    } catch (error) {
      const isLate = given.aborted && !signal.aborted && !wasNotSent(error);
      return isLate ? { isLate } : { error };
    } finally {
      clearTimeout(this.#timer);
    }
  }

  /** Gives it up, and what is left of its reply. */
  drop(): void {
    this.#given.abort(new Error('another model is asked'));
  }

  #limit(): void {
    if (this.#limitSeconds === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#given.abort(new FirstByteLimit()), this.#limitSeconds * 1_000);
  }
}

/**
 * Waits at all places at once, and asks the first that has room. The others are left at that moment, before
 * anything is sent to one.
 *
 * @param taking called with the place that is asked
 * @returns the failure of one, where none can be waited at
 */
export async function firstWithRoom(
  attempts: readonly Attempt[],
  taking: (place: ModelPlace) => void,
): Promise<Tried> {
  let taken: Attempt | undefined;
  const tries = attempts.map(async (attempt): Promise<Tried> => {
    const outcome = await attempt.run(true, () => {
      taken = attempt;
      taking(attempt.place);
      for (const other of attempts) if (other !== attempt) other.drop();
    });
    return { attempt, outcome };
  });
  const tried = await Promise.all(tries);
  const found = tried.find(({ attempt }) => attempt === taken) ?? tried[0];
  if (!found) throw new TypeError('no place to wait at');
  return found;
}

/** What the gateway itself refuses, such as a request that cannot be converted, is sent to nobody. */
export function wasNotSent(error: unknown): error is HttpError {
  return error instanceof HttpError && (error.neverSent || error.type === 'invalid_request_error');
}

/** Waits for the first byte of a reply that is no failure. */
async function begun(reply: UpstreamReply): Promise<UpstreamReply> {
  const { body, status } = reply;
  if (status >= 400) return reply;
  try {
    if (body instanceof ReplyBody) {
      await body.isSomething();
      return reply;
    }
    const pieces = body[Symbol.asyncIterator]();
    return { ...reply, body: continued(await pieces.next(), pieces) };
  } catch (error) {
    throw error instanceof HttpError ? error : cutBefore(reply);
  }
}

function cutBefore({ headers }: UpstreamReply): HttpError {
  const message = `The reply of upstream '${headers['x-upstream']}' was cut before its first byte.`;
  return invalidReply(message, 'upstream_reply_cut');
}

async function* continued<Piece>(
  first: IteratorResult<Piece>,
  rest: AsyncIterator<Piece>,
): AsyncIterable<Piece> {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
