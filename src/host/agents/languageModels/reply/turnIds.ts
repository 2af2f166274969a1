import { createHash } from 'node:crypto';
import type { TurnModel } from '../../../../conversations/verbatim/verbatimTurn.ts';
import type { ForeignMessage } from '../../../../wire/message.ts';

/**
 * The ids of the stored turns, at the positions of their messages. The id of a message with calls is its first
 * call id, which is ours and unique. The id of a message without calls is made from its text, the question's text,
 * and the message before that. If a host changes any of them, the stored turn is not found, and only the text is
 * sent.
 */
export function turnIds(
  messages: readonly ForeignMessage[],
  turnModel: TurnModel,
): readonly (string | undefined)[] {
  let before: Before = { calls: [], words: [] };
  return messages.map((message) => {
    const words = textsOf(message);
    if (message.role === 'user') before = { ...before, words: [...before.words, ...words] };
    if (message.role !== 'assistant') return undefined;
    const calls = callIds(message);
    const id = calls[0] ?? (words.length > 0 ? wordsId(turnModel, before, words) : undefined);
    before = { calls, words };
    return id;
  });
}

/** The context before a message: the model's last turn, and the question. */
interface Before {
  readonly calls: readonly string[];
  readonly words: readonly string[];
}

/** The ids of the calls of a message. */
export function callIds({ role, parts }: ForeignMessage): readonly string[] {
  if (role !== 'assistant') return [];
  return parts.flatMap((part) => (part.type === 'toolCall' ? [part.id] : []));
}

/** The texts of a message as one: hosts split and join them, and trim the white space around them. */
function textsOf({ parts }: ForeignMessage): readonly string[] {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return text.trim() === '' ? [] : [text.trim()];
}

function wordsId({ gateway, model, format }: TurnModel, before: Before, texts: readonly string[]): string {
  // Calls alone identify the position: hosts shorten their results, and add text to them.
  const context = before.calls.length > 0 ? before.calls : before.words;
  const hash = createHash('sha256');
  for (const list of [[gateway, model, format], context, texts]) {
    hash.update(`${list.length}:`);
    for (const text of list) hash.update(`${text.length}:`).update(text);
  }
  return `words-${hash.digest('base64url')}`;
}
