import { isObject, type JsonObject, objectsIn } from '../../base/json.ts';
import type { PartRecord } from '../conversation/conversationRecord.ts';
import type {
  ConversationDraft,
  DraftRequest,
  JsonFormat,
  MessageDraft,
} from './reading/conversationDraft.ts';
import type { ConversationReading } from './reading/conversationReading.ts';
import { arrayOf, type ReadFields, someText, unreadFields, wellFormedText } from './reading/fieldValues.ts';

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
 * The export of LibreChat as JSON: one conversation per file, its messages as a list, or as a tree with
 * `children` if the user selected *recursive*.
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
      title: wellFormedText(object.title),
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

/** The user's system prompt; its name depends on the kind of endpoint. */
function systemPromptOf(options: JsonObject): string | undefined {
  const { promptPrefix, system, instructions, context } = options;
  return [promptPrefix, system, instructions, context].map(someText).find(Boolean);
}

type MessageWithParent = readonly [message: JsonObject, parent: string | undefined];

/** All messages with their parents, at any depth: parents before children. */
function allMessages({ messages, messagesTree }: JsonObject): readonly MessageWithParent[] {
  const withParents: MessageWithParent[] = [];
  const listed = [...objectsIn(messagesTree), ...objectsIn(messages)];
  const isLinear = !listed.some(({ parentMessageId, children }) => parentMessageId || children);
  const waiting = listed
    .map(
      (message, nth): MessageWithParent => [
        message,
        isLinear ? someText(listed[nth - 1]?.messageId) : undefined,
      ],
    )
    .reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [message, above] = next;
    withParents.push([message, parentOf(message) ?? above]);
    const children = objectsIn(message.children);
    for (const child of children.toReversed()) waiting.push([child, someText(message.messageId)]);
  }
  return withParents;
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
  const modelName = someText(model);
  if (modelName === undefined) return undefined;
  if (error === true)
    return { model: modelName, outcome: 'failed', error: { message: wellFormedText(text) ?? '' } };
  if (unfinished === true) return { model: modelName, outcome: 'interrupted' };
  const isCut = finish_reason === 'length' || finish_reason === 'max_tokens';
  return { model: modelName, outcome: isCut ? 'truncated' : 'complete' };
}

/** Files of the question, and files that tools created. Attachments also contain search results of tools. */
function fileParts({ files, attachments }: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const createdFiles = objectsIn(attachments).filter(({ filename }) => someText(filename) !== undefined);
  return [...objectsIn(files), ...createdFiles].map((file) => {
    const text = someText(file.text);
    if (text !== undefined)
      return reading.attach(Buffer.from(text), { mimeType: 'text/plain', name: file.filename });
    return reading.attachUrl(file.preview ?? file.filepath, file, file.filename);
  });
}

/** The user's quotes of earlier messages, which were sent to the model with the question. */
function quoteParts({ quotes }: JsonObject): readonly PartRecord[] {
  return arrayOf(quotes).flatMap((quote) => {
    const text = someText(quote);
    return text === undefined ? [] : [{ type: 'text' as const, text: quoted(text) }];
  });
}

function wordParts(message: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const parts = arrayOf(message.content).flatMap((part) =>
    isObject(part) ? contentParts(part, reading) : reading.unreadParts('content', part),
  );
  if (parts.length > 0) return parts;
  const text = wordsOf(message.text) ?? wordsOf(message.content);
  if (text === undefined) return reading.unreadParts('text', message.text);
  return message.isCreatedByUser === true ? [{ type: 'text', text }] : textParts(text);
}

/** Older replies are one text, with the reasoning at the beginning. */
const olderReasoning = /^:::thinking\n([\s\S]*?)\n:::\n+/;

/** Kinds that describe only how the reply was created: notes about steps, and changes of the agent. */
const unshownKinds: ReadonlySet<unknown> = new Set(['activity_label', 'agent_update']);

/** The fields of each kind of part that its record contains. Other kinds are stored completely. */
const partFields: ReadFields = new Map([
  ['text', new Set(['type', 'text', 'tool_call_ids'])],
  ['error', new Set(['type', 'text', 'error'])],
  ['think', new Set(['type', 'think'])],
  ['steer', new Set(['type', 'steer', 'quotes'])],
  ['summary', new Set(['type', 'content'])],
]);

function contentParts(part: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  switch (part.type) {
    case 'text':
    case 'error': {
      const text = wordsOf(part.text) ?? wordsOf(part.error);
      return text === undefined ? [] : textParts(text);
    }
    case 'think': {
      const text = wordsOf(part.think);
      return text === undefined ? [] : [{ type: 'reasoning', text }];
    }
    // Text from the user while the reply arrived.
    case 'steer': {
      const texts = [...arrayOf(part.quotes), part.steer].flatMap((words) => someText(words) ?? []);
      return texts.map((text) => ({ type: 'text', text: quoted(text) }));
    }
    case 'summary': {
      const text = objectsIn(part.content).flatMap((each) => wordsOf(each.text) ?? []);
      return text.map((each) => ({ type: 'text', text: each }));
    }
    case 'tool_call':
      return isObject(part.tool_call) ? toolParts(part.tool_call, reading) : [];
    case 'image_file': {
      const file = isObject(part.image_file) ? part.image_file : part;
      return [reading.attachUrl(file.preview ?? file.filepath, file, file.filename)];
    }
    case 'image_url':
    case 'video_url': {
      const file = part[part.type];
      return [reading.attachUrl(isObject(file) ? file.url : file, part)];
    }
    default:
      return [unshownKinds.has(part.type) ? reading.hiddenPart(part) : reading.unknownPart(part)];
  }
}

/** A text, or the text of an object with annotations. */
function wordsOf(text: unknown): string | undefined {
  return someText(isObject(text) ? text.value : text);
}

/** The text of a reply. In older replies, reasoning at its beginning is separated. */
function textParts(text: string): readonly PartRecord[] {
  const [before = '', reasoning = ''] = olderReasoning.exec(text) ?? [];
  const rest = text.slice(before.length);
  return [
    ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
    ...(rest === '' ? [] : [{ type: 'text' as const, text: rest }]),
  ];
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

/** A call of an agent's tool, of a function, or of a built-in tool of the provider. */
function toolParts(call: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const kind = wellFormedText(call.type) ?? '';
  const inner = [call.function, call[kind]].find(isObject) ?? call;
  const [id, name] = [wellFormedText(call.id) ?? '', wellFormedText(inner.name) ?? kind];
  const output = someText(inner.output) ?? outputsText(inner.outputs, reading);
  const toolCall: PartRecord = {
    type: 'toolCall',
    id,
    name,
    arguments: reading.json(call.args ?? inner.arguments ?? inner.input),
  };
  return output === undefined ? [toolCall] : [toolCall, { type: 'toolResult', id, name, text: output }];
}

/** The output of executed code, and the files that it created. */
function outputsText(outputs: unknown, reading: ConversationReading): string | undefined {
  const texts = objectsIn(outputs).map((output) => wellFormedText(output.logs) ?? reading.json(output));
  return texts.length > 0 ? texts.join('\n\n') : undefined;
}
