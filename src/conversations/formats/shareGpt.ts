import type { JsonObject } from '../../base/json.ts';
import type { ConversationDraft, JsonFormat, MessageDraft } from './reading/conversationDraft.ts';
import type { ConversationReading } from './reading/conversationReading.ts';
import { objectsIn, textOf } from './reading/fields.ts';

const conversationFields = new Set('title conversations created_at'.split(' '));

/** Who speaks, in the words of ShareGPT and of data sets in its form. */
const roles: ReadonlyMap<unknown, MessageDraft['role']> = new Map([
  ['human', 'user'],
  ['user', 'user'],
  ['system', 'system'],
  ['tool', 'tool'],
  ['observation', 'tool'],
  ['function', 'tool'],
]);

/** ShareGPT's form: a list of who said what, without branches, times or ids of messages. */
export const shareGpt: JsonFormat = {
  source: 'sharegpt',

  recognizes: ({ conversations }) => {
    const [first] = objectsIn(conversations);
    return first !== undefined && typeof first.from === 'string' && 'value' in first;
  },

  read(object, { reading }): ConversationDraft {
    return {
      // Data sets count theirs from 1, so that those of two are the same.
      id: undefined,
      title: textOf(object.title),
      createdAt: reading.time(object.created_at),
      changedAt: undefined,
      head: undefined,
      messages: objectsIn(object.conversations).map((message, nth) => messageDraft(message, nth, reading)),
      ...reading.extra(object, conversationFields),
    };
  },
};

function messageDraft(
  { from, value, ...others }: JsonObject,
  nth: number,
  reading: ConversationReading,
): MessageDraft {
  return {
    id: `message-${nth + 1}`,
    parent: nth > 0 ? `message-${nth}` : undefined,
    role: roles.get(from) ?? 'assistant',
    createdAt: undefined,
    parts:
      typeof value === 'string'
        ? [{ type: 'text', text: value.toWellFormed() }]
        : reading.unread('value', value),
    ...reading.extra(others, new Set()),
  };
}
