import { isObject, type JsonObject } from '../../base/json.ts';
import type { PartRecord } from '../conversation/record.ts';
import type {
  ConversationDraft,
  DraftRequest,
  JsonFormat,
  MessageDraft,
} from './reading/conversationDraft.ts';
import type { ConversationReading } from './reading/conversationReading.ts';
import { arrayOf, objectsIn, type ReadFields, someText, textOf, unreadFields } from './reading/fields.ts';

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

/** Older answers are one text, with the reasoning before the others. */
const olderReasoning = /^:::thinking\n([\s\S]*?)\n:::\n+/;

/** Kinds that tell only how the answer was made: notes about steps, and which agent took over. */
const unshownKinds = new Set(['activity_label', 'agent_update']);

/** What a part holds of a part of each kind. Those of other kinds are kept whole. */
const partFields: ReadFields = new Map([
  ['text', new Set(['type', 'text', 'tool_call_ids'])],
  ['error', new Set(['type', 'text', 'error'])],
  ['think', new Set(['type', 'think'])],
  ['steer', new Set(['type', 'steer', 'quotes'])],
  ['summary', new Set(['type', 'content'])],
]);

/** The parts of a part of a message's content. */
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
    // What the user said while the answer came.
    case 'steer': {
      const said = [...arrayOf(part.quotes), part.steer].flatMap((words) => someText(words) ?? []);
      return said.map((text) => ({ type: 'text', text: quoted(text) }));
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
      return [unshownKinds.has(String(part.type)) ? reading.unshown(part) : reading.other(part)];
  }
}

/** A text, or one in an object with its annotations. */
function wordsOf(text: unknown): string | undefined {
  return someText(isObject(text) ? text.value : text);
}

/** The text of an answer, with the reasoning that stands before it in older ones. */
function textParts(text: string): readonly PartRecord[] {
  const [before = '', reasoning = ''] = olderReasoning.exec(text) ?? [];
  const rest = text.slice(before.length);
  return [
    ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
    ...(rest === '' ? [] : [{ type: 'text' as const, text: rest }]),
  ];
}

/** Words as a quotation in Markdown. */
function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

/** A call of an agent's tool, of a function, or of a tool that the provider has itself. */
function toolParts(call: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const kind = textOf(call.type) ?? '';
  const inner = [call.function, call[kind]].find(isObject) ?? call;
  const [id, name] = [textOf(call.id) ?? '', textOf(inner.name) ?? kind];
  const output = someText(inner.output) ?? outputsText(inner.outputs, reading);
  const asked: PartRecord = {
    type: 'toolCall',
    id,
    name,
    arguments: reading.json(call.args ?? inner.arguments ?? inner.input),
  };
  return output === undefined ? [asked] : [asked, { type: 'toolResult', id, name, text: output }];
}

/** What code that was run wrote, and the files that it made. */
function outputsText(outputs: unknown, reading: ConversationReading): string | undefined {
  const texts = objectsIn(outputs).map((output) => textOf(output.logs) ?? reading.json(output));
  return texts.length > 0 ? texts.join('\n\n') : undefined;
}
