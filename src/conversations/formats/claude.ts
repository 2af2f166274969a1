import type { JsonObject } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import type { PartRecord } from '../record.ts';
import type { ConversationDraft, JsonFormat } from './reading/conversationDraft.ts';
import type { ConversationReading } from './reading/conversationReading.ts';
import { objectsIn, someText, textOf } from './reading/fields.ts';
import type { MessageDraft } from './reading/messageDraft.ts';

/** The parent of a first message, where messages tell theirs. */
const rootParent = /^0{8}-0{4}-[04]0{3}-[08]0{3}-0{12}$/;

const conversationFields = new Set(
  'uuid name created_at updated_at chat_messages current_leaf_message_uuid model is_starred'.split(' '),
);
const messageFields = new Set(
  'uuid parent_message_uuid sender text content created_at attachments files'.split(' '),
);

/**
 * The export of Claude: `conversations.json`, an array of conversations. Their messages are a list; those of newer
 * exports tell which they follow.
 */
export const claude: JsonFormat = {
  source: 'claude',

  recognizes: ({ uuid, chat_messages }) => typeof uuid === 'string' && Array.isArray(chat_messages),

  read(object, { reading }): ConversationDraft {
    const messages = objectsIn(object.chat_messages);
    const isTree = messages.some(({ parent_message_uuid }) => typeof parent_message_uuid === 'string');
    return {
      id: someText(object.uuid),
      title: textOf(object.name),
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
  const named = new Set(attachments.map(({ file_name }) => file_name));
  // The list of files may repeat the attachments, without their text.
  const files = objectsIn(message.files).filter(({ file_name }) => !named.has(file_name));
  return {
    id: idOf(message, nth),
    parent,
    role: message.sender === 'assistant' ? 'assistant' : 'user',
    createdAt: reading.time(message.created_at),
    parts: [
      ...[...attachments, ...files].map((file) => filePart(file, reading)),
      ...contentParts(message, reading),
    ],
    ...reading.extra(message, messageFields),
  };
}

/** Of a file, the export holds at most the text that was found in it. */
function filePart(file: JsonObject, reading: ConversationReading): PartRecord {
  const text = someText(file.extracted_content);
  if (text === undefined) return reading.missing(file, file.file_name);
  return reading.attach(Buffer.from(text), { mimeType: 'text/plain', name: file.file_name });
}

function contentParts(message: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const parts = objectsIn(message.content).flatMap((block) => blockPart(block, reading));
  if (parts.length > 0) return parts;
  const text = someText(message.text) ?? someText(message.content);
  return text === undefined ? reading.unread('text', message.text) : [{ type: 'text', text }];
}

function blockPart(block: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  switch (block.type) {
    case 'text': {
      const text = someText(block.text);
      return text === undefined ? [] : [{ type: 'text', text }, ...citations(block)];
    }
    case 'thinking': {
      const signature = someText(block.signature);
      return [{ type: 'reasoning', text: textOf(block.thinking) ?? '', ...(signature && { signature }) }];
    }
    case 'tool_use':
      return [
        {
          type: 'toolCall',
          id: textOf(block.id) ?? '',
          name: textOf(block.name) ?? '',
          arguments: reading.json(block.input),
        },
      ];
    case 'tool_result':
      return [
        {
          type: 'toolResult',
          id: textOf(block.tool_use_id) ?? '',
          name: textOf(block.name) ?? '',
          text: resultText(block.content, reading),
        },
      ];
    case 'token_budget':
      return [];
    default:
      return [reading.other(block)];
  }
}

function citations({ citations }: JsonObject): readonly PartRecord[] {
  return objectsIn(citations).flatMap((citation): readonly PartRecord[] => {
    const details = isObject(citation.details) ? citation.details : citation;
    const url = someText(details.url);
    const title = someText(citation.title);
    return url === undefined && title === undefined
      ? []
      : [{ type: 'citation', ...(url && { url }), ...(title && { title }) }];
  });
}

function resultText(content: unknown, reading: ConversationReading): string {
  if (typeof content === 'string') return content.toWellFormed();
  return objectsIn(content)
    .map((block) => textOf(block.text) ?? reading.json(block))
    .join('\n\n');
}
