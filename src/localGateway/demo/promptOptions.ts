import { HttpError } from '../http/httpError.ts';
import { findLanguage, type Language } from './snippets.ts';

/** The content that the words of a question request. */
export interface PromptOptions {
  readonly help: boolean;
  readonly code?: Language;
  readonly table: boolean;
  readonly list: boolean;
  readonly picture: boolean;
  /** The length of the prose. */
  readonly length?: TextLength;
}

export interface TextLength {
  readonly unit: 'words' | 'paragraphs';
  readonly count: number;
}

const maxWords = 5_000;
const maxParagraphs = 60;

/** Finds options by words in English and Chinese. A question in another language does not select options. */
export function readPromptOptions(question: string): PromptOptions {
  const code = findLanguage(question) ?? (codePattern.test(question) ? 'typescript' : undefined);
  const length = readLength(question);
  return {
    help:
      (question.length <= maxPhraseLength &&
        /^\W*(help|what can you do|帮助|你能做什么)\W*$/iu.test(question)) ||
      /^\s*(帮助|你能做什么)/u.test(question),
    table: /\btables?\b|表格/iu.test(question),
    picture: /\b(draw|paint|sketch)\b|画/iu.test(question.slice(0, maxPhraseLength)),
    list: /\b(lists?|steps|bullets?)\b|列表|步骤/iu.test(question),
    ...(code && { code }),
    ...(length && { length }),
  };
}

const codePattern = /\b(code|function|script|snippet|program)\b|代码|函数|脚本/iu;

function readLength(question: string): TextLength | undefined {
  const wordsMatch = /\b(\d{1,6})[ -]*words?\b|(\d{1,6}) *字/iu.exec(question);
  if (wordsMatch) return { unit: 'words', count: clampCount(wordsMatch[1] ?? wordsMatch[2], maxWords) };
  const paragraphsMatch = /\b(\d{1,6})[ -]*paragraphs?\b|(\d{1,6}) *段/iu.exec(question);
  if (paragraphsMatch)
    return { unit: 'paragraphs', count: clampCount(paragraphsMatch[1] ?? paragraphsMatch[2], maxParagraphs) };
  if (/(?<!how )\blong(er)?\b|\b(essay|in detail|detailed)\b|长文|长篇|长一点|详细/iu.test(question))
    return { unit: 'words', count: 600 };
  return undefined;
}

function clampCount(digits: string | undefined, max: number): number {
  return Math.min(max, Math.max(1, Number(digits)));
}

/** The options that the words of a prompt for a video select. Times are in milliseconds. */
export interface VideoPromptOptions {
  readonly runMs?: number;
  readonly queueMs?: number;
  /** The number of results; one by default. */
  readonly count: number;
  readonly failure?: 'half-way' | 'content-filter';
  /** The status that refuses the request. */
  readonly refusal?: number;
  readonly isEmpty: boolean;
  readonly neverEnds: boolean;
  readonly expiresAtOnce: boolean;
  readonly cannotBeCancelled: boolean;
  readonly replyDelayMs: number;
  readonly isReplyDropped: boolean;
}

/** The phrases that control a demo video, and their effects. */
export const videoPhrases: readonly (readonly [phrase: string, effect: string])[] = [
  ['take 30 seconds', 'takes that long; minutes are also possible'],
  ['queue for 5 seconds', 'waits that long in the queue first'],
  ['make 2 videos', 'has several results, up to four'],
  ['never finish', 'runs until it is cancelled'],
  ['cannot be cancelled', 'refuses to be cancelled'],
  ['no result', 'completes without a result'],
  ['expire at once', 'completes, but its result has already expired'],
  ['fail', 'fails half-way'],
  ['fail with content filter', 'fails half-way because of a content filter'],
  ['fail with 429', 'is refused with that status, and no task is created; any from 400 to 599'],
  ['answer late', 'is created at once, but the reply is sent after 5 seconds'],
  ['lose the answer', 'is created, but the connection ends without a reply'],
];

const maxResults = 4;
const maxMs = 24 * 60 * 60 * 1000;
const lateMs = 5_000;

/** Reads the options in a prompt. In a long prompt such words are ignored. */
export function readVideoPromptOptions(prompt: string): VideoPromptOptions {
  const text = prompt.length > maxPhraseLength ? '' : prompt;
  const matches = (pattern: RegExp) => pattern.test(text);
  const runMs = readDuration(text, /\btakes? /);
  const queueMs = readDuration(text, /\bqueues? (?:for )?/);
  const refusal = /\bfail with ([45]\d\d)\b/i.exec(text)?.[1];
  const failure = matches(/\bfail with (a )?content filter\b/i) ? 'content-filter' : 'half-way';
  return {
    ...(runMs !== undefined && { runMs }),
    ...(queueMs !== undefined && { queueMs }),
    count: Math.min(maxResults, Math.max(1, Number(/\bmake (\d) videos?\b/i.exec(text)?.[1] ?? 1))),
    ...(refusal !== undefined && { refusal: Number(refusal) }),
    ...(matches(/\bfail\b/i) && { failure }),
    isEmpty: matches(/\bno results?\b/i),
    neverEnds: matches(/\bnever finish\b/i),
    expiresAtOnce: matches(/\bexpires? at once\b/i),
    cannotBeCancelled: matches(/\b(cannot|can't) be cancell?ed\b/i),
    replyDelayMs: readDuration(text, /\banswer /, / late/) ?? (matches(/\banswer late\b/i) ? lateMs : 0),
    isReplyDropped: matches(/\blose the answer\b/i),
  };
}

/** Reads a duration, such as "30 seconds" in "take 30 seconds", in milliseconds. */
function readDuration(text: string, before: RegExp, after = /\b/): number | undefined {
  const time = /(\d{1,6}(?:\.\d{1,3})?) ?(s|secs?|seconds?|mins?|minutes?)/;
  const found = new RegExp(`${before.source}${time.source}\\b${after.source}`, 'i').exec(text);
  if (!found) return undefined;
  const [, amount, unit = ''] = found;
  return Math.min(maxMs, Number(amount) * (unit.toLowerCase().startsWith('m') ? 60_000 : 1_000));
}

/** A failure that the user requests. */
export type SimulatedFault =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'error' | 'cut' | 'no-end' | 'silence' | 'slow' };

/** The phrases that cause a simulated fault, and their effects. */
export const faultPhrases: readonly (readonly [phrase: string, effect: string])[] = [
  ['fail with 429', 'fails with that status; any from 400 to 599'],
  ['error in the middle', 'stops half-way with an error event'],
  ['cut the stream', 'closes the connection half-way'],
  ['leave out the end', 'ends cleanly, but without the end mark'],
  ['go silent', 'stops half-way and never ends'],
  ['answer slowly', 'writes four tokens a second'],
];

/** Phrases in longer texts, in UTF-16 units, are ignored. */
const maxPhraseLength = 120;

/** Reads the fault that a short question requests. In long questions the phrases are ignored. */
export function readSimulatedFault(question: string): SimulatedFault | undefined {
  if (question.length > maxPhraseLength) return undefined;
  const status = /\bfail with ([45]\d\d)\b/i.exec(question)?.[1];
  if (status) return { kind: 'status', status: Number(status) };
  if (/\berror in the middle\b/i.test(question)) return { kind: 'error' };
  if (/\bcut the stream\b/i.test(question)) return { kind: 'cut' };
  if (/\bleave out the end\b/i.test(question)) return { kind: 'no-end' };
  if (/\bgo silent\b/i.test(question)) return { kind: 'silence' };
  if (/\banswer slowly\b/i.test(question)) return { kind: 'slow' };
  return undefined;
}

/** @param source the part of the request that causes the failure, such as "the question" */
export function requestedFailureError(status: number, source: string): HttpError {
  return new HttpError({
    status,
    message: `The demo model fails with ${status}, because ${source} requested it.`,
    type: status === 429 ? 'rate_limit_error' : status < 500 ? 'invalid_request_error' : 'server_error',
    code: status === 429 ? 'rate_limit_exceeded' : 'demo_failure',
    ...((status === 429 || status === 503) && { headers: { 'Retry-After': '2' } }),
  });
}
