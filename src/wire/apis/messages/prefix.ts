import { isObject } from '../../../base/json.ts';
import type { PrefixForm, PrefixQuestion } from '../apiFormat.ts';
import type { MessagesConversation } from './encode.ts';

/** A message of the assistant at the end. */
export const messagesPrefix: PrefixForm = {
  isTaken,
  mark: (encoded) => withoutTrailingSpace(encoded as MessagesConversation),
};

/** Claude takes it up to version 4.5, and refuses it from 4.6 on. No model does while it thinks. */
function isTaken({ model, told, parameters: { thinking } }: PrefixQuestion): boolean {
  const thinks = isObject(thinking) && thinking.type !== 'disabled';
  return !thinks && (told ?? isEarlyClaude(model));
}

function isEarlyClaude(model: string): boolean {
  const [, major, minor = '0'] = /claude-(?:[a-z]+-)?(\d)(?:[-.](\d)(?!\d))?/i.exec(model) ?? [];
  if (major === undefined) return false;
  return Number(major) < 4 || (major === '4' && Number(minor) <= 5);
}

/** Providers refuse white space at the end of the last message. */
function withoutTrailingSpace(conversation: MessagesConversation): MessagesConversation {
  const { messages } = conversation;
  const last = messages.at(-1);
  const block = Array.isArray(last?.content) ? last.content.at(-1) : undefined;
  if (last?.role !== 'assistant' || !Array.isArray(last.content) || block?.type !== 'text')
    return conversation;
  const text = { ...block, text: (block.text ?? '').trimEnd() };
  return { ...conversation, messages: messages.with(-1, { ...last, content: last.content.with(-1, text) }) };
}
