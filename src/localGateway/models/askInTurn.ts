import { HttpError } from '../httpError.ts';
import type { ExchangeNotes } from '../server/exchangeNotes.ts';
import { FirstByteLimit } from '../upstreams/load/firstByteLimit.ts';
import { ReplyBody } from '../upstreams/replyBody.ts';
import type { UpstreamReply } from '../upstreams/upstream.ts';
import { upstreamError } from '../upstreams/upstreamFailure.ts';
import type { AliasRules } from './alias.ts';
import type { ModelPlace } from './modelTable.ts';

/** A request to the models of an alias. */
export interface AskedInTurn {
  readonly rules: AliasRules;
  /** Where it is asked, in this order. */
  readonly places: readonly ModelPlace[];
  /** Aborted when the caller has gone or the gateway ends. */
  readonly signal: AbortSignal;
  readonly notes: Pick<ExchangeNotes, 'model' | 'upstream' | 'alias' | 'passedOver'>;
  /** @param signal of the caller, aborted as well when this place is given up */
  ask(place: ModelPlace, signal: AbortSignal): Promise<UpstreamReply>;
}

/** What asking one place came to. */
type Outcome =
  | { readonly reply: UpstreamReply }
  | { readonly error: unknown }
  /** The reply did not begin in time. */
  | { readonly isLate: true };

/** Why the next place is asked. */
interface PassedOver {
  /** A status, or `not sent`, or `no reply` in time. */
  readonly why: string;
  readonly mayBeBilled: boolean;
}

/**
 * Asks the places of an alias until one answers. The next one is asked when nothing was sent, or after 429; after
 * another failure, or a limit of time, only where the alias says so; and never once a part of a reply was passed
 * on. Headers name the model that answered, and those that were passed over.
 *
 * @throws {HttpError} the failure of the last place that was asked; where nothing was sent to any, that of the
 * place which may be asked again first
 */
export async function askInTurn(asked: AskedInTurn): Promise<UpstreamReply> {
  const { rules, places, signal, notes } = asked;
  const passed: string[] = [];
  /** The last refusal, in case that no further place can be asked. */
  let refused: Attempt | undefined;
  let unsent: HttpError | undefined;
  for (const [i, place] of places.entries()) {
    const isLast = i === places.length - 1;
    note(notes, rules.name, place, passed);
    const attempt = new Attempt(asked, place);
    const outcome = await attempt.run(isLast ? undefined : rules.nextAfterSeconds);
    if ('error' in outcome && wasNotSent(outcome.error)) unsent = sooner(unsent, outcome.error);
    const next = isLast || signal.aborted ? undefined : passesOver(outcome, rules);
    if (next) {
      const { why, mayBeBilled } = next;
      passed.push(`${idOf(place)} (${why}${mayBeBilled ? ', may be billed' : ''})`);
      if ('reply' in outcome) {
        refused?.drop();
        refused = attempt;
      } else {
        attempt.drop();
      }
      continue;
    }
    if (refused?.reply && 'error' in outcome && wasNotSent(outcome.error)) {
      note(notes, rules.name, refused.place, passed);
      return withHeaders(refused.reply, refused.place, passed);
    }
    refused?.drop();
    if ('reply' in outcome) return withHeaders(outcome.reply, place, passed);
    throw explained(outcome, unsent, headersOf(place, passed));
  }
  throw new TypeError('an alias without a model');
}

/** One place that is asked, which can be given up. */
class Attempt {
  readonly place: ModelPlace;
  readonly #asked: AskedInTurn;
  readonly #given = new AbortController();
  reply: UpstreamReply | undefined;

  constructor(asked: AskedInTurn, place: ModelPlace) {
    this.#asked = asked;
    this.place = place;
  }

  /** @param limitSeconds how long the first byte may take; undefined where it may take any time */
  async run(limitSeconds: number | undefined): Promise<Outcome> {
    const { ask, signal } = this.#asked;
    const give = this.#given;
    const timer =
      limitSeconds === undefined
        ? undefined
        : setTimeout(() => give.abort(new FirstByteLimit()), limitSeconds * 1_000);
    try {
      const reply = await ask(this.place, AbortSignal.any([signal, give.signal]));
      this.reply = timer ? await begun(reply) : reply;
      return { reply: this.reply };
    } catch (error) {
      const isLate = give.signal.aborted && !signal.aborted && !wasNotSent(error);
      return isLate ? { isLate } : { error };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Gives it up, and what is left of its reply. */
  drop(): void {
    this.#given.abort(new Error('another model is asked'));
  }
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
  return upstreamError(502, message, 'upstream_reply_cut');
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

function passesOver(outcome: Outcome, { nextOnServerError = false }: AliasRules): PassedOver | undefined {
  if ('isLate' in outcome) return { why: 'no reply', mayBeBilled: true };
  if ('error' in outcome && wasNotSent(outcome.error)) return { why: 'not sent', mayBeBilled: false };
  const status = 'reply' in outcome ? outcome.reply.status : statusOf(outcome.error);
  if (status === 429) return { why: '429', mayBeBilled: false };
  return nextOnServerError && status >= 500 ? { why: String(status), mayBeBilled: true } : undefined;
}

/** What the gateway itself refuses, such as a request that cannot be converted, is sent to nobody. */
function wasNotSent(error: unknown): error is HttpError {
  return error instanceof HttpError && (error.neverSent || error.type === 'invalid_request_error');
}

function statusOf(error: unknown): number {
  return error instanceof HttpError ? error.status : 0;
}

function note(
  notes: AskedInTurn['notes'],
  alias: string,
  place: ModelPlace,
  passed: readonly string[],
): void {
  notes.alias = alias;
  notes.model = idOf(place);
  notes.upstream = place.upstream.name;
  if (passed.length > 0) notes.passedOver = [...passed];
}

function withHeaders(reply: UpstreamReply, place: ModelPlace, passed: readonly string[]): UpstreamReply {
  return { ...reply, headers: { ...reply.headers, ...headersOf(place, passed) } };
}

function explained(
  outcome: Exclude<Outcome, { readonly reply: UpstreamReply }>,
  unsent: HttpError | undefined,
  headers: Readonly<Record<string, string>>,
): unknown {
  if ('isLate' in outcome) return new FirstByteLimit();
  const error = wasNotSent(outcome.error) ? unsent : outcome.error;
  return error instanceof HttpError ? error.withHeaders(headers) : error;
}

/** Of two failures before anything was sent, the one after which it may be tried again first. */
function sooner(one: HttpError | undefined, other: HttpError): HttpError {
  const seconds = ({ headers }: HttpError) => Number(headers['retry-after'] ?? Number.POSITIVE_INFINITY);
  return one && seconds(one) <= seconds(other) ? one : other;
}

/** The header that names the model that answered, of those of an alias. */
export const modelHeader = 'x-gateway-model';

function headersOf(place: ModelPlace, passed: readonly string[]): Readonly<Record<string, string>> {
  return {
    [modelHeader]: headerText(idOf(place)),
    ...(passed.length > 0 && { 'x-gateway-passed-over': headerText(passed.join('; ')) }),
  };
}

function idOf({ upstream, model }: ModelPlace): string {
  return `${upstream.name}/${model}`;
}

/** Ids may hold what no header can. */
function headerText(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]/g, encodeURIComponent);
}
