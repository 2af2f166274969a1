import { isObject, type JsonObject, objectsIn } from '../../../base/json.ts';
import type { PartRecord } from '../../conversation/conversationRecord.ts';
import type {
  ConversationDraft,
  DraftRequest,
  JsonFormat,
  MessageDraft,
} from '../reading/conversationDraft.ts';
import type { ConversationReading } from '../reading/conversationReading.ts';
import { toArray, toNonEmptyText, toWellFormedText } from '../reading/fieldValues.ts';
import { readImportedUsage } from '../reading/importedUsage.ts';
import { readOutput, readReplyText } from './openWebUiParts.ts';

const wrapperFields = new Set('id title chat created_at updated_at pinned archived'.split(' '));
/** `messages` repeats the shown path of `history`, which contains all messages. */
const chatFields = new Set('id title history messages timestamp'.split(' '));
const messageFields = new Set(
  'id parentId childrenIds role content model done timestamp files usage info error output'.split(' '),
);

/**
 * The export of Open WebUI: an array of chats, each with its `history`, a map of messages with their parents.
 * An older form contains the chat without the wrapper.
 */
export const openWebUi: JsonFormat = {
  source: 'open-webui',

  recognizes: (object) => getHistory(getChat(object)) !== undefined,

  read(object, { reading }): ConversationDraft {
    const chat = getChat(object);
    const isWrapped = chat !== object;
    const history = getHistory(chat) ?? {};
    const entries = Object.entries(history.messages as JsonObject);
    const messages = entries.flatMap(([id, message]) =>
      isObject(message) ? [readMessage(id, message, reading)] : [],
    );
    reading.countFlaw('import-fields-dropped', entries.length - messages.length);
    const wrapperExtra = isWrapped ? reading.collectExtra(object, wrapperFields) : {};
    const chatExtra = reading.collectExtra(chat, chatFields);
    return {
      id: toNonEmptyText(object.id) ?? toNonEmptyText(chat.id),
      title: toWellFormedText(object.title) ?? toWellFormedText(chat.title),
      createdAt: reading.readTime(isWrapped ? object.created_at : chat.timestamp),
      changedAt: reading.readTime(object.updated_at),
      head: toNonEmptyText(history.currentId),
      model: toArray(chat.models).map(toNonEmptyText).find(Boolean),
      systemPrompt: isObject(chat.params) ? toNonEmptyText(chat.params.system) : undefined,
      isPinned: object.pinned === true,
      isArchived: object.archived === true,
      messages,
      ...((wrapperExtra.extra || chatExtra.extra) && {
        extra: { ...wrapperExtra.extra, ...(chatExtra.extra && { chat: chatExtra.extra }) },
      }),
    };
  },
};

function getChat(object: JsonObject): JsonObject {
  return isObject(object.chat) ? object.chat : object;
}

function getHistory(chat: JsonObject): JsonObject | undefined {
  const { history } = chat;
  return isObject(history) && isObject(history.messages) ? history : undefined;
}

function readMessage(id: string, message: JsonObject, reading: ConversationReading): MessageDraft {
  const role = message.role === 'assistant' || message.role === 'system' ? message.role : 'user';
  const request = role === 'assistant' ? readRequest(message) : undefined;
  const encryptedItems = objectsIn(message.output).filter(({ encrypted_content }) =>
    Boolean(encrypted_content),
  );
  return {
    id,
    parent: toNonEmptyText(message.parentId),
    children: toArray(message.childrenIds),
    role,
    createdAt: reading.readTime(message.timestamp),
    state: message.done === false ? 'stopped' : 'done',
    parts: [...readFiles(message, reading), ...readContent(message, role, reading), ...readSources(message)],
    ...(request && { request }),
    // Encrypted reasoning cannot be shown, and must be sent back to the provider unchanged.
    ...reading.collectExtra({ ...message, encryptedOutput: encryptedItems }, messageFields),
  };
}

function readContent(
  message: JsonObject,
  role: MessageDraft['role'],
  reading: ConversationReading,
): readonly PartRecord[] {
  const output = readOutput(objectsIn(message.output), reading);
  if (output.some(({ type }) => type === 'text')) return output;
  const { content } = message;
  if (typeof content !== 'string') return [...output, ...readListedContent(content, reading)];
  const text = toNonEmptyText(content);
  if (text === undefined) return output;
  return role === 'assistant' ? [...output, ...readReplyText(text)] : [{ type: 'text', text }];
}

/** Reads content in the form of the chat completions API, which messages from Open WebUI's own API have. */
function readListedContent(content: unknown, reading: ConversationReading): readonly PartRecord[] {
  if (!Array.isArray(content)) return reading.createUnreadParts('content', content);
  return content.flatMap((item: unknown): readonly PartRecord[] => {
    if (!isObject(item)) return reading.createUnreadParts('content', item);
    const text = item.type === 'text' ? toWellFormedText(item.text) : undefined;
    if (text !== undefined) return [{ type: 'text', text }];
    if (item.type !== 'image_url') return [reading.createUnknownPart(item)];
    const { image_url: image } = item;
    return [reading.attachUrl(isObject(image) ? image.url : image, item)];
  });
}

function readFiles(message: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  return objectsIn(message.files).map((file) => {
    const inner = isObject(file.file) ? file.file : {};
    const text = isObject(inner.data) ? toNonEmptyText(inner.data.content) : undefined;
    const name = toNonEmptyText(file.name) ?? toNonEmptyText(inner.filename);
    if (text !== undefined) return reading.attach(Buffer.from(text), { mimeType: 'text/plain', name });
    return reading.attachUrl(file.url, file, name);
  });
}

/** Reads the pages and documents on which a reply is based; each may occur in several pieces. */
function readSources({ sources }: JsonObject): readonly PartRecord[] {
  const sourcePieces = objectsIn(sources).flatMap(({ source, metadata }) => {
    const about = isObject(source) ? source : {};
    const pieces = objectsIn(metadata);
    return (pieces.length > 0 ? pieces : [{}]).map((piece: JsonObject) => ({
      url: [about.url, piece.source, about.name]
        .map(toNonEmptyText)
        .find((text) => text && /^https?:/i.test(text)),
      title: toNonEmptyText(piece.title) ?? toNonEmptyText(piece.name) ?? toNonEmptyText(about.name),
    }));
  });
  const uniqueSources = new Map(sourcePieces.map((each) => [`${each.url}\n${each.title}`, each]));
  return [...uniqueSources.values()].flatMap(({ url, title }): readonly PartRecord[] =>
    url || title ? [{ type: 'citation', ...(url && { url }), ...(title && { title }) }] : [],
  );
}

function readRequest(message: JsonObject): DraftRequest | undefined {
  const model = toNonEmptyText(message.model);
  if (model === undefined) return undefined;
  const { error } = message;
  const isFailed = Boolean(error);
  const outcome = message.done === false ? 'interrupted' : 'complete';
  return {
    model,
    outcome: isFailed ? 'failed' : outcome,
    ...(isFailed && { error: { message: readErrorMessage(error) } }),
    ...readImportedUsage(message.usage, message.info),
  };
}

/** Older versions store the error as the reply's text, with `error` true. */
function readErrorMessage(error: unknown): string {
  const message = isObject(error) ? (error.content ?? error.detail ?? error.message) : error;
  return typeof message === 'string'
    ? message.toWellFormed()
    : isObject(message)
      ? JSON.stringify(message)
      : '';
}
