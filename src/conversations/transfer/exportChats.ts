import { randomUUID } from 'node:crypto';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { renameWithRetry } from '../../storage/renameWithRetry.ts';
import { toStorageError } from '../../storage/sqlite/storageError.ts';
import type { Attachment, MessageRecord, PortableConversation } from '../conversation/conversationRecord.ts';
import {
  type MarkdownWords,
  writeMarkdownDocument,
  writeMarkdownFile,
} from '../formats/markdown/markdownExport.ts';
import { exportConversations } from '../formats/own/ownExport.ts';
import type { ConversationStore } from '../store/conversationStore.ts';

export interface ExportRequest {
  /** The path of the file. An existing file is not changed until the new one is complete. */
  readonly file: string;
  /** The ids of conversations; all conversations by default. */
  readonly chats?: readonly string[];
  /** `jsonl`: whole trees with their attachments. `markdown`: the path that is shown, of one conversation. */
  readonly format: ExportFormat;
}

export type ExportFormat = 'jsonl' | 'markdown';

/** The progress of an export, in conversations. */
export interface ExportProgress {
  readonly done: number;
  readonly total: number;
}

/** The content of the exported file. */
export interface ExportResult {
  readonly chats: number;
  /** The number of attachments that are omitted because their bytes are missing. */
  readonly missingAttachments: number;
}

interface ExportContext {
  readonly signal: AbortSignal;
  readonly reportProgress: (progress: ExportProgress) => void;
  /** Called after each conversation, so that the thread can do other work. */
  readonly pause: () => Promise<void>;
}

/** The words of a Markdown document, as sent between threads. */
export interface DocumentWords extends Omit<MarkdownWords, 'onlyPath'> {
  /** `{count}` is replaced by the number of messages on other branches. */
  readonly onlyPath: string;
}

/**
 * Writes conversations to a file. An export of all conversations has the same bytes in each store that contains
 * the same conversations.
 *
 * @throws the reason of the signal when it is aborted
 * @throws {StorageError} if a conversation cannot be read, or the file cannot be written
 */
export async function exportChats(
  store: ConversationStore,
  { file, chats = store.listIds(), format }: ExportRequest,
  { signal, reportProgress, pause }: ExportContext,
): Promise<ExportResult> {
  const exported = { chats: 0, missingAttachments: 0 };
  async function* readChats(): AsyncGenerator<PortableConversation> {
    for (const [done, id] of chats.entries()) {
      reportProgress({ done, total: chats.length });
      const portable = await readPortable(store, id);
      if (portable) {
        exported.chats += 1;
        exported.missingAttachments += portable.missingAttachments;
        yield portable.chat;
      }
      await pause();
    }
  }
  const bytes =
    format === 'jsonl' ? exportConversations(readChats(), { signal }) : writeMarkdown(readChats());
  await replaceFile(file, bytes, signal);
  return exported;
}

/** Creates the Markdown document of a conversation; undefined if it does not exist. */
export function createChatDocument(
  store: ConversationStore,
  chat: string,
  { onlyPath, ...words }: DocumentWords,
): string | undefined {
  const source = store.getWithMessages(chat);
  if (!source || source.conversation.deletedAt !== undefined) return undefined;
  const onlyPathWords = (others: number) => onlyPath.replace('{count}', String(others));
  return writeMarkdownDocument(
    { ...source, attachments: [] },
    { words: { ...words, onlyPath: onlyPathWords } },
  );
}

async function* writeMarkdown(chats: AsyncIterable<PortableConversation>): AsyncGenerator<Uint8Array> {
  for await (const chat of chats) yield Buffer.from(writeMarkdownFile(chat));
}

/** A conversation for an export. */
interface PortableChat {
  readonly chat: PortableConversation;
  /** The number of its attachments whose bytes are missing. */
  readonly missingAttachments: number;
}

/**
 * Reads a conversation with the bytes of its attachments.
 *
 * @returns undefined if the conversation does not exist, or is deleted
 */
export async function readPortable(store: ConversationStore, id: string): Promise<PortableChat | undefined> {
  const source = store.getWithMessages(id);
  if (!source || source.conversation.deletedAt !== undefined) return undefined;
  const hashes = collectHashes(source.messages);
  const attachments: Attachment[] = [];
  for (const hash of hashes) {
    const bytes = await store.attachments.read(hash);
    if (bytes) attachments.push({ hash, bytes });
  }
  return { chat: { ...source, attachments }, missingAttachments: hashes.size - attachments.length };
}

function collectHashes(messages: readonly MessageRecord[]): ReadonlySet<string> {
  const parts = messages.flatMap(({ choices }) => choices.flat());
  return new Set(parts.flatMap((part) => ('hash' in part ? [part.hash] : [])));
}

/** The minimum number of bytes for one write; fewer bytes are buffered. */
const minWriteBytes = 256 * 1024;

/** After this time, fewer bytes are also written, so that other exports do not consider the draft abandoned. */
const maxWriteIntervalMs = 10_000;

/**
 * Writes a draft file next to the target, and renames it once it is completely on the disk. The earlier file
 * remains until then, or permanently if writing fails or is cancelled. Abandoned drafts of interrupted exports
 * are removed.
 *
 * @throws the reason of the signal when it is aborted
 * @throws {StorageError} if it cannot be written; errors of `chunks` are rethrown
 */
async function replaceFile(
  path: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const draft = join(dirname(path), `.model-gateway-${randomUUID()}.part`);
  try {
    await writeDraft(draft, chunks, signal);
    signal.throwIfAborted();
    await renameWithRetry(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw toStorageError(error);
  }
}

async function writeDraft(
  draft: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const file = await open(draft, 'wx');
  try {
    await removeAbandonedDrafts(draft);
    let buffered: Uint8Array[] = [];
    let size = 0;
    let writtenAt = performance.now();
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      buffered.push(chunk);
      size += chunk.length;
      if (size < minWriteBytes && performance.now() - writtenAt < maxWriteIntervalMs) continue;
      await file.writeFile(Buffer.concat(buffered));
      buffered = [];
      size = 0;
      writtenAt = performance.now();
    }
    await file.writeFile(Buffer.concat(buffered));
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The names of draft files. */
const draftPattern = /^\.model-gateway-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.part$/;

/** Much longer than the pauses between the writes of a running export. */
const abandonedAfterMs = 60_000;

/**
 * Removes abandoned drafts in the folder of a new draft. Their age is measured by the clock of the file system,
 * because a server has its own clock. Drafts that cannot be removed are ignored.
 */
async function removeAbandonedDrafts(newDraft: string): Promise<void> {
  const folder = dirname(newDraft);
  const now = await readChangeTime(newDraft);
  const names = await readdir(folder).catch(() => []);
  for (const path of names.filter((name) => draftPattern.test(name)).map((name) => join(folder, name))) {
    if (now - (await readChangeTime(path)) > abandonedAfterMs)
      await rm(path, { force: true }).catch(() => undefined);
  }
}

/** Returns the time in milliseconds since 1970; infinite if there is no such file. */
async function readChangeTime(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );
}
