import { isObject, type JsonObject, objectsIn } from '../../base/json.ts';
import type { PartRecord } from '../conversation/conversationRecord.ts';
import type { ConversationDraft, JsonFormat, MessageDraft } from './reading/conversationDraft.ts';
import type { ConversationReading } from './reading/conversationReading.ts';
import {
  collectUnreadFields,
  type ReadFields,
  toArray,
  toNonEmptyText,
  toWellFormedText,
} from './reading/fieldValues.ts';

/** The parent id of a first message in exports where messages have parents. */
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
      id: toNonEmptyText(object.uuid),
      title: toWellFormedText(object.name),
      createdAt: reading.readTime(object.created_at),
      changedAt: reading.readTime(object.updated_at),
      head: toNonEmptyText(object.current_leaf_message_uuid),
      model: toNonEmptyText(object.model),
      isPinned: object.is_starred === true,
      messages: messages.map((message, nth) =>
        readMessage(message, isTree ? readParent(message) : findId(messages, nth - 1), nth, reading),
      ),
      ...reading.collectExtra(object, conversationFields),
    };
  },
};

function readParent({ parent_message_uuid: parent }: JsonObject): string | undefined {
  return typeof parent === 'string' && !rootParent.test(parent) ? parent : undefined;
}

function findId(messages: readonly JsonObject[], nth: number): string | undefined {
  const message = messages[nth];
  return message && readId(message, nth);
}

function readId({ uuid }: JsonObject, nth: number): string {
  return toNonEmptyText(uuid) ?? `message-${nth + 1}`;
}

function readMessage(
  message: JsonObject,
  parent: string | undefined,
  nth: number,
  reading: ConversationReading,
): MessageDraft {
  const attachments = objectsIn(message.attachments);
  const files = removeRepeatedFiles(objectsIn(message.files), attachments);
  return {
    id: readId(message, nth),
    parent,
    role: message.sender === 'assistant' ? 'assistant' : 'user',
    createdAt: reading.readTime(message.created_at),
    parts: [
      ...[...attachments, ...files].map((file) => createFilePart(file, reading)),
      ...readContent(message, reading),
    ],
    ...reading.collectExtra(
      { ...message, content: collectUnreadFields(message.content, blockFields, 'block') },
      messageFields,
    ),
  };
}

/** Removes files that repeat attachments: the list of files contains them again, without their text. */
function removeRepeatedFiles(
  files: readonly JsonObject[],
  attachments: readonly JsonObject[],
): readonly JsonObject[] {
  const remainingRepeats = new Map<unknown, number>();
  for (const { file_name: name } of attachments)
    remainingRepeats.set(name, (remainingRepeats.get(name) ?? 0) + 1);
  return files.filter(({ file_name: name }) => {
    const remaining = remainingRepeats.get(name) ?? 0;
    remainingRepeats.set(name, remaining - 1);
    return remaining <= 0;
  });
}

/** An export contains at most the extracted text of a file. */
function createFilePart(file: JsonObject, reading: ConversationReading): PartRecord {
  const text = toNonEmptyText(file.extracted_content);
  if (text === undefined) return reading.createMissingPart(file, file.file_name);
  // A pasted text has no name.
  const name = toNonEmptyText(file.file_name) ?? 'Pasted text';
  return reading.attach(Buffer.from(text), { mimeType: 'text/plain', name });
}

function readContent(message: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const parts = toArray(message.content).flatMap((block) =>
    isObject(block) ? readBlock(block, reading) : reading.createUnreadParts('content', block),
  );
  if (parts.length > 0) return parts;
  const text = toNonEmptyText(message.text) ?? toNonEmptyText(message.content);
  return text === undefined ? reading.createUnreadParts('text', message.text) : [{ type: 'text', text }];
}

/** The fields of each kind of block that are read into its part. Blocks of other kinds are stored completely. */
const blockFields: ReadFields = new Map([
  ['text', new Set(['type', 'text'])],
  ['thinking', new Set(['type', 'thinking', 'signature'])],
  ['voice_note', new Set(['type', 'title', 'text'])],
  ['tool_use', new Set(['type', 'id', 'name', 'input'])],
  ['tool_result', new Set(['type', 'tool_use_id', 'name', 'content'])],
  ['token_budget', new Set(['type'])],
]);

/** Kinds that Claude does not show: additions to a question by Claude, and internal marks. */
const hiddenKinds: ReadonlySet<unknown> = new Set(['injected_prompt_block', 'flag']);

function readBlock(block: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  switch (block.type) {
    case 'text': {
      const text = toNonEmptyText(block.text);
      return text === undefined ? [] : [{ type: 'text', text }, ...readCitations(block)];
    }
    case 'thinking': {
      const [text, signature] = [readThinking(block), toNonEmptyText(block.signature)];
      return text === '' && !signature ? [] : [{ type: 'reasoning', text, ...(signature && { signature }) }];
    }
    case 'voice_note': {
      const text = [block.title, block.text].map(toNonEmptyText).filter(Boolean).join('\n\n');
      return text === '' ? [] : [{ type: 'text', text }];
    }
    case 'tool_use':
      return [
        {
          type: 'toolCall',
          id: toWellFormedText(block.id) ?? '',
          name: toWellFormedText(block.name) ?? '',
          arguments: reading.writeJson(block.input),
        },
      ];
    case 'tool_result':
      return readToolResult(block, reading);
    case 'token_budget':
      return [];
    default:
      return [
        hiddenKinds.has(block.type) ? reading.createHiddenPart(block) : reading.createUnknownPart(block),
      ];
  }
}

/** Returns the summaries if the thinking itself is hidden. */
function readThinking({ thinking, summaries }: JsonObject): string {
  return (
    toNonEmptyText(thinking) ??
    objectsIn(summaries)
      .flatMap(({ summary }) => toNonEmptyText(summary) ?? [])
      .join('\n\n')
  );
}

function readCitations({ citations }: JsonObject): readonly PartRecord[] {
  return objectsIn(citations).flatMap((citation): readonly PartRecord[] => {
    const details = isObject(citation.details) ? citation.details : citation;
    const url = toNonEmptyText(details.url);
    const title = toNonEmptyText(citation.title) ?? toNonEmptyText(details.title);
    return url === undefined && title === undefined
      ? []
      : [{ type: 'citation', ...(url && { url }), ...(title && { title }) }];
  });
}

/** Reads the result of a tool, and the names of the files that it created. */
function readToolResult(block: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const { content } = block;
  const items = objectsIn(content);
  const files = items.filter(isFile);
  const texts = items.filter((item) => !isFile(item)).map((item) => readItemText(item, reading));
  const result: PartRecord = {
    type: 'toolResult',
    id: toWellFormedText(block.tool_use_id) ?? '',
    name: toWellFormedText(block.name) ?? '',
    text: typeof content === 'string' ? content.toWellFormed() : texts.join('\n\n'),
  };
  return [result, ...files.map((file) => readResultFile(file, reading))];
}

function isFile({ type }: JsonObject): boolean {
  return type === 'local_resource' || type === 'image';
}

function readResultFile(file: JsonObject, reading: ConversationReading): PartRecord {
  const { media_type: mimeType, data } = isObject(file.source) ? file.source : {};
  return typeof data === 'string'
    ? reading.attachBase64(data, { mimeType, name: file.name }, { mimeType })
    : reading.createMissingPart(file, file.name);
}

/** Reads the text of a result item, with the title and address of a page or document. */
function readItemText(item: JsonObject, reading: ConversationReading): string {
  const text = toWellFormedText(item.text);
  if (text === undefined) return reading.writeJson(item);
  const about = [item.title, item.url].map(toNonEmptyText).filter(Boolean).join('\n');
  return [about, text].filter(Boolean).join('\n\n');
}
