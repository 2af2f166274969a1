import { randomUUID } from 'node:crypto';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pause, systemClock } from '../../base/node/clock.ts';
import { renameWithRetry } from '../../storage/renameWithRetry.ts';
import { asStorageError } from '../../storage/sqlite/storageError.ts';
import type { MessageRecord } from '../conversation/record.ts';
import { markdownDocument, markdownFile } from '../formats/markdown/markdownExport.ts';
import type { MarkdownWords } from '../formats/markdown/markdownWords.ts';
import { exportConversations } from '../formats/own/ownExport.ts';
import type { Attachment, PortableConversation } from '../formats/reading/portableConversation.ts';
import type { ConversationStore } from '../store/conversationStore.ts';

export interface Export {
  /** The path of the file. What is there stays until the new file is complete. */
  readonly file: string;
  /** The ids of conversations; all of them without. */
  readonly chats?: readonly string[];
  /** `jsonl`: whole trees with their attachments. `markdown`: the path that is shown, of one conversation. */
  readonly format: ExportFormat;
}

export type ExportFormat = 'jsonl' | 'markdown';

/** How far an export is, in conversations. */
export interface ExportProgress {
  readonly done: number;
  readonly total: number;
}

/** What is in the file. */
export interface Exported {
  readonly chats: number;
  /** How many attachments are left out because their bytes are gone. */
  readonly missingAttachments: number;
}

export interface Exporting {
  readonly signal: AbortSignal;
  readonly tell: (progress: ExportProgress) => void;
  /** Called after each conversation, so that the thread can do other things. */
  readonly pause: () => Promise<void>;
}

/** The words of a Markdown document, as one thread tells them to another. */
export interface DocumentWords extends Omit<MarkdownWords, 'onlyPath'> {
  /** With `{count}` where the number of messages on other branches stands. */
  readonly onlyPath: string;
}

/**
 * Writes conversations into a file. Of all conversations, the same ones give the same bytes in any store.
 *
 * @throws the reason of the signal when it is aborted
 * @throws {StorageError} when a conversation cannot be read, or the file not be written
 */
export async function exportChats(
  store: ConversationStore,
  { file, chats = store.ids(), format }: Export,
  { signal, tell, pause }: Exporting,
): Promise<Exported> {
  const exported = { chats: 0, missingAttachments: 0 };
  async function* wanted(): AsyncGenerator<PortableConversation> {
    for (const [done, id] of chats.entries()) {
      tell({ done, total: chats.length });
      const read = await readPortable(store, id);
      if (read) {
        exported.chats += 1;
        exported.missingAttachments += read.missing;
        yield read.whole;
      }
      await pause();
    }
  }
  const bytes = format === 'jsonl' ? exportConversations(wanted(), { signal }) : markdownBytes(wanted());
  await replaceFile(file, bytes, signal);
  return exported;
}

/** A conversation as a Markdown document; undefined when there is none. */
export function chatDocument(
  store: ConversationStore,
  chat: string,
  { onlyPath, ...words }: DocumentWords,
): string | undefined {
  const whole = store.whole(chat);
  if (!whole || whole.conversation.deletedAt !== undefined) return undefined;
  const counted = (others: number) => onlyPath.replace('{count}', String(others));
  return markdownDocument({ ...whole, attachments: [] }, { words: { ...words, onlyPath: counted } });
}

async function* markdownBytes(chats: AsyncIterable<PortableConversation>): AsyncGenerator<Uint8Array> {
  for await (const chat of chats) yield Buffer.from(markdownFile(chat));
}

/** A conversation for an export. */
interface ReadConversation {
  readonly whole: PortableConversation;
  /** How many attachments it names whose bytes are gone. */
  readonly missing: number;
}

/**
 * Reads a conversation with the bytes of its attachments.
 *
 * @returns undefined when there is none, or it is deleted
 */
export async function readPortable(
  store: ConversationStore,
  id: string,
): Promise<ReadConversation | undefined> {
  const whole = store.whole(id);
  if (!whole || whole.conversation.deletedAt !== undefined) return undefined;
  const hashes = hashesOf(whole.messages);
  const attachments: Attachment[] = [];
  for (const hash of hashes) {
    const bytes = await store.attachments.read(hash);
    if (bytes) attachments.push({ hash, bytes });
  }
  return { whole: { ...whole, attachments }, missing: hashes.size - attachments.length };
}

function hashesOf(messages: readonly MessageRecord[]): ReadonlySet<string> {
  const parts = messages.flatMap(({ choices }) => choices.flat());
  return new Set(parts.flatMap((part) => ('hash' in part ? [part.hash] : [])));
}

const writeBytes = 256 * 1024;
/** What is written this often is taken for none that was left. */
const writeMs = 10_000;

/**
 * Writes a file beside its place, and puts it there when all of it is on the disk: what is there before stays until
 * then, and for good when writing fails or is cancelled. What an export left beside it whose window ended in the
 * middle goes.
 *
 * @throws the reason of the signal when it is aborted
 * @throws {StorageError} when it cannot be written; what `chunks` throws as it is
 */
async function replaceFile(
  path: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const draft = join(dirname(path), draftName());
  try {
    await writeDraft(draft, chunks, signal);
    signal.throwIfAborted();
    await renameWithRetry(draft, path, (ms) => pause(systemClock, ms));
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw asStorageError(error);
  }
}

async function writeDraft(
  draft: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const file = await open(draft, 'wx');
  try {
    await removeLeftDrafts(draft);
    let waiting: Uint8Array[] = [];
    let size = 0;
    let writtenAt = performance.now();
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      waiting.push(chunk);
      size += chunk.length;
      if (size < writeBytes && performance.now() - writtenAt < writeMs) continue;
      await file.writeFile(Buffer.concat(waiting));
      waiting = [];
      size = 0;
      writtenAt = performance.now();
    }
    await file.writeFile(Buffer.concat(waiting));
    await file.sync();
  } finally {
    await file.close();
  }
}

const draft = /^\.model-gateway-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.part$/;

/** An export that lives writes far more often. */
const leftMs = 60_000;

/** The name of a file that is written before it takes its place. */
function draftName(): string {
  return `.model-gateway-${randomUUID()}.part`;
}

/**
 * Removes the drafts beside a new one that programs left which ended in the middle. The clock of the file system
 * says which these are: a server has one of its own. Drafts that cannot be removed stay.
 */
async function removeLeftDrafts(newDraft: string): Promise<void> {
  const folder = dirname(newDraft);
  const now = await changedAt(newDraft);
  const names = await readdir(folder).catch(() => []);
  for (const path of names.filter((name) => draft.test(name)).map((name) => join(folder, name))) {
    if (now - (await changedAt(path)) > leftMs) await rm(path, { force: true }).catch(() => undefined);
  }
}

/** In milliseconds since 1970; infinite where there is no such file. */
async function changedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );
}
