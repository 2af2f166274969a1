import { isObject, type JsonObject, objectsIn, scalarText } from '../../base/json.ts';
import { fenceCode } from '../conversation/codeBlocks.ts';
import type { PartRecord } from '../conversation/conversationRecord.ts';
import type {
  ConversationDraft,
  DraftRequest,
  JsonFormat,
  MessageDraft,
  ReadingContext,
} from './reading/conversationDraft.ts';
import { toArray, toNonEmptyText, toWellFormedText } from './reading/fieldValues.ts';

const conversationFields = new Set(
  'id conversation_id title create_time update_time current_node default_model_slug mapping is_archived is_starred'.split(
    ' ',
  ),
);
const messageFields = new Set('id author create_time content recipient'.split(' '));
const metadataFields = new Set('model_slug attachments finish_details'.split(' '));

/** The types of instructions for the model, in separate nodes that ChatGPT does not show. */
const contextTypes: ReadonlySet<unknown> = new Set(['user_editable_context', 'model_editable_context']);

/**
 * The export of ChatGPT: `conversations.json`, or several such files in newer exports. A conversation is a map of
 * nodes; some are placeholders without a message. A reply may be a chain of several nodes: reasoning, tool
 * calls, their results, text.
 */
export const chatGpt: JsonFormat = {
  source: 'chatgpt',

  recognizes: ({ mapping }) => isObject(mapping),

  *listFileIds({ mapping }) {
    for (const { message } of objectsIn(Object.values(mapping as JsonObject))) {
      if (isObject(message)) yield* listAssetIds(message);
    }
  },

  read(object, context): ConversationDraft {
    const { reading } = context;
    const nodes = Object.entries(object.mapping as JsonObject);
    const hiddenMessages: JsonObject[] = [];
    const messages = nodes.flatMap(([id, node]) =>
      isObject(node) ? [readMessage(id, node, context, hiddenMessages)] : [],
    );
    reading.countFlaw('import-fields-dropped', nodes.length - messages.length);
    const { extra } = reading.collectExtra({ ...object, hidden: hiddenMessages }, conversationFields);
    return {
      id: toNonEmptyText(object.conversation_id) ?? toNonEmptyText(object.id),
      title: toWellFormedText(object.title),
      createdAt: reading.readTime(object.create_time),
      changedAt: reading.readTime(object.update_time),
      head: toNonEmptyText(object.current_node),
      model: toNonEmptyText(object.default_model_slug),
      isPinned: object.is_starred === true,
      isArchived: object.is_archived === true,
      messages,
      hasMultiStepReplies: true,
      ...(extra && { extra }),
    };
  },
};

function* listAssetIds(message: JsonObject): Iterable<string> {
  const { content, metadata } = message;
  if (isObject(content)) {
    for (const { asset_pointer } of listFileParts(content)) {
      const id = readAssetId(asset_pointer);
      if (id !== undefined) yield id;
    }
  }
  if (isObject(metadata)) {
    for (const { id } of objectsIn(metadata.attachments)) if (typeof id === 'string') yield id;
  }
}

function readMessage(
  id: string,
  node: JsonObject,
  context: ReadingContext,
  hiddenMessages: JsonObject[],
): MessageDraft {
  const { reading } = context;
  const treeFields = { id, parent: toNonEmptyText(node.parent), children: toArray(node.children) };
  const message = isObject(node.message) ? node.message : {};
  const metadata = isObject(message.metadata) ? message.metadata : {};
  const role = readRole(message);
  const isHidden = isHiddenMessage(message, metadata);
  const parts = isHidden ? [] : readChatGptParts(treeFields, message, metadata, context);
  if (parts.length === 0) {
    if (isHidden) hiddenMessages.push(message);
    return { ...treeFields, role, createdAt: undefined, parts, isPlaceholder: true };
  }
  const unreadMetadata = reading.collectExtra(metadata, metadataFields);
  const { extra } = reading.collectExtra({ ...message, metadata: unreadMetadata.extra }, messageFields);
  const request = readRequest(metadata);
  return {
    ...treeFields,
    role,
    createdAt: reading.readTime(message.create_time),
    parts,
    ...(request && { request }),
    ...(extra && { extra }),
  };
}

/** Whether a message has content that ChatGPT does not show. */
function isHiddenMessage({ content }: JsonObject, metadata: JsonObject): boolean {
  if (!isObject(content)) return false;
  if (contextTypes.has(content.content_type)) return true;
  return metadata.is_visually_hidden_from_conversation === true && !isBlank(content);
}

function readRole({ author }: JsonObject): MessageDraft['role'] {
  const role = isObject(author) ? author.role : undefined;
  return role === 'user' || role === 'system' || role === 'tool' ? role : 'assistant';
}

/** ChatGPT's names for how a reply ended. */
const outcomes: ReadonlyMap<unknown, DraftRequest['outcome']> = new Map([
  ['stop', 'complete'],
  ['max_tokens', 'truncated'],
  ['length', 'truncated'],
  ['interrupted', 'cancelled'],
]);

function readRequest(metadata: JsonObject): DraftRequest | undefined {
  const model = toNonEmptyText(metadata.model_slug);
  if (model === undefined) return undefined;
  const reason = isObject(metadata.finish_details)
    ? toWellFormedText(metadata.finish_details.type)
    : undefined;
  const outcome = outcomes.get(reason) ?? 'complete';
  return { model, outcome, ...(reason && { finishReason: reason }) };
}

const fileReference = /^(?:file-service|sediment):\/\/(?:.*?[#:/])?(file[-_][0-9A-Za-z]+)/;

/** Reads the id of a file from a reference, such as `file-service://file-a1` or `sediment://file_b2`. */
function readAssetId(value: unknown): string | undefined {
  return typeof value === 'string' ? fileReference.exec(value.slice(0, 500))?.[1] : undefined;
}

/**
 * Reads the parts of a ChatGPT message; none for an empty one. A tool call has the id of its message, which is
 * the parent of the message with its result.
 */
function readChatGptParts(
  { id, parent }: { readonly id: string; readonly parent: string | undefined },
  message: JsonObject,
  metadata: JsonObject,
  context: ReadingContext,
): readonly PartRecord[] {
  const content = isObject(message.content) ? message.content : { text: message.content };
  const author = isObject(message.author) ? message.author : {};
  const recipient = toNonEmptyText(message.recipient);
  if (author.role === 'tool')
    return readToolResult(parent ?? id, content, toWellFormedText(author.name) ?? '', context);
  if (author.role !== 'user' && recipient !== undefined && recipient !== 'all') {
    const text = readPlainText(content);
    return text === '' ? [] : [{ type: 'toolCall', id, name: recipient, arguments: text }];
  }
  return [...readUnreferencedFiles(content, metadata, context), ...readContent(content, metadata, context)];
}

function readToolResult(
  id: string,
  content: JsonObject,
  name: string,
  context: ReadingContext,
): readonly PartRecord[] {
  const text = readPlainText(content);
  const files = listFileParts(content).map((part) => attachFilePart(part, context));
  return text === '' ? files : [{ type: 'toolResult', id, name, text }, ...files];
}

function readContent(
  content: JsonObject,
  metadata: JsonObject,
  context: ReadingContext,
): readonly PartRecord[] {
  const { reading } = context;
  switch (content.content_type) {
    case 'text':
    case 'multimodal_text':
    case undefined: {
      const parts = Array.isArray(content.parts) ? content.parts : [content.text];
      return parts.flatMap((part: unknown) => readPart(part, metadata, context));
    }
    case 'thoughts':
      return objectsIn(content.thoughts).map((thought) => ({
        type: 'reasoning',
        text: [toNonEmptyText(thought.summary), toNonEmptyText(thought.content)].filter(Boolean).join('\n\n'),
      }));
    case 'code': {
      const text = readPlainText(content);
      const language = content.language === 'unknown' ? '' : toWellFormedText(content.language);
      return text === '' ? [] : [{ type: 'text', text: fenceCode(text, language) }];
    }
    default: {
      const text = readPlainText(content);
      if (content.content_type === 'system_error' && text !== '') return [{ type: 'text', text }];
      return isBlank(content) ? [] : [reading.createUnknownPart(content)];
    }
  }
}

function readPart(part: unknown, metadata: JsonObject, context: ReadingContext): readonly PartRecord[] {
  if (typeof part === 'string') {
    const text = replaceReferences(part.toWellFormed(), metadata);
    return text === '' ? [] : [{ type: 'text', text }];
  }
  if (!isObject(part)) return context.reading.createUnreadParts('part', part);
  if (part.content_type === 'audio_transcription') {
    const text = toNonEmptyText(part.text);
    return text === undefined ? [] : [{ type: 'text', text }];
  }
  const recordings = listRecordings(part);
  return recordings.length > 0
    ? recordings.map((recording) => attachFilePart(recording, context))
    : [attachFilePart(part, context)];
}

/** ChatGPT marks sources in a text with special characters, and lists the replacement of each mark. */
function replaceReferences(text: string, metadata: JsonObject): string {
  if (!text.includes('\ue200')) return text;
  const replacements = new Map<string, string>();
  for (const { matched_text: mark, alt } of objectsIn(metadata.content_references)) {
    if (typeof mark === 'string' && mark.startsWith('\ue200'))
      replacements.set(mark, toWellFormedText(alt) ?? '');
  }
  return text.replaceAll(/\ue200[^\ue200\ue201]*\ue201/g, (mark) => replacements.get(mark) ?? mark);
}

/** Reads the attached files that no part references. */
function readUnreferencedFiles(
  content: JsonObject,
  metadata: JsonObject,
  context: ReadingContext,
): readonly PartRecord[] {
  const referencedIds = new Set(
    listFileParts(content).map(({ asset_pointer }) => readAssetId(asset_pointer)),
  );
  return objectsIn(metadata.attachments)
    .filter(({ id }) => typeof id !== 'string' || !referencedIds.has(id))
    .map((attachment) => {
      const file = context.files.get(scalarText(attachment.id));
      const { mimeType = attachment.mime_type, name } = attachment;
      return file
        ? context.reading.attach(file.bytes, { mimeType, name })
        : context.reading.createMissingPart(attachment, name);
    });
}

/** Lists the parts of a content object that reference files. */
function listFileParts(content: JsonObject): readonly JsonObject[] {
  return objectsIn(content.parts)
    .flatMap((part) => [part, ...listRecordings(part)])
    .filter(({ asset_pointer }) => typeof asset_pointer === 'string');
}

/** Lists the recordings of the user's speech in a part: audio, a video, and frames of the video. */
function listRecordings(part: JsonObject): readonly JsonObject[] {
  const { audio_asset_pointer, video_container_asset_pointer, frames_asset_pointers } = part;
  return [audio_asset_pointer, video_container_asset_pointer, ...toArray(frames_asset_pointers)].filter(
    isObject,
  );
}

function attachFilePart(part: JsonObject, { reading, files }: ReadingContext): PartRecord {
  const id = readAssetId(part.asset_pointer);
  const file = id === undefined ? undefined : files.get(id);
  if (file) return reading.attachFile(file);
  return typeof part.asset_pointer === 'string'
    ? reading.createMissingPart(part)
    : reading.createUnknownPart(part);
}

/** Reads the text of a content object of any type. */
function readPlainText(content: JsonObject): string {
  const parts = toArray(content.parts).filter((part) => typeof part === 'string');
  const [text] = [content.text, content.result, content.summary].map(toNonEmptyText).filter(Boolean);
  return parts.length > 0 ? parts.join('\n').toWellFormed() : (text ?? '');
}

/** Whether a content object has no value except its type. */
function isBlank({ content_type: _, ...rest }: JsonObject): boolean {
  return Object.values(rest).every((value) => !value || (Array.isArray(value) && value.length === 0));
}
