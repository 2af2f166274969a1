import type { Cancellation } from '../../base/cancellation.ts';
import { HttpError } from '../http/httpError.ts';
import { FirstByteLimit } from '../upstreams/load/gatedUpstream.ts';
import { UpstreamBusy } from '../upstreams/load/upstreamGate.ts';
import type { UpstreamReply } from '../upstreams/upstream.ts';
import type { AliasRules } from './alias.ts';
import { type AskPlace, Attempt, firstWithRoom, type Outcome, type Tried, wasNotSent } from './attempt.ts';
import type { ModelPlace } from './modelTable.ts';

/** Which model of the alias answers, for logs and metrics. */
interface ChoiceNotes {
  alias: string | undefined;
  model: string | undefined;
  upstream: string | undefined;
  /** The models that were asked before, and why they did not answer. */
  passedOver: readonly string[] | undefined;
}

/** A request to the models of an alias. */
export interface AskedInTurn {
  readonly rules: AliasRules;
  /** Where it is asked, in this order. */
  readonly places: readonly ModelPlace[];
  /** Aborted when the caller has gone or the gateway ends. */
  readonly signal: Cancellation;
  readonly notes: ChoiceNotes;
  readonly ask: AskPlace;
}

/** Why the next place is asked. */
interface PassedOver {
  /** A status, or `not sent`, or `no reply` in time. */
  readonly why: string;
  readonly mayBeBilled: boolean;
}

/**
 * Asks the places of an alias until one answers: in their order those that need not wait, then the first that has
 * room for it. The next one is asked when nothing was sent, or after 429; after another failure, or a limit of
 * time, only where the alias says so; and never once a part of a reply was passed on. Headers name the model that
 * answered, and those that were passed over.
 *
 * @throws {HttpError} the failure of the last place that was asked; where nothing was sent to any, that of the
 * place which may be asked again first
 */
export async function askInTurn(asked: AskedInTurn): Promise<UpstreamReply> {
  const { rules, signal, notes } = asked;
  const places = [...asked.places];
  const passed = new Map<ModelPlace, string>();
  /** Those whose limits are reached, in whose queues the request waits once no other place is left. */
  let busy: ModelPlace[] = [];
  /** The last refusal, in case that no further place can be asked. */
  let refused: Attempt | undefined;
  let unsent: HttpError | undefined;
  for (;;) {
    const { attempt, outcome } = await nextAttempt(asked, { places, busy, passed });
    const { place } = attempt;
    if ('error' in outcome && outcome.error instanceof UpstreamBusy) {
      busy.push(place);
      passed.set(place, 'busy');
      continue;
    }
    busy = busy.filter((each) => each !== place);
    passed.delete(place);
    if ('error' in outcome && wasNotSent(outcome.error)) unsent = sooner(unsent, outcome.error);
    const isLast = places.length === 0 && busy.length === 0;
    const next = isLast || signal.aborted ? undefined : passesOver(outcome, rules);
    if (next) {
      passed.set(place, next.mayBeBilled ? `${next.why}, may be billed` : next.why);
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
}

/** What was not asked yet, and what was. */
interface Turn {
  /** In the order in which they are asked. The next one is taken out. */
  readonly places: ModelPlace[];
  readonly busy: readonly ModelPlace[];
  readonly passed: Passed;
}

/** Why places were passed over. */
type Passed = ReadonlyMap<ModelPlace, string>;

/** Asks the next place, which waits only where it is the last; once none is left, the first busy one with room. */
async function nextAttempt(asked: AskedInTurn, { places, busy, passed }: Turn): Promise<Tried> {
  const { rules, notes } = asked;
  const isLast = places.length + busy.length === 1;
  const attemptAt = (place: ModelPlace) =>
    new Attempt(asked, place, isLast ? undefined : rules.nextAfterSeconds);
  const place = places.shift();
  if (!place) return firstWithRoom(busy.map(attemptAt), (each) => note(notes, rules.name, each, passed));
  note(notes, rules.name, place, passed);
  const attempt = attemptAt(place);
  return { attempt, outcome: await attempt.run(isLast) };
}

function passesOver(outcome: Outcome, { nextOnServerError = false }: AliasRules): PassedOver | undefined {
  if ('isLate' in outcome) return { why: 'no reply', mayBeBilled: true };
  if ('error' in outcome && wasNotSent(outcome.error)) return { why: 'not sent', mayBeBilled: false };
  const status = 'reply' in outcome ? outcome.reply.status : statusOf(outcome.error);
  if (status === 429) return { why: '429', mayBeBilled: false };
  const isFailure = status >= 500 || ('error' in outcome && isInvalidReply(outcome.error));
  return nextOnServerError && isFailure ? { why: String(status), mayBeBilled: true } : undefined;
}

function isInvalidReply(error: unknown): boolean {
  return error instanceof HttpError && error.type === 'invalid_reply_error';
}

function statusOf(error: unknown): number {
  return error instanceof HttpError ? error.status : 0;
}

function note(notes: AskedInTurn['notes'], alias: string, place: ModelPlace, passed: Passed): void {
  notes.alias = alias;
  notes.model = idOf(place);
  notes.upstream = place.upstream.name;
  const others = passedWords(place, passed);
  if (others.length > 0) notes.passedOver = others;
}

function withHeaders(reply: UpstreamReply, place: ModelPlace, passed: Passed): UpstreamReply {
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

function headersOf(place: ModelPlace, passed: Passed): Readonly<Record<string, string>> {
  const others = passedWords(place, passed);
  return {
    [modelHeader]: headerText(idOf(place)),
    ...(others.length > 0 && { 'x-gateway-passed-over': headerText(others.join('; ')) }),
  };
}

/** The places other than one that were passed over, each with why. */
function passedWords(place: ModelPlace, passed: Passed): readonly string[] {
  return [...passed].filter(([each]) => each !== place).map(([each, why]) => `${idOf(each)} (${why})`);
}

function idOf({ upstream, model }: ModelPlace): string {
  return `${upstream.name}/${model}`;
}

/** Ids may hold what no header can. */
function headerText(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]/g, encodeURIComponent);
}
