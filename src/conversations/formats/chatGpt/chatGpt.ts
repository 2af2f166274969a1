import { isObject, type JsonObject, objectsIn } from '../../../base/json.ts';
import type {
  ConversationDraft,
  DraftRequest,
  JsonFormat,
  MessageDraft,
  ReadingContext,
} from '../reading/conversationDraft.ts';
import { arrayOf, someText, wellFormedText } from '../reading/fieldValues.ts';
import { assetId, chatGptParts, isBlank, pointers } from './chatGptParts.ts';

const conversationFields = new Set(
  'id conversation_id title create_time update_time current_node default_model_slug mapping is_archived is_starred'.split(
    ' ',
  ),
);
const messageFields = new Set('id author create_time content recipient'.split(' '));
const metadataFields = new Set('model_slug attachments finish_details'.split(' '));

/** Instructions for the model, in a separate node that ChatGPT does not show. */
const contexts: ReadonlySet<unknown> = new Set(['user_editable_context', 'model_editable_context']);

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
      if (isObject(message)) yield* assetIds(message);
    }
  },

  read(object, context): ConversationDraft {
    const { reading } = context;
    const nodes = Object.entries(object.mapping as JsonObject);
    const hidden: JsonObject[] = [];
    const messages = nodes.flatMap(([id, node]) =>
      isObject(node) ? [messageDraft(id, node, context, hidden)] : [],
    );
    reading.countFlaw('import-fields-dropped', nodes.length - messages.length);
    const { extra } = reading.extra({ ...object, hidden }, conversationFields);
    return {
      id: someText(object.conversation_id) ?? someText(object.id),
      title: wellFormedText(object.title),
      createdAt: reading.time(object.create_time),
      changedAt: reading.time(object.update_time),
      head: someText(object.current_node),
      model: someText(object.default_model_slug),
      isPinned: object.is_starred === true,
      isArchived: object.is_archived === true,
      messages,
      hasMultiStepReplies: true,
      ...(extra && { extra }),
    };
  },
};

function* assetIds(message: JsonObject): Iterable<string> {
  const { content, metadata } = message;
  if (isObject(content)) {
    for (const { asset_pointer } of pointers(content)) {
      const id = assetId(asset_pointer);
      if (id !== undefined) yield id;
    }
  }
  if (isObject(metadata)) {
    for (const { id } of objectsIn(metadata.attachments)) if (typeof id === 'string') yield id;
  }
}

function messageDraft(
  id: string,
  node: JsonObject,
  context: ReadingContext,
  hidden: JsonObject[],
): MessageDraft {
  const { reading } = context;
  const treeFields = { id, parent: someText(node.parent), children: arrayOf(node.children) };
  const message = isObject(node.message) ? node.message : {};
  const metadata = isObject(message.metadata) ? message.metadata : {};
  const role = roleOf(message);
  const isHidden = isHiddenMessage(message, metadata);
  const parts = isHidden ? [] : chatGptParts(treeFields, message, metadata, context);
  if (parts.length === 0) {
    if (isHidden) hidden.push(message);
    return { ...treeFields, role, createdAt: undefined, parts, isPlaceholder: true };
  }
  const unreadMetadata = reading.extra(metadata, metadataFields);
  const { extra } = reading.extra({ ...message, metadata: unreadMetadata.extra }, messageFields);
  const request = requestOf(metadata);
  return {
    ...treeFields,
    role,
    createdAt: reading.time(message.create_time),
    parts,
    ...(request && { request }),
    ...(extra && { extra }),
  };
}

/** Whether a message has content that ChatGPT does not show. */
function isHiddenMessage({ content }: JsonObject, metadata: JsonObject): boolean {
  if (!isObject(content)) return false;
  if (contexts.has(content.content_type)) return true;
  return metadata.is_visually_hidden_from_conversation === true && !isBlank(content);
}

function roleOf({ author }: JsonObject): MessageDraft['role'] {
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

function requestOf(metadata: JsonObject): DraftRequest | undefined {
  const model = someText(metadata.model_slug);
  if (model === undefined) return undefined;
  const reason = isObject(metadata.finish_details) ? wellFormedText(metadata.finish_details.type) : undefined;
  const outcome = outcomes.get(reason) ?? 'complete';
  return { model, outcome, ...(reason && { finishReason: reason }) };
}
