import { createHash } from 'node:crypto';
import type { TurnModel } from '../../../../conversations/verbatim/verbatimTurns.ts';
import type { ForeignMessage } from '../../../../wire/message.ts';

/**
 * The ids of the stored turns, at the positions of their messages; undefined for messages of the user and for empty
 * messages. The id of a message with calls is the id of its first call, which we created and which is unique. The id of
 * a message without calls is a hash of its text, the question's text, and the message before the question. If a host
 * changes any of them, the stored turn is not found, and only the text is sent.
 */
export function turnIds(
  messages: readonly ForeignMessage[],
  turnModel: TurnModel,
): readonly (string | undefined)[] {
  let context: TurnContext = { calls: [], texts: [] };
  return messages.map((message) => {
    const texts = readTexts(message);
    if (message.role === 'user') context = { ...context, texts: [...context.texts, ...texts] };
    if (message.role !== 'assistant') return undefined;
    const calls = callIds(message);
    const id = calls[0] ?? (texts.length > 0 ? textId(turnModel, context, texts) : undefined);
    context = { calls, texts };
    return id;
  });
}

/** The context before a message: the model's last turn, and the question. */
interface TurnContext {
  readonly calls: readonly string[];
  readonly texts: readonly string[];
}

/** The ids of the calls of a message. */
export function callIds({ role, parts }: ForeignMessage): readonly string[] {
  if (role !== 'assistant') return [];
  return parts.flatMap((part) => (part.type === 'toolCall' ? [part.id] : []));
}

/** The text of a message in one piece, because hosts split, join and trim texts. An empty list if it has no text. */
function readTexts({ parts }: ForeignMessage): readonly string[] {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return text.trim() === '' ? [] : [text.trim()];
}

function textId(
  { gateway, model, format }: TurnModel,
  context: TurnContext,
  texts: readonly string[],
): string {
  // Calls alone identify the position: hosts shorten the results of calls, and add text to them.
  const previous = context.calls.length > 0 ? context.calls : context.texts;
  const hash = createHash('sha256');
  for (const list of [[gateway, model, format], previous, texts]) {
    hash.update(`${list.length}:`);
    for (const text of list) hash.update(`${text.length}:`).update(text);
  }
  return `words-${hash.digest('base64url')}`;
}
