import type { CompletionTrigger } from '../../../protocol/completion.ts';

/** The longest text after a trigger for which there are suggestions, in UTF-16 units. The host has the same limit. */
const maxQueryLength = 200;

/** The word before the caret that can be completed. */
export interface CompletionWord {
  readonly trigger: string;
  /** The text after the trigger. */
  readonly query: string;
  /** The start of the word, with its trigger, and its end in the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** Finds the word that ends at the caret. Undefined if it does not begin with one of the triggers. */
export function findCompletionWord(
  text: string,
  caret: number,
  triggers: readonly CompletionTrigger[],
): CompletionWord | undefined {
  const before = text.slice(Math.max(0, caret - maxQueryLength - 2), caret);
  const word = /(?:^|\s)(\S+)$/u.exec(before)?.[1];
  if (word === undefined || word.length > maxQueryLength + 1) return undefined;
  const start = caret - word.length;
  const [character = ''] = word;
  const trigger = triggers.find((candidate) => candidate.character === character);
  if (!trigger || (trigger.where === 'start' && start > 0)) return undefined;
  return { trigger: character, query: word.slice(1), start, end: caret };
}
