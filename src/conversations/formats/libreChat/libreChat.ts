import { isObject, type JsonObject } from '../../../base/json.ts';
import type { PartRecord } from '../../record.ts';
import type {
  ConversationDraft,
  DraftRequest,
  JsonFormat,
  MessageDraft,
} from '../reading/conversationDraft.ts';
import type { ConversationReading } from '../reading/conversationReading.ts';
import { arrayOf, objectsIn, someText, textOf, unreadFields } from '../reading/fields.ts';
import { contentParts, partFields, quoted, textParts, wordsOf } from './contentParts.ts';

/** The parent of first messages. */
const rootParent = '00000000-0000-0000-0000-000000000000';

const conversationFields = new Set(
  'conversationId title messages messagesTree createdAt updatedAt'.split(' '),
);
const messageFields = new Set(
  'messageId parentMessageId text isCreatedByUser model error unfinished createdAt children files quotes'.split(
    ' ',
  ),
);

/**
 * The export of LibreChat as JSON: one conversation a file, its messages a list, or a tree by `children` where the
 * user chose *recursive*.
 */
export const libreChat: JsonFormat = {
  source: 'librechat',

  recognizes: ({ conversationId, messages, messagesTree }) =>
    conversationId !== undefined && (Array.isArray(messages) || Array.isArray(messagesTree)),

  read(object, { reading }): ConversationDraft {
    const messages = allMessages(object);
    const options = isObject(object.options) ? object.options : {};
    return {
      id: someText(object.conversationId),
      title: textOf(object.title),
      createdAt: reading.time(object.createdAt),
      changedAt: reading.time(object.updatedAt),
      head: undefined,
      model: someText(options.model),
      systemPrompt: systemPromptOf(options),
      messages: messages.map(([message, parent]) => messageDraft(message, parent, reading)),
      ...reading.extra(object, conversationFields),
    };
  },
};

/** What the user wrote above the conversation; each kind of endpoint calls it differently. */
function systemPromptOf(options: JsonObject): string | undefined {
  const { promptPrefix, system, instructions, context } = options;
  return [promptPrefix, system, instructions, context].map(someText).find(Boolean);
}

type Placed = readonly [message: JsonObject, parent: string | undefined];

/** Every message with its parent, however deep the tree is: those before their children. */
function allMessages({ messages, messagesTree }: JsonObject): readonly Placed[] {
  const all: Placed[] = [];
  const first = [...objectsIn(messagesTree), ...objectsIn(messages)];
  const isLinear = !first.some(({ parentMessageId, children }) => parentMessageId || children);
  const waiting = first
    .map((message, nth): Placed => [message, isLinear ? someText(first[nth - 1]?.messageId) : undefined])
    .reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [message, above] = next;
    all.push([message, parentOf(message) ?? above]);
    const children = objectsIn(message.children);
    for (const child of children.toReversed()) waiting.push([child, someText(message.messageId)]);
  }
  return all;
}

function parentOf({ parentMessageId }: JsonObject): string | undefined {
  const parent = someText(parentMessageId);
  return parent === rootParent ? undefined : parent;
}

function messageDraft(
  message: JsonObject,
  parent: string | undefined,
  reading: ConversationReading,
): MessageDraft {
  const isQuestion = message.isCreatedByUser === true;
  const request = isQuestion ? undefined : requestOf(message);
  return {
    id: someText(message.messageId),
    parent,
    role: isQuestion ? 'user' : 'assistant',
    createdAt: reading.time(message.createdAt),
    state: message.unfinished === true ? 'stopped' : 'done',
    parts: [...fileParts(message, reading), ...quoteParts(message), ...wordParts(message, reading)],
    ...(request && { request }),
    ...reading.extra(
      { ...message, content: unreadFields(message.content, partFields, 'part') },
      messageFields,
    ),
  };
}

function requestOf({ model, error, unfinished, text, finish_reason }: JsonObject): DraftRequest | undefined {
  const asked = someText(model);
  if (asked === undefined) return undefined;
  if (error === true) return { model: asked, outcome: 'failed', error: { message: textOf(text) ?? '' } };
  if (unfinished === true) return { model: asked, outcome: 'interrupted' };
  const isCut = finish_reason === 'length' || finish_reason === 'max_tokens';
  return { model: asked, outcome: isCut ? 'truncated' : 'complete' };
}

/** Files of the question, and those that tools made. What tools found is told among the attachments, too. */
function fileParts({ files, attachments }: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const made = objectsIn(attachments).filter(({ filename }) => someText(filename) !== undefined);
  return [...objectsIn(files), ...made].map((file) => {
    const text = someText(file.text);
    if (text !== undefined)
      return reading.attach(Buffer.from(text), { mimeType: 'text/plain', name: file.filename });
    return reading.attachUrl(file.preview ?? file.filepath, file, file.filename);
  });
}

/** What the user quoted of earlier messages, which the model was sent with the question. */
function quoteParts({ quotes }: JsonObject): readonly PartRecord[] {
  return arrayOf(quotes).flatMap((quote) => {
    const text = someText(quote);
    return text === undefined ? [] : [{ type: 'text' as const, text: quoted(text) }];
  });
}

function wordParts(message: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const parts = arrayOf(message.content).flatMap((part) =>
    isObject(part) ? contentParts(part, reading) : reading.unread('content', part),
  );
  if (parts.length > 0) return parts;
  const text = wordsOf(message.text) ?? wordsOf(message.content);
  if (text === undefined) return reading.unread('text', message.text);
  return message.isCreatedByUser === true ? [{ type: 'text', text }] : textParts(text);
}
