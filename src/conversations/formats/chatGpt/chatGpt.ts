import { isObject, type JsonObject, objectsIn } from '../../../base/json.ts';
import type {
  ConversationDraft,
  DraftRequest,
  JsonFormat,
  MessageDraft,
  ReadingContext,
} from '../reading/conversationDraft.ts';
import { toArray, toNonEmptyText, toWellFormedText } from '../reading/fieldValues.ts';
import { isBlank, listFileParts, readAssetId, readChatGptParts } from './chatGptParts.ts';

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
 * The export of ChatGPT: `conversations.json`, or several such files in newer ones. A conversation is a map of
 * nodes; some are placeholders without a message. A reply may be a chain of several nodes: reasoning, tool
 * calls, their results, text.
 */
export const chatGpt: JsonFormat = {
  source: 'chatgpt',

  recognizes: ({ mapping }) => isObject(mapping),

  *fileIds({ mapping }) {
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
