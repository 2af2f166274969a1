import { isObject, type JsonObject, objectsIn } from '../../base/json.ts';
import type { PartRecord } from '../conversation/conversationRecord.ts';
import type { ConversationDraft, JsonFormat, MessageDraft } from './reading/conversationDraft.ts';
import type { ConversationReading } from './reading/conversationReading.ts';
import { arrayOf, type ReadFields, someText, unreadFields, wellFormedText } from './reading/fieldValues.ts';

/** The parent of a first message, if messages have parents. */
const rootParent = /^0{8}-0{4}-[04]0{3}-[08]0{3}-0{12}$/;

const conversationFields = new Set(
  'uuid name created_at updated_at chat_messages current_leaf_message_uuid model is_starred'.split(' '),
);
const messageFields = new Set('uuid parent_message_uuid sender text created_at attachments files'.split(' '));

/**
 * The export of Claude: `conversations.json`, an array of conversations. Their messages are a list; in newer
 * exports, each message has a parent.
 */
export const claude: JsonFormat = {
  source: 'claude',

  recognizes: ({ uuid, chat_messages }) => typeof uuid === 'string' && Array.isArray(chat_messages),

  read(object, { reading }): ConversationDraft {
    const messages = objectsIn(object.chat_messages);
    const isTree = messages.some(({ parent_message_uuid }) => typeof parent_message_uuid === 'string');
    return {
      id: someText(object.uuid),
      title: wellFormedText(object.name),
      createdAt: reading.time(object.created_at),
      changedAt: reading.time(object.updated_at),
      head: someText(object.current_leaf_message_uuid),
      model: someText(object.model),
      isPinned: object.is_starred === true,
      messages: messages.map((message, nth) =>
        messageDraft(message, isTree ? parentOf(message) : idAt(messages, nth - 1), nth, reading),
      ),
      ...reading.extra(object, conversationFields),
    };
  },
};

function parentOf({ parent_message_uuid: parent }: JsonObject): string | undefined {
  return typeof parent === 'string' && !rootParent.test(parent) ? parent : undefined;
}

function idAt(messages: readonly JsonObject[], nth: number): string | undefined {
  const message = messages[nth];
  return message && idOf(message, nth);
}

function idOf({ uuid }: JsonObject, nth: number): string {
  return someText(uuid) ?? `message-${nth + 1}`;
}

function messageDraft(
  message: JsonObject,
  parent: string | undefined,
  nth: number,
  reading: ConversationReading,
): MessageDraft {
  const attachments = objectsIn(message.attachments);
  const files = withoutNamesakes(objectsIn(message.files), attachments);
  return {
    id: idOf(message, nth),
    parent,
    role: message.sender === 'assistant' ? 'assistant' : 'user',
    createdAt: reading.time(message.created_at),
    parts: [
      ...[...attachments, ...files].map((file) => filePart(file, reading)),
      ...contentParts(message, reading),
    ],
    ...reading.extra(
      { ...message, content: unreadFields(message.content, blockFields, 'block') },
      messageFields,
    ),
  };
}

/** The list of files repeats the attachments, without their text. */
function withoutNamesakes(
  files: readonly JsonObject[],
  attachments: readonly JsonObject[],
): readonly JsonObject[] {
  const repeats = new Map<unknown, number>();
  for (const { file_name: name } of attachments) repeats.set(name, (repeats.get(name) ?? 0) + 1);
  return files.filter(({ file_name: name }) => {
    const remaining = repeats.get(name) ?? 0;
    repeats.set(name, remaining - 1);
    return remaining <= 0;
  });
}

/** The export contains at most the extracted text of a file. */
function filePart(file: JsonObject, reading: ConversationReading): PartRecord {
  const text = someText(file.extracted_content);
  if (text === undefined) return reading.missingPart(file, file.file_name);
  // A pasted text has no name.
  const name = someText(file.file_name) ?? 'Pasted text';
  return reading.attach(Buffer.from(text), { mimeType: 'text/plain', name });
}

function contentParts(message: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const parts = arrayOf(message.content).flatMap((block) =>
    isObject(block) ? blockParts(block, reading) : reading.unreadParts('content', block),
  );
  if (parts.length > 0) return parts;
  const text = someText(message.text) ?? someText(message.content);
  return text === undefined ? reading.unreadParts('text', message.text) : [{ type: 'text', text }];
}

/** The fields of each kind of block that its part contains. Blocks of other kinds are stored completely. */
const blockFields: ReadFields = new Map([
  ['text', new Set(['type', 'text'])],
  ['thinking', new Set(['type', 'thinking', 'signature'])],
  ['voice_note', new Set(['type', 'title', 'text'])],
  ['tool_use', new Set(['type', 'id', 'name', 'input'])],
  ['tool_result', new Set(['type', 'tool_use_id', 'name', 'content'])],
  ['token_budget', new Set(['type'])],
]);

/** Kinds that Claude does not show: its own additions to a question, and internal marks. */
const unshownKinds: ReadonlySet<unknown> = new Set(['injected_prompt_block', 'flag']);

function blockParts(block: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  switch (block.type) {
    case 'text': {
      const text = someText(block.text);
      return text === undefined ? [] : [{ type: 'text', text }, ...citations(block)];
    }
    case 'thinking': {
      const [text, signature] = [thinkingText(block), someText(block.signature)];
      return text === '' && !signature ? [] : [{ type: 'reasoning', text, ...(signature && { signature }) }];
    }
    case 'voice_note': {
      const text = [block.title, block.text].map(someText).filter(Boolean).join('\n\n');
      return text === '' ? [] : [{ type: 'text', text }];
    }
    case 'tool_use':
      return [
        {
          type: 'toolCall',
          id: wellFormedText(block.id) ?? '',
          name: wellFormedText(block.name) ?? '',
          arguments: reading.json(block.input),
        },
      ];
    case 'tool_result':
      return resultParts(block, reading);
    case 'token_budget':
      return [];
    default:
      return [unshownKinds.has(block.type) ? reading.hiddenPart(block) : reading.unknownPart(block)];
  }
}

/** If the thinking itself is hidden, its summaries. */
function thinkingText({ thinking, summaries }: JsonObject): string {
  return (
    someText(thinking) ??
    objectsIn(summaries)
      .flatMap(({ summary }) => someText(summary) ?? [])
      .join('\n\n')
  );
}

function citations({ citations }: JsonObject): readonly PartRecord[] {
  return objectsIn(citations).flatMap((citation): readonly PartRecord[] => {
    const details = isObject(citation.details) ? citation.details : citation;
    const url = someText(details.url);
    const title = someText(citation.title) ?? someText(details.title);
    return url === undefined && title === undefined
      ? []
      : [{ type: 'citation', ...(url && { url }), ...(title && { title }) }];
  });
}

/** A result, and the files that a tool created. The export contains only their names. */
function resultParts(block: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const { content } = block;
  const items = objectsIn(content);
  const files = items.filter(isFile);
  const texts = items.filter((item) => !isFile(item)).map((item) => itemText(item, reading));
  const result: PartRecord = {
    type: 'toolResult',
    id: wellFormedText(block.tool_use_id) ?? '',
    name: wellFormedText(block.name) ?? '',
    text: typeof content === 'string' ? content.toWellFormed() : texts.join('\n\n'),
  };
  return [result, ...files.map((file) => resultFile(file, reading))];
}

function isFile({ type }: JsonObject): boolean {
  return type === 'local_resource' || type === 'image';
}

function resultFile(file: JsonObject, reading: ConversationReading): PartRecord {
  const { media_type: mimeType, data } = isObject(file.source) ? file.source : {};
  return typeof data === 'string'
    ? reading.attachBase64(data, { mimeType, name: file.name }, { mimeType })
    : reading.missingPart(file, file.name);
}

/** The text of a result item: of a page or document, with its title and address. */
function itemText(item: JsonObject, reading: ConversationReading): string {
  const text = wellFormedText(item.text);
  if (text === undefined) return reading.json(item);
  const about = [item.title, item.url].map(someText).filter(Boolean).join('\n');
  return [about, text].filter(Boolean).join('\n\n');
}
