import type { MessagePart } from '../../wire/message.ts';
import { type AttachedFile, textFileType } from '../conversation/attachedFile.ts';
import {
  createChatRequestRecord,
  finishRequestRecord,
  readReplySettings,
  readResult,
} from '../conversation/chatRequestRecord.ts';
import { Conversation } from '../conversation/conversation.ts';
import type {
  AttachedPart,
  MessageRecord,
  MissingPart,
  PartRecord,
} from '../conversation/conversationRecord.ts';
import type { RestoredMessage } from '../conversation/messages.ts';
import type { Citation, Image, Reply, StoredImage } from '../conversation/reply.ts';
import type { Prompt } from '../conversation/turn.ts';
import type { Attachments } from '../store/attachments.ts';
import { storeReplies, storeReplyParts } from '../store/replyParts.ts';

/** The pictures and texts attached to a conversation, by their hashes. */
export interface AttachedBytes {
  /** Whether an attachment exists. */
  has(hash: string): boolean;
  readText(hash: string): string;
  /** Reads a picture as base64; empty if it was deleted in the meantime. */
  readPicture(hash: string): string;
}

interface StoredTree {
  /** Parents before children, siblings in their order. */
  readonly messages: readonly MessageRecord[];
  readonly head?: string | undefined;
  /** The ends of the branches that were shown side by side. */
  readonly compared?: readonly string[] | undefined;
}

/** Lists the pictures and text files in messages. */
export function listAttachedParts(messages: readonly MessageRecord[]): readonly AttachedPart[] {
  return messages.flatMap(({ choices }) => choices.flat()).filter(isShownPart);
}

/** The messages of a conversation for the screen. */
export interface ShownTree {
  /** Parents before children, siblings in their order. */
  readonly messages: readonly RestoredMessage[];
  /** The ids of the placeholder messages. */
  readonly placeholderIds: ReadonlySet<string>;
  /** The end of the path that was shown, if it is among the messages. */
  readonly head: string | undefined;
}

/** Looks up the messages on the screen above the messages to convert. */
interface Ancestors {
  /** Returns the id of the message on the screen that represents a stored message. */
  readonly findShown: (id: string) => string | undefined;
  readonly isReply: (id: string) => boolean;
}

const noAncestors: Ancestors = { findShown: () => undefined, isReply: () => false };

/** Restores a conversation from its records. */
export function restoreConversation(
  tree: StoredTree,
  bytes: AttachedBytes,
): { readonly conversation: Conversation; readonly placeholderIds: ReadonlySet<string> } {
  const { messages, placeholderIds, head } = createShownTree(tree, bytes);
  return {
    conversation: Conversation.restore(messages, head, tree.compared),
    placeholderIds,
  };
}

/**
 * Converts stored messages for the screen. Imported messages may have any structure: questions without a
 * reply, replies without a question, and system and tool messages, which are stored but not shown. Gaps
 * between messages are filled with empty messages.
 */
export function createShownTree(
  { messages, head }: StoredTree,
  bytes: AttachedBytes,
  ancestors = noAncestors,
): ShownTree {
  const shownMessages = new Map<string, RestoredMessage>();
  const placeholderIds = new Set<string>();
  /** The shown message for each stored one: itself, or the nearest shown message above it. */
  const shownIds = new Map<string, string | undefined>();
  const findShown = (id: string) => (shownIds.has(id) ? shownIds.get(id) : ancestors.findShown(id));
  const isReply = (id: string) => {
    const message = shownMessages.get(id);
    return message ? !isPrompt(message.content) : ancestors.isReply(id);
  };
  const addPlaceholder = (id: string, parent: string | undefined, content: RestoredMessage['content']) => {
    if (!shownMessages.has(id)) shownMessages.set(id, { id, parent, content });
    placeholderIds.add(id);
    return id;
  };
  for (const message of messages) {
    const { id } = message;
    const shownParent = message.parent === undefined ? undefined : findShown(message.parent);
    if (message.role === 'user') {
      const parent =
        shownParent === undefined || isReply(shownParent)
          ? shownParent
          : addPlaceholder(`${shownParent}+`, shownParent, unansweredReply);
      shownMessages.set(id, {
        id,
        parent,
        content: readPrompt(message, bytes),
        lastChild: message.lastChild,
      });
    } else if (message.role === 'assistant') {
      const parent = shownParent ?? addPlaceholder(`${id}-`, undefined, emptyPrompt);
      shownMessages.set(id, {
        id,
        parent,
        content: readReplyContent(message, bytes),
        lastChild: message.lastChild,
      });
    } else {
      shownIds.set(id, shownParent);
      continue;
    }
    shownIds.set(id, id);
  }
  const shownHead = head === undefined ? undefined : findShown(head);
  const headReply =
    shownHead !== undefined && !isReply(shownHead)
      ? addPlaceholder(`${shownHead}+`, shownHead, unansweredReply)
      : shownHead;
  return { messages: [...shownMessages.values()], placeholderIds, head: headReply };
}

const emptyPrompt: Prompt = { text: '', images: [] };

const emptyReplies: readonly Reply[] = [{ parts: [], citations: [] }];

/** The content of the placeholder below a question without a reply. */
export const unansweredReply: RestoredMessage['content'] = {
  settings: readReplySettings(undefined),
  replies: emptyReplies,
  result: readResult(undefined),
  unfinished: 'missing',
};

function isPrompt(content: RestoredMessage['content']): boolean {
  return 'text' in content;
}

function readPrompt({ choices: [parts = []] }: MessageRecord, bytes: AttachedBytes): Prompt {
  const { parts: readableParts } = readReply(parts, bytes);
  const files = parts.flatMap((part) => (part.type === 'file' ? readAttachedFile(part, bytes) : []));
  const missing = findMissing(parts, bytes);
  return {
    text: readableParts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n\n'),
    images: readableParts.filter((part): part is Image => part.type === 'image'),
    ...(files.length > 0 && { files }),
    ...(missing.length > 0 && { missing }),
  };
}

/** Returns an attached text file; an empty list if it is missing, or has another type, which is not sent. */
function readAttachedFile(part: AttachedPart, bytes: AttachedBytes): readonly AttachedFile[] {
  const { name = part.mimeType, language = '', hash } = part;
  return isShownPart(part) && bytes.has(hash) ? [{ name, language, text: bytes.readText(hash) }] : [];
}

function findMissing(parts: readonly PartRecord[], bytes: AttachedBytes): readonly MissingPart[] {
  return parts.filter((part): part is MissingPart =>
    part.type === 'other' ? part.value.missing === 'attachment' : isShownPart(part) && !bytes.has(part.hash),
  );
}

function isShownPart(part: PartRecord): part is AttachedPart {
  return part.type === 'image' || (part.type === 'file' && part.mimeType.startsWith('text/'));
}

function readReplyContent(
  { choices, request, editOf, state }: MessageRecord,
  bytes: AttachedBytes,
): RestoredMessage['content'] {
  const replies = choices.map((parts) => readReply(parts, bytes));
  return {
    settings: readReplySettings(request),
    result: readResult(request, state === 'done' ? 'complete' : 'cancelled'),
    replies: replies.length === 0 ? emptyReplies : replies,
    ...(editOf !== undefined && { editOf }),
    ...(state !== 'done' && { unfinished: state === 'stopped' ? 'left' : 'elsewhere' }),
  };
}

/** Reads the available parts of a reply. Missing bytes are listed; unknown parts of other versions are skipped. */
function readReply(parts: readonly PartRecord[], bytes: AttachedBytes): Reply {
  const readableParts: MessagePart[] = [];
  const citations: Citation[] = [];
  for (const part of parts) {
    if (part.type === 'citation') citations.push({ url: part.url, title: part.title });
    else if (part.type === 'refusal') readableParts.push({ type: 'text', text: part.text });
    else if (!('hash' in part)) readableParts.push(...(part.type === 'other' ? [] : [part]));
    else if (part.type === 'image' && bytes.has(part.hash))
      readableParts.push(createStoredImage(part, bytes));
  }
  const missing = findMissing(parts, bytes);
  return { parts: readableParts, citations, ...(missing.length > 0 && { missing }) };
}

function createStoredImage({ mimeType, hash }: AttachedPart, bytes: AttachedBytes): StoredImage {
  return {
    type: 'image',
    mimeType,
    hash,
    get data() {
      return bytes.readPicture(hash);
    },
  };
}

/**
 * Creates the records of a conversation that is only in memory. Stores its attachments.
 *
 * @param excludedIds the ids of messages to omit: placeholders, and messages with their own write
 */
export async function createMessageRecords(
  { messages }: Conversation,
  excludedIds: ReadonlySet<string>,
  attachments: Attachments,
  now: number,
): Promise<readonly MessageRecord[]> {
  const records: MessageRecord[] = [];
  const parents = new Map(messages.map(({ id, parent }) => [id, parent]));
  const findStoredParent = (id: string) => {
    let ancestor = parents.get(id);
    while (ancestor !== undefined && excludedIds.has(ancestor)) ancestor = parents.get(ancestor);
    return ancestor;
  };
  for (const { id, content, lastChild } of messages) {
    if (excludedIds.has(id)) continue;
    const isQuestion = 'text' in content;
    const parent = findStoredParent(id);
    records.push({
      id,
      role: isQuestion ? 'user' : 'assistant',
      createdAt: now,
      state: 'done',
      ...(parent !== undefined && { parent }),
      choices: isQuestion
        ? [await storePromptParts(content, attachments)]
        : await storeReplies(content.replies, attachments),
      ...(!isQuestion && {
        request: finishRequestRecord(createChatRequestRecord(content.settings, {}, now), content.result),
      }),
      ...(!isQuestion && content.editOf !== undefined && { editOf: content.editOf }),
      ...(lastChild !== undefined && !excludedIds.has(lastChild) && { lastChild }),
    });
  }
  return records;
}

/**
 * Stores the attachments of a question, and returns its parts, attachments first. Missing attachments remain in
 * the list, because their bytes may be restored later.
 */
export async function storePromptParts(
  { text, images, files = [], missing = [] }: Prompt,
  attachments: Attachments,
): Promise<readonly PartRecord[]> {
  const pictures = await storeReplyParts({ parts: images, citations: [] }, attachments);
  const fileParts: PartRecord[] = [];
  for (const { name, language, text: contents } of files) {
    const hash = await attachments.add(Buffer.from(contents));
    fileParts.push({ type: 'file', mimeType: textFileType, hash, name, language });
  }
  return [...pictures, ...fileParts, ...missing, { type: 'text', text }];
}
