import { maxPhraseLength } from './simulatedFaults.ts';

/** Options in the words of a prompt. Times are in milliseconds. */
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
  readonly answerAfterMs: number;
  readonly losesAnswer: boolean;
}

/** The phrases that control a demo video, and their effects. */
export const videoPhrases: readonly (readonly [phrase: string, effect: string])[] = [
  ['take 30 seconds', 'is made in that time; minutes work, too'],
  ['queue for 5 seconds', 'waits that long before'],
  ['make 2 videos', 'brings several results, up to four'],
  ['never finish', 'runs until it is cancelled'],
  ['cannot be cancelled', 'refuses to be cancelled'],
  ['no result', 'completes with nothing made'],
  ['expire at once', 'completes, but its result is gone already'],
  ['fail', 'fails half-way'],
  ['fail with content filter', 'fails half-way, stopped by a filter'],
  ['fail with 429', 'is refused with that status, and no task is made; any from 400 to 599'],
  ['answer late', 'exists at once, but is answered after 5 seconds'],
  ['lose the answer', 'exists, but the connection ends without an answer'],
];

const maxResults = 4;
const maxMs = 24 * 60 * 60 * 1000;
const lateMs = 5_000;

/** Reads the options in a prompt. In a long prompt such words do not count. */
export function readVideoPromptOptions(prompt: string): VideoPromptOptions {
  const text = prompt.length > maxPhraseLength ? '' : prompt;
  const says = (pattern: RegExp) => pattern.test(text);
  const runMs = duration(text, /\btakes? /);
  const queueMs = duration(text, /\bqueues? (?:for )?/);
  const refusal = /\bfail with ([45]\d\d)\b/i.exec(text)?.[1];
  const failure = says(/\bfail with (a )?content filter\b/i) ? 'content-filter' : 'half-way';
  return {
    ...(runMs !== undefined && { runMs }),
    ...(queueMs !== undefined && { queueMs }),
    count: Math.min(maxResults, Math.max(1, Number(/\bmake (\d) videos?\b/i.exec(text)?.[1] ?? 1))),
    ...(refusal !== undefined && { refusal: Number(refusal) }),
    ...(says(/\bfail\b/i) && { failure }),
    isEmpty: says(/\bno results?\b/i),
    neverEnds: says(/\bnever finish\b/i),
    expiresAtOnce: says(/\bexpires? at once\b/i),
    cannotBeCancelled: says(/\b(cannot|can't) be cancell?ed\b/i),
    answerAfterMs: duration(text, /\banswer /, / late/) ?? (says(/\banswer late\b/i) ? lateMs : 0),
    losesAnswer: says(/\blose the answer\b/i),
  };
}

/** Reads a duration such as the 30 seconds of "take 30 seconds". */
function duration(text: string, before: RegExp, after = /\b/): number | undefined {
  const time = /(\d{1,6}(?:\.\d{1,3})?) ?(s|secs?|seconds?|mins?|minutes?)/;
  const found = new RegExp(`${before.source}${time.source}\\b${after.source}`, 'i').exec(text);
  if (!found) return undefined;
  const [, amount, unit = ''] = found;
  return Math.min(maxMs, Number(amount) * (unit.toLowerCase().startsWith('m') ? 60_000 : 1_000));
}
