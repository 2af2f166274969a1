import { type JsonObject, objectsIn } from '../../base/json.ts';
import type { ConversationDraft, JsonFormat, MessageDraft } from './reading/conversationDraft.ts';
import type { ConversationReading } from './reading/conversationReading.ts';
import { toWellFormedText } from './reading/fieldValues.ts';

const conversationFields = new Set('title conversations created_at'.split(' '));

/** The roles in ShareGPT files and in data sets with its format. */
const roles: ReadonlyMap<unknown, MessageDraft['role']> = new Map([
  ['human', 'user'],
  ['user', 'user'],
  ['system', 'system'],
  ['tool', 'tool'],
  ['observation', 'tool'],
  ['function', 'tool'],
]);

/** ShareGPT's format: a list of texts and their speakers, without branches, times or message ids. */
export const shareGpt: JsonFormat = {
  source: 'sharegpt',

  recognizes: ({ conversations }) => {
    const [first] = objectsIn(conversations);
    return first !== undefined && typeof first.from === 'string' && 'value' in first;
  },

  read(object, { reading }): ConversationDraft {
    return {
      // Data sets number their conversations from 1, so ids of two data sets can be equal.
      id: undefined,
      title: toWellFormedText(object.title),
      createdAt: reading.readTime(object.created_at),
      changedAt: undefined,
      head: undefined,
      messages: objectsIn(object.conversations).map((message, nth) => readMessage(message, nth, reading)),
      ...reading.collectExtra(object, conversationFields),
    };
  },
};

function readMessage(
  { from, value, ...rest }: JsonObject,
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
        : reading.createUnreadParts('value', value),
    ...reading.collectExtra(rest, new Set()),
  };
}
