import { isObject, type JsonObject } from '../../base/json.ts';
import type { PartRecord } from '../record.ts';
import type { ConversationDraft, JsonFormat } from './reading/conversationDraft.ts';
import type { ConversationReading } from './reading/conversationReading.ts';
import { objectsIn, someText, textOf } from './reading/fields.ts';
import type { DraftRequest, MessageDraft } from './reading/messageDraft.ts';

/** The parent of first messages. */
const rootParent = '00000000-0000-0000-0000-000000000000';

const conversationFields = new Set(
  'conversationId title messages messagesTree createdAt updatedAt'.split(' '),
);
const messageFields = new Set(
  'messageId parentMessageId text content isCreatedByUser model error unfinished createdAt children files'.split(
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
      messages: messages.map(([message, parent]) => messageDraft(message, parent, reading)),
      ...reading.extra(object, conversationFields),
    };
  },
};

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
    parts: [...fileParts(message, reading), ...wordParts(message, reading)],
    ...(request && { request }),
    ...reading.extra(message, messageFields),
  };
}

function requestOf({ model, error, unfinished, text }: JsonObject): DraftRequest | undefined {
  const asked = someText(model);
  if (asked === undefined) return undefined;
  if (error === true) return { model: asked, outcome: 'failed', error: { message: textOf(text) ?? '' } };
  return { model: asked, outcome: unfinished === true ? 'interrupted' : 'complete' };
}

function fileParts({ files }: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  return objectsIn(files).map((file) =>
    reading.attachUrl(file.preview ?? file.filepath, file, file.filename),
  );
}

function wordParts(message: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const parts = objectsIn(message.content).flatMap((part) => contentPart(part, reading));
  if (parts.length > 0) return parts;
  const text = wordsOf(message.text) ?? wordsOf(message.content);
  return text === undefined ? reading.unread('text', message.text) : [{ type: 'text', text }];
}

function contentPart(part: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  switch (part.type) {
    case 'text':
    case 'error': {
      const text = wordsOf(part.text) ?? wordsOf(part.error);
      return text === undefined ? [] : [{ type: 'text', text }];
    }
    case 'think': {
      const text = wordsOf(part.think);
      return text === undefined ? [] : [{ type: 'reasoning', text }];
    }
    case 'tool_call':
      return isObject(part.tool_call) ? toolParts(part.tool_call, reading) : [];
    case 'image_url': {
      const { image_url: image } = part;
      return [reading.attachUrl(isObject(image) ? image.url : image, part)];
    }
    default:
      return [reading.other(part)];
  }
}

/** A text, or one in an object with its annotations. */
function wordsOf(text: unknown): string | undefined {
  return someText(isObject(text) ? text.value : text);
}

function toolParts(call: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const inner = isObject(call.function) ? call.function : call;
  const [id, name] = [textOf(call.id) ?? '', textOf(inner.name) ?? ''];
  const output = someText(inner.output);
  const asked: PartRecord = {
    type: 'toolCall',
    id,
    name,
    arguments: reading.json(call.args ?? inner.arguments),
  };
  return output === undefined ? [asked] : [asked, { type: 'toolResult', id, name, text: output }];
}
