import { createHash } from 'node:crypto';
import type { AskedModel } from '../../../../conversations/said/saidTurn.ts';
import type { ForeignMessage } from '../../../../wire/message.ts';

/**
 * The ids by which what a model said is kept, at the places of its messages. A message with calls goes by its first
 * one, whose id is ours and like no other. One without goes by its words, those of the question, and the message
 * before that: whoever changes them, as hosts do, finds nothing, and the words go back alone.
 */
export function turnIds(
  messages: readonly ForeignMessage[],
  asked: AskedModel,
): readonly (string | undefined)[] {
  let before: Before = { calls: [], words: [] };
  return messages.map((message) => {
    const words = textsOf(message);
    if (message.role === 'user') before = { ...before, words: [...before.words, ...words] };
    if (message.role !== 'assistant') return undefined;
    const calls = callIds(message);
    const id = calls[0] ?? (words.length > 0 ? wordsId(asked, before, words) : undefined);
    before = { calls, words };
    return id;
  });
}

/** What comes before the words of a message: what the model said last, and the question. */
interface Before {
  readonly calls: readonly string[];
  readonly words: readonly string[];
}

/** The ids of the calls of a message. */
export function callIds({ role, parts }: ForeignMessage): readonly string[] {
  if (role !== 'assistant') return [];
  return parts.flatMap((part) => (part.type === 'toolCall' ? [part.id] : []));
}

/** The texts of a message as one: hosts split and join them, and trim what is around them. */
function textsOf({ parts }: ForeignMessage): readonly string[] {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return text.trim() === '' ? [] : [text.trim()];
}

function wordsId({ gateway, model, format }: AskedModel, before: Before, said: readonly string[]): string {
  // Calls alone tell the place: hosts shorten their results, and write more beside them.
  const place = before.calls.length > 0 ? before.calls : before.words;
  const hash = createHash('sha256');
  for (const list of [[gateway, model, format], place, said]) {
    hash.update(`${list.length}:`);
    for (const text of list) hash.update(`${text.length}:`).update(text);
  }
  return `words-${hash.digest('base64url')}`;
}
