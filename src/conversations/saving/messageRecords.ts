import type { MessagePart } from '../../wire/message.ts';
import { type AttachedFile, textFileType } from '../conversation/attachedFile.ts';
import {
  createRequestRecord,
  finishRequestRecord,
  replySettingsOf,
  resultOf,
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
  text(hash: string): string;
  /** A picture as base64, read on each call; empty if it was deleted in the meantime. */
  picture(hash: string): string;
}

/** A stored conversation. */
interface StoredTree {
  /** Parents before children, siblings in their order. */
  readonly messages: readonly MessageRecord[];
  readonly head?: string | undefined;
  /** The ends of the branches that were shown side by side. */
  readonly compared?: readonly string[] | undefined;
}

/** The pictures and texts in messages. */
export function attachedParts(messages: readonly MessageRecord[]): readonly AttachedPart[] {
  return messages.flatMap(({ choices }) => choices.flat()).filter(isShown);
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

/** The messages on the screen above the messages to convert. */
interface Ancestors {
  /** Returns the id of the message on the screen that represents a stored message. */
  readonly shown: (id: string) => string | undefined;
  readonly isReply: (id: string) => boolean;
}

const noAncestors: Ancestors = { shown: () => undefined, isReply: () => false };

/** Restores a conversation from its records. */
export function conversationFrom(
  tree: StoredTree,
  bytes: AttachedBytes,
): { readonly conversation: Conversation; readonly placeholderIds: ReadonlySet<string> } {
  const { messages, placeholderIds, head } = shownTree(tree, bytes);
  return {
    conversation: Conversation.restored(messages, head, tree.compared),
    placeholderIds,
  };
}

/**
 * Converts stored messages for the screen. Imported messages may have any structure: questions without a
 * reply, replies without a question, and system and tool messages, which are stored but not shown. Gaps
 * between messages are filled with empty messages.
 */
export function shownTree(
  { messages, head }: StoredTree,
  bytes: AttachedBytes,
  ancestors = noAncestors,
): ShownTree {
  const rows = new Map<string, RestoredMessage>();
  const placeholderIds = new Set<string>();
  /** For each message that is not shown, the shown message above it. */
  const shown = new Map<string, string | undefined>();
  const shownFor = (id: string) => (shown.has(id) ? shown.get(id) : ancestors.shown(id));
  const isReply = (id: string) => {
    const row = rows.get(id);
    return row ? !isPrompt(row.content) : ancestors.isReply(id);
  };
  const fill = (id: string, parent: string | undefined, content: RestoredMessage['content']) => {
    if (!rows.has(id)) rows.set(id, { id, parent, content });
    placeholderIds.add(id);
    return id;
  };
  for (const message of messages) {
    const { id } = message;
    const above = message.parent === undefined ? undefined : shownFor(message.parent);
    if (message.role === 'user') {
      const parent =
        above === undefined || isReply(above) ? above : fill(`${above}+`, above, unansweredReply);
      rows.set(id, { id, parent, content: promptOf(message, bytes), lastChild: message.lastChild });
    } else if (message.role === 'assistant') {
      const parent = above ?? fill(`${id}-`, undefined, emptyPrompt);
      rows.set(id, { id, parent, content: replyContentOf(message, bytes), lastChild: message.lastChild });
    } else {
      shown.set(id, above);
      continue;
    }
    shown.set(id, id);
  }
  const end = head === undefined ? undefined : shownFor(head);
  const last = end !== undefined && !isReply(end) ? fill(`${end}+`, end, unansweredReply) : end;
  return { messages: [...rows.values()], placeholderIds, head: last };
}

const emptyPrompt: Prompt = { text: '', images: [] };

/** The placeholder below a question without a reply. */
export const unansweredReply: RestoredMessage['content'] = {
  settings: replySettingsOf(undefined),
  replies: [{ parts: [], citations: [] }],
  result: resultOf(undefined),
  unfinished: 'missing',
};

function isPrompt(content: RestoredMessage['content']): boolean {
  return 'text' in content;
}

function promptOf({ choices: [parts = []] }: MessageRecord, bytes: AttachedBytes): Prompt {
  const { parts: read } = replyOf(parts, bytes);
  const files = parts.flatMap((part) => (part.type === 'file' ? fileOf(part, bytes) : []));
  const missing = missingOf(parts, bytes);
  return {
    text: read.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n\n'),
    images: read.filter((part): part is Image => part.type === 'image'),
    ...(files.length > 0 && { files }),
    ...(missing.length > 0 && { missing }),
  };
}

/** The text of an attached file. Files of other types are not sent. */
function fileOf(part: AttachedPart, bytes: AttachedBytes): readonly AttachedFile[] {
  const { name = part.mimeType, language = '', hash } = part;
  return isShown(part) && bytes.has(hash) ? [{ name, language, text: bytes.text(hash) }] : [];
}

function missingOf(parts: readonly PartRecord[], bytes: AttachedBytes): readonly MissingPart[] {
  return parts.filter((part): part is MissingPart =>
    part.type === 'other' ? part.value.missing === 'attachment' : isShown(part) && !bytes.has(part.hash),
  );
}

function isShown(part: PartRecord): part is AttachedPart {
  return part.type === 'image' || (part.type === 'file' && part.mimeType.startsWith('text/'));
}

function replyContentOf(
  { choices, request, editOf, state }: MessageRecord,
  bytes: AttachedBytes,
): RestoredMessage['content'] {
  const replies = choices.map((parts) => replyOf(parts, bytes));
  return {
    settings: replySettingsOf(request),
    result: resultOf(request, state === 'done' ? 'complete' : 'cancelled'),
    replies: replies.length === 0 ? unansweredReplies : replies,
    ...(editOf !== undefined && { editOf }),
    ...(state !== 'done' && { unfinished: state === 'stopped' ? 'left' : 'elsewhere' }),
  };
}

const unansweredReplies: readonly Reply[] = [{ parts: [], citations: [] }];

/** The available parts of a reply. Missing bytes are listed; unknown parts of other versions are skipped. */
function replyOf(parts: readonly PartRecord[], bytes: AttachedBytes): Reply {
  const read: MessagePart[] = [];
  const citations: Citation[] = [];
  for (const part of parts) {
    if (part.type === 'citation') citations.push({ url: part.url, title: part.title });
    else if (part.type === 'refusal') read.push({ type: 'text', text: part.text });
    else if (!('hash' in part)) read.push(...(part.type === 'other' ? [] : [part]));
    else if (part.type === 'image' && bytes.has(part.hash)) read.push(storedImage(part, bytes));
  }
  const missing = missingOf(parts, bytes);
  return { parts: read, citations, ...(missing.length > 0 && { missing }) };
}

function storedImage({ mimeType, hash }: AttachedPart, bytes: AttachedBytes): StoredImage {
  return {
    ...{ type: 'image', mimeType, hash },
    get data() {
      return bytes.picture(hash);
    },
  };
}

/**
 * The records of a conversation that is only in memory. Stores its pictures.
 *
 * @param without the ids of messages to omit: placeholders, and messages with their own write
 */
export async function recordsFrom(
  { messages }: Conversation,
  without: ReadonlySet<string>,
  attachments: Attachments,
  now: number,
): Promise<readonly MessageRecord[]> {
  const records: MessageRecord[] = [];
  const parents = new Map(messages.map(({ id, parent }) => [id, parent]));
  const storedParentOf = (id: string) => {
    let above = parents.get(id);
    while (above !== undefined && without.has(above)) above = parents.get(above);
    return above;
  };
  for (const { id, content, lastChild } of messages) {
    if (without.has(id)) continue;
    const isQuestion = 'text' in content;
    const parent = storedParentOf(id);
    records.push({
      ...{ id, role: isQuestion ? 'user' : 'assistant', createdAt: now, state: 'done' },
      ...(parent !== undefined && { parent }),
      choices: isQuestion
        ? [await promptParts(content, attachments)]
        : await storeReplies(content.replies, attachments),
      ...(!isQuestion && {
        request: finishRequestRecord(createRequestRecord(content.settings, {}, now), content.result),
      }),
      ...(!isQuestion && content.editOf !== undefined && { editOf: content.editOf }),
      ...(lastChild !== undefined && !without.has(lastChild) && { lastChild }),
    });
  }
  return records;
}

/** The parts of a question, attachments first. Missing attachments stay listed, in case their bytes return. */
export async function promptParts(
  { text, images, files = [], missing = [] }: Prompt,
  attachments: Attachments,
): Promise<readonly PartRecord[]> {
  const pictures = await storeReplyParts({ parts: images, citations: [] }, attachments);
  const code: PartRecord[] = [];
  for (const { name, language, text: contents } of files) {
    const hash = await attachments.add(Buffer.from(contents));
    code.push({ type: 'file', mimeType: textFileType, hash, name, language });
  }
  return [...pictures, ...code, ...missing, { type: 'text', text }];
}
