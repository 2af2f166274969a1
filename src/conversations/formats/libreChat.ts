import { isObject, type JsonObject, objectsIn } from '../../base/json.ts';
import type { PartRecord } from '../conversation/conversationRecord.ts';
import type {
  ConversationDraft,
  DraftRequest,
  JsonFormat,
  MessageDraft,
} from './reading/conversationDraft.ts';
import type { ConversationReading } from './reading/conversationReading.ts';
import {
  collectUnreadFields,
  type ReadFields,
  toArray,
  toNonEmptyText,
  toWellFormedText,
} from './reading/fieldValues.ts';

/** The parent id of first messages. */
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
    const messages = listMessages(object);
    const options = isObject(object.options) ? object.options : {};
    return {
      id: toNonEmptyText(object.conversationId),
      title: toWellFormedText(object.title),
      createdAt: reading.readTime(object.createdAt),
      changedAt: reading.readTime(object.updatedAt),
      head: undefined,
      model: toNonEmptyText(options.model),
      systemPrompt: readSystemPrompt(options),
      messages: messages.map(([message, parent]) => readMessage(message, parent, reading)),
      ...reading.collectExtra(object, conversationFields),
    };
  },
};

/** Reads the user's system prompt; its name depends on the kind of endpoint. */
function readSystemPrompt(options: JsonObject): string | undefined {
  const { promptPrefix, system, instructions, context } = options;
  return [promptPrefix, system, instructions, context].map(toNonEmptyText).find(Boolean);
}

type MessageWithParent = readonly [message: JsonObject, parent: string | undefined];

/** Lists all messages with their parents, at any depth: parents before children. */
function listMessages({ messages, messagesTree }: JsonObject): readonly MessageWithParent[] {
  const withParents: MessageWithParent[] = [];
  const listedMessages = [...objectsIn(messagesTree), ...objectsIn(messages)];
  const isLinear = !listedMessages.some(({ parentMessageId, children }) => parentMessageId || children);
  const waiting = listedMessages
    .map(
      (message, nth): MessageWithParent => [
        message,
        isLinear ? toNonEmptyText(listedMessages[nth - 1]?.messageId) : undefined,
      ],
    )
    .reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [message, above] = next;
    withParents.push([message, readParent(message) ?? above]);
    const children = objectsIn(message.children);
    for (const child of children.toReversed()) waiting.push([child, toNonEmptyText(message.messageId)]);
  }
  return withParents;
}

function readParent({ parentMessageId }: JsonObject): string | undefined {
  const parent = toNonEmptyText(parentMessageId);
  return parent === rootParent ? undefined : parent;
}

function readMessage(
  message: JsonObject,
  parent: string | undefined,
  reading: ConversationReading,
): MessageDraft {
  const isQuestion = message.isCreatedByUser === true;
  const request = isQuestion ? undefined : readRequest(message);
  return {
    id: toNonEmptyText(message.messageId),
    parent,
    role: isQuestion ? 'user' : 'assistant',
    createdAt: reading.readTime(message.createdAt),
    state: message.unfinished === true ? 'stopped' : 'done',
    parts: [...readFiles(message, reading), ...readQuotes(message), ...readContent(message, reading)],
    ...(request && { request }),
    ...reading.collectExtra(
      { ...message, content: collectUnreadFields(message.content, partFields, 'part') },
      messageFields,
    ),
  };
}

function readRequest({
  model,
  error,
  unfinished,
  text,
  finish_reason,
}: JsonObject): DraftRequest | undefined {
  const modelName = toNonEmptyText(model);
  if (modelName === undefined) return undefined;
  if (error === true)
    return { model: modelName, outcome: 'failed', error: { message: toWellFormedText(text) ?? '' } };
  if (unfinished === true) return { model: modelName, outcome: 'interrupted' };
  const isCut = finish_reason === 'length' || finish_reason === 'max_tokens';
  return { model: modelName, outcome: isCut ? 'truncated' : 'complete' };
}

/** Reads the files of the question, and the files created by tools. Attachments also contain search results. */
function readFiles({ files, attachments }: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const createdFiles = objectsIn(attachments).filter(
    ({ filename }) => toNonEmptyText(filename) !== undefined,
  );
  return [...objectsIn(files), ...createdFiles].map((file) => {
    const text = toNonEmptyText(file.text);
    if (text !== undefined)
      return reading.attach(Buffer.from(text), { mimeType: 'text/plain', name: file.filename });
    return reading.attachUrl(file.preview ?? file.filepath, file, file.filename);
  });
}

/** Reads the user's quotes of earlier messages, which were sent to the model with the question. */
function readQuotes({ quotes }: JsonObject): readonly PartRecord[] {
  return toArray(quotes).flatMap((quote) => {
    const text = toNonEmptyText(quote);
    return text === undefined ? [] : [{ type: 'text' as const, text: quoteText(text) }];
  });
}

function readContent(message: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const parts = toArray(message.content).flatMap((part) =>
    isObject(part) ? readPart(part, reading) : reading.createUnreadParts('content', part),
  );
  if (parts.length > 0) return parts;
  const text = readText(message.text) ?? readText(message.content);
  if (text === undefined) return reading.createUnreadParts('text', message.text);
  return message.isCreatedByUser === true ? [{ type: 'text', text }] : splitReasoning(text);
}

/** Older replies are a single text with the reasoning at its beginning. */
const olderReasoningPattern = /^:::thinking\n([\s\S]*?)\n:::\n+/;

/** Kinds that only describe how the reply was created: notes about steps, and changes of the agent. */
const hiddenKinds: ReadonlySet<unknown> = new Set(['activity_label', 'agent_update']);

/** The fields of each kind of part that are read into its record. Other kinds are stored completely. */
const partFields: ReadFields = new Map([
  ['text', new Set(['type', 'text', 'tool_call_ids'])],
  ['error', new Set(['type', 'text', 'error'])],
  ['think', new Set(['type', 'think'])],
  ['steer', new Set(['type', 'steer', 'quotes'])],
  ['summary', new Set(['type', 'content'])],
]);

function readPart(part: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  switch (part.type) {
    case 'text':
    case 'error': {
      const text = readText(part.text) ?? readText(part.error);
      return text === undefined ? [] : splitReasoning(text);
    }
    case 'think': {
      const text = readText(part.think);
      return text === undefined ? [] : [{ type: 'reasoning', text }];
    }
    // Text that the user sent while the reply arrived.
    case 'steer': {
      const texts = [...toArray(part.quotes), part.steer].flatMap((words) => toNonEmptyText(words) ?? []);
      return texts.map((text) => ({ type: 'text', text: quoteText(text) }));
    }
    case 'summary': {
      const text = objectsIn(part.content).flatMap((each) => readText(each.text) ?? []);
      return text.map((each) => ({ type: 'text', text: each }));
    }
    case 'tool_call':
      return isObject(part.tool_call) ? readToolCall(part.tool_call, reading) : [];
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
      return [hiddenKinds.has(part.type) ? reading.createHiddenPart(part) : reading.createUnknownPart(part)];
  }
}

/** Reads a text, or the text of an object with annotations. */
function readText(text: unknown): string | undefined {
  return toNonEmptyText(isObject(text) ? text.value : text);
}

/** Separates the reasoning at the beginning of an older reply. */
function splitReasoning(text: string): readonly PartRecord[] {
  const [reasoningBlock = '', reasoning = ''] = olderReasoningPattern.exec(text) ?? [];
  const rest = text.slice(reasoningBlock.length);
  return [
    ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
    ...(rest === '' ? [] : [{ type: 'text' as const, text: rest }]),
  ];
}

function quoteText(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

/** Reads a call of an agent's tool, of a function, or of a built-in tool of the provider, with its result. */
function readToolCall(call: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const kind = toWellFormedText(call.type) ?? '';
  const inner = [call.function, call[kind]].find(isObject) ?? call;
  const [id, name] = [toWellFormedText(call.id) ?? '', toWellFormedText(inner.name) ?? kind];
  const output = toNonEmptyText(inner.output) ?? joinOutputs(inner.outputs, reading);
  const toolCall: PartRecord = {
    type: 'toolCall',
    id,
    name,
    arguments: reading.writeJson(call.args ?? inner.arguments ?? inner.input),
  };
  return output === undefined ? [toolCall] : [toolCall, { type: 'toolResult', id, name, text: output }];
}

/** Joins the outputs of executed code: its log, and the files that it created. */
function joinOutputs(outputs: unknown, reading: ConversationReading): string | undefined {
  const texts = objectsIn(outputs).map(
    (output) => toWellFormedText(output.logs) ?? reading.writeJson(output),
  );
  return texts.length > 0 ? texts.join('\n\n') : undefined;
}
