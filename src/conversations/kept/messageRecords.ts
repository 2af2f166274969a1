import type { MessagePart } from '../../wire/message.ts';
import { type AskedFile, textFileType } from '../conversation/askedFile.ts';
import { Conversation } from '../conversation/conversation.ts';
import type { AttachedPart, MessageRecord, MissingPart, PartRecord } from '../conversation/record.ts';
import type { Citation, Image, Reply, StoredImage } from '../conversation/reply.ts';
import { askedRecord, askingOf, endedRecord, resultOf } from '../conversation/requestRecord.ts';
import type { RestoredMessage } from '../conversation/restoredMessage.ts';
import type { Prompt } from '../conversation/turn.ts';
import type { Attachments } from '../store/attachments.ts';
import { keptParts, keptReplies } from '../store/keptParts.ts';

/** The pictures and texts that a conversation attaches, by their hashes. */
export interface AttachedBytes {
  /** Whether an attachment is there. */
  has(hash: string): boolean;
  text(hash: string): string;
  /** A picture as base64, which is read now; empty when it is gone meanwhile. */
  picture(hash: string): string;
}

/** A conversation as the store kept it. */
export interface KeptTree {
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
  /** The ids of those that fill what was missing between the others. */
  readonly filled: ReadonlySet<string>;
  /** The end of the path that was shown, where it is among them. */
  readonly head: string | undefined;
}

/** The messages above those that are read. */
export interface Above {
  /** The message that stands for a stored one on the screen. */
  readonly shown: (id: string) => string | undefined;
  readonly isAnswer: (id: string) => boolean;
}

const nothingAbove: Above = { shown: () => undefined, isAnswer: () => false };

/** Brings a conversation back from its records. */
export function conversationFrom(
  tree: KeptTree,
  bytes: AttachedBytes,
): { readonly conversation: Conversation; readonly filled: ReadonlySet<string> } {
  const { messages, filled, head } = shownTree(tree, bytes);
  return { conversation: Conversation.restored(messages, head, tree.compared), filled };
}

/**
 * Reads messages for the screen. Imported ones may be of any form: questions without an answer, answers without a
 * question, and messages of systems and tools, which are kept in the store and not shown. What is missing between
 * them is filled with empty messages.
 */
export function shownTree(
  { messages, head }: KeptTree,
  bytes: AttachedBytes,
  known = nothingAbove,
): ShownTree {
  const rows = new Map<string, RestoredMessage>();
  const filled = new Set<string>();
  /** The message that stands for one that is not shown: the one above it. */
  const shown = new Map<string, string | undefined>();
  const shownFor = (id: string) => (shown.has(id) ? shown.get(id) : known.shown(id));
  const isAnswer = (id: string) => {
    const row = rows.get(id);
    return row ? !isPrompt(row.content) : known.isAnswer(id);
  };
  const fill = (id: string, parent: string | undefined, content: RestoredMessage['content']) => {
    if (!rows.has(id)) rows.set(id, { id, parent, content });
    filled.add(id);
    return id;
  };
  for (const message of messages) {
    const { id } = message;
    const above = message.parent === undefined ? undefined : shownFor(message.parent);
    if (message.role === 'user') {
      const parent = above === undefined || isAnswer(above) ? above : fill(`${above}+`, above, unanswered);
      rows.set(id, { id, parent, content: promptOf(message, bytes), lastChild: message.lastChild });
    } else if (message.role === 'assistant') {
      const parent = above ?? fill(`${id}-`, undefined, unasked);
      rows.set(id, { id, parent, content: answerOf(message, bytes), lastChild: message.lastChild });
    } else {
      shown.set(id, above);
      continue;
    }
    shown.set(id, id);
  }
  const end = head === undefined ? undefined : shownFor(head);
  const last = end !== undefined && !isAnswer(end) ? fill(`${end}+`, end, unanswered) : end;
  return { messages: [...rows.values()], filled, head: last };
}

const unasked: Prompt = { text: '', images: [] };

/** Stands below a question that has no answer. */
export const unanswered: RestoredMessage['content'] = {
  asked: askingOf(undefined),
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

/** Of the files that other programs attach, only texts go along. */
function fileOf(part: AttachedPart, bytes: AttachedBytes): readonly AskedFile[] {
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

function answerOf(
  { choices, request, editOf, state }: MessageRecord,
  bytes: AttachedBytes,
): RestoredMessage['content'] {
  const replies = choices.map((parts) => replyOf(parts, bytes));
  return {
    asked: askingOf(request),
    result: resultOf(request, state === 'done' ? 'complete' : 'cancelled'),
    replies: replies.length === 0 ? unansweredReplies : replies,
    ...(editOf !== undefined && { editOf }),
    ...(state !== 'done' && { unfinished: state === 'stopped' ? 'left' : 'elsewhere' }),
  };
}

const unansweredReplies: readonly Reply[] = [{ parts: [], citations: [] }];

/** What is left of the parts where bytes are gone, which is named, or a file of another version has others. */
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
 * The records of a conversation that is in memory alone. Keeps its pictures.
 *
 * @param without the ids of messages that are left out: what was filled in, or is written by itself
 */
export async function recordsFrom(
  { messages }: Conversation,
  without: ReadonlySet<string>,
  attachments: Attachments,
  now: number,
): Promise<readonly MessageRecord[]> {
  const records: MessageRecord[] = [];
  const parents = new Map(messages.map(({ id, parent }) => [id, parent]));
  const keptAbove = (id: string) => {
    let above = parents.get(id);
    while (above !== undefined && without.has(above)) above = parents.get(above);
    return above;
  };
  for (const { id, content, lastChild } of messages) {
    if (without.has(id)) continue;
    const isQuestion = 'text' in content;
    const parent = keptAbove(id);
    records.push({
      ...{ id, role: isQuestion ? 'user' : 'assistant', createdAt: now, state: 'done' },
      ...(parent !== undefined && { parent }),
      choices: isQuestion
        ? [await promptParts(content, attachments)]
        : await keptReplies(content.replies, attachments),
      ...(!isQuestion && { request: endedRecord(askedRecord(content.asked, {}, now), content.result) }),
      ...(!isQuestion && content.editOf !== undefined && { editOf: content.editOf }),
      ...(lastChild !== undefined && !without.has(lastChild) && { lastChild }),
    });
  }
  return records;
}

/** The parts of a question, what goes along first. What is missing stays named, in case its bytes come back. */
export async function promptParts(
  { text, images, files = [], missing = [] }: Prompt,
  attachments: Attachments,
): Promise<readonly PartRecord[]> {
  const pictures = await keptParts({ parts: images, citations: [] }, attachments);
  const code: PartRecord[] = [];
  for (const { name, language, text: contents } of files) {
    const hash = await attachments.keep(Buffer.from(contents));
    code.push({ type: 'file', mimeType: textFileType, hash, name, language });
  }
  return [...pictures, ...code, ...missing, { type: 'text', text }];
}
