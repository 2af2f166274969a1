import { isObject, type JsonObject, objectsIn } from '../../../base/json.ts';
import type { PartRecord } from '../../conversation/conversationRecord.ts';
import type {
  ConversationDraft,
  DraftRequest,
  JsonFormat,
  MessageDraft,
} from '../reading/conversationDraft.ts';
import type { ConversationReading } from '../reading/conversationReading.ts';
import { arrayOf, someText, wellFormedText } from '../reading/fieldValues.ts';
import { importedUsage } from '../reading/importedUsage.ts';
import { contentParts, outputParts } from './openWebUiParts.ts';

const wrapperFields = new Set('id title chat created_at updated_at pinned archived'.split(' '));
/** The list repeats the shown path; the history contains all messages. */
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

  recognizes: (object) => historyOf(chatOf(object)) !== undefined,

  read(object, { reading }): ConversationDraft {
    const chat = chatOf(object);
    const isWrapped = chat !== object;
    const history = historyOf(chat) ?? {};
    const entries = Object.entries(history.messages as JsonObject);
    const messages = entries.flatMap(([id, message]) =>
      isObject(message) ? [messageDraft(id, message, reading)] : [],
    );
    reading.countFlaw('import-fields-dropped', entries.length - messages.length);
    const around = isWrapped ? reading.extra(object, wrapperFields) : {};
    const within = reading.extra(chat, chatFields);
    return {
      id: someText(object.id) ?? someText(chat.id),
      title: wellFormedText(object.title) ?? wellFormedText(chat.title),
      createdAt: reading.time(isWrapped ? object.created_at : chat.timestamp),
      changedAt: reading.time(object.updated_at),
      head: someText(history.currentId),
      model: arrayOf(chat.models).map(someText).find(Boolean),
      systemPrompt: isObject(chat.params) ? someText(chat.params.system) : undefined,
      isPinned: object.pinned === true,
      isArchived: object.archived === true,
      messages,
      ...((around.extra || within.extra) && {
        extra: { ...around.extra, ...(within.extra && { chat: within.extra }) },
      }),
    };
  },
};

function chatOf(object: JsonObject): JsonObject {
  return isObject(object.chat) ? object.chat : object;
}

function historyOf(chat: JsonObject): JsonObject | undefined {
  const { history } = chat;
  return isObject(history) && isObject(history.messages) ? history : undefined;
}

function messageDraft(id: string, message: JsonObject, reading: ConversationReading): MessageDraft {
  const role = message.role === 'assistant' || message.role === 'system' ? message.role : 'user';
  const request = role === 'assistant' ? requestOf(message) : undefined;
  const sealed = objectsIn(message.output).filter(({ encrypted_content }) => Boolean(encrypted_content));
  return {
    id,
    parent: someText(message.parentId),
    children: arrayOf(message.childrenIds),
    role,
    createdAt: reading.time(message.timestamp),
    state: message.done === false ? 'stopped' : 'done',
    parts: [...fileParts(message, reading), ...wordParts(message, role, reading), ...sourceParts(message)],
    ...(request && { request }),
    // Sealed reasoning must be sent back to the provider unchanged, or not at all.
    ...reading.extra({ ...message, sealedOutput: sealed }, messageFields),
  };
}

function wordParts(
  message: JsonObject,
  role: MessageDraft['role'],
  reading: ConversationReading,
): readonly PartRecord[] {
  const output = outputParts(objectsIn(message.output), reading);
  if (output.some(({ type }) => type === 'text')) return output;
  const { content } = message;
  if (typeof content !== 'string') return [...output, ...listedParts(content, reading)];
  const text = someText(content);
  if (text === undefined) return output;
  return role === 'assistant' ? [...output, ...contentParts(text)] : [{ type: 'text', text }];
}

/** A list in the form of the chat completions API, if a message was created by Open WebUI's own API. */
function listedParts(content: unknown, reading: ConversationReading): readonly PartRecord[] {
  if (!Array.isArray(content)) return reading.unreadParts('content', content);
  return content.flatMap((item: unknown): readonly PartRecord[] => {
    if (!isObject(item)) return reading.unreadParts('content', item);
    const text = item.type === 'text' ? wellFormedText(item.text) : undefined;
    if (text !== undefined) return [{ type: 'text', text }];
    if (item.type !== 'image_url') return [reading.unknownPart(item)];
    const { image_url: image } = item;
    return [reading.attachUrl(isObject(image) ? image.url : image, item)];
  });
}

function fileParts(message: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  return objectsIn(message.files).map((file) => {
    const inner = isObject(file.file) ? file.file : {};
    const text = isObject(inner.data) ? someText(inner.data.content) : undefined;
    const name = someText(file.name) ?? someText(inner.filename);
    if (text !== undefined) return reading.attach(Buffer.from(text), { mimeType: 'text/plain', name });
    return reading.attachUrl(file.url, file, name);
  });
}

/** The pages and documents that a reply is based on; each may occur in several pieces. */
function sourceParts({ sources }: JsonObject): readonly PartRecord[] {
  const sourcePieces = objectsIn(sources).flatMap(({ source, metadata }) => {
    const about = isObject(source) ? source : {};
    const pieces = objectsIn(metadata);
    return (pieces.length > 0 ? pieces : [{}]).map((piece: JsonObject) => ({
      url: [about.url, piece.source, about.name].map(someText).find((text) => text && /^https?:/i.test(text)),
      title: someText(piece.title) ?? someText(piece.name) ?? someText(about.name),
    }));
  });
  const uniqueSources = new Map(sourcePieces.map((each) => [`${each.url}\n${each.title}`, each]));
  return [...uniqueSources.values()].flatMap(({ url, title }): readonly PartRecord[] =>
    url || title ? [{ type: 'citation', ...(url && { url }), ...(title && { title }) }] : [],
  );
}

function requestOf(message: JsonObject): DraftRequest | undefined {
  const model = someText(message.model);
  if (model === undefined) return undefined;
  const { error } = message;
  const isFailed = Boolean(error);
  const outcome = message.done === false ? 'interrupted' : 'complete';
  return {
    model,
    outcome: isFailed ? 'failed' : outcome,
    ...(isFailed && { error: { message: errorWords(error) } }),
    ...importedUsage(message.usage, message.info),
  };
}

/** Older versions store the error as the reply's text, with `error` true. */
function errorWords(error: unknown): string {
  const words = isObject(error) ? (error.content ?? error.detail ?? error.message) : error;
  return typeof words === 'string' ? words.toWellFormed() : isObject(words) ? JSON.stringify(words) : '';
}
