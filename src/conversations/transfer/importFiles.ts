import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { errorMessage } from '../../base/errors.ts';
import { truncate } from '../../base/truncate.ts';
import { StorageError } from '../../storage/sqlite/storageError.ts';
import { type Explanation, explain } from '../../wire/explanations/explanation.ts';
import type { PortableConversation } from '../conversation/conversationRecord.ts';
import { importConversations, importFolder } from '../formats/importConversations.ts';
import { type ByteSource, openFile } from '../formats/reading/byteSource.ts';
import type { ImportEvent, ImportLocation } from '../formats/reading/importEvent.ts';
import type { ConversationStore } from '../store/conversationStore.ts';
import { createBeginning } from '../store/newMessages.ts';
import type { ImportResult } from '../store/storeImported.ts';

/** The result for a conversation of an imported file, or for a file that could not be read. */
export interface ImportedChat {
  /** The name of the file, without its folder. */
  readonly file: string;
  readonly location: ImportLocation;
  /** Its title, or the beginning of its first question: untrusted text. */
  readonly title?: string;
  readonly kind: ImportResult['kind'] | 'skipped';
  /** The number of added messages. */
  readonly added: number;
  /** The reason why the conversation was skipped, or its flaws. */
  readonly notes: readonly Explanation[];
}

/** The progress of an import. */
export interface ImportProgress {
  /** The results since the last report. */
  readonly chats: readonly ImportedChat[];
  /** The share of the files that was read, from 0 to 1. */
  readonly readShare: number;
}

/** The end of an import. Results that were already reported remain valid. */
export interface ImportEnd {
  /** `stopped`: by its signal. `refused`: storage does not accept further writes. */
  readonly kind: 'complete' | 'stopped' | 'refused';
  /** The reason for `refused`. */
  readonly problem?: Explanation;
}

interface ImportContext {
  readonly signal: AbortSignal;
  readonly reportProgress: (progress: ImportProgress) => void;
}

interface ImportTarget {
  readonly store: ConversationStore;
  readonly writePauses: WritePauses;
}

/** Longer titles and names are truncated in the report, but not in the store. */
const maxReportedLength = 300;

/**
 * Imports all conversations of some files and folders, each with its attachments or not at all. Existing
 * messages do not change, so a repeated import changes nothing. Faulty files are reported, and the other files are
 * imported.
 */
export async function importFiles(
  store: ConversationStore,
  files: readonly string[],
  { signal, reportProgress }: ImportContext,
): Promise<ImportEnd> {
  const progress = new ProgressReporter(reportProgress);
  const writePauses = new WritePauses();
  try {
    for (const [index, file] of files.entries()) {
      const reportShare = (share: number) => progress.setReadShare((index + share) / files.length);
      for await (const event of readEvents(file, reportShare, signal)) {
        progress.add(await storeEvent({ store, writePauses }, basename(file), event));
        await writePauses.pauseIfDue();
        signal.throwIfAborted();
      }
      progress.setReadShare((index + 1) / files.length);
    }
    return { kind: 'complete' };
  } catch (error) {
    if (signal.aborted) return { kind: 'stopped' };
    if (!(error instanceof StorageError)) throw error;
    return { kind: 'refused', problem: explainRefusal(error) };
  } finally {
    progress.report();
  }
}

async function* readEvents(
  file: string,
  reportShare: (share: number) => void,
  signal: AbortSignal,
): AsyncGenerator<ImportEvent> {
  if (await isFolder(file)) {
    return yield* importFolder(file, (bytes, total) => reportShare(Math.min(1, bytes / total)), { signal });
  }
  const source = await openFile(file).catch((error: unknown) => error as Error);
  if (source instanceof Error) {
    const problem = explain('import-unreadable', { cause: errorMessage(source) });
    yield { type: 'problem', location: {}, problem };
  } else yield* importConversations(withProgress(source, reportShare), { signal });
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

/** Reports the share of the source that was read; bytes that are read again count again. */
function withProgress({ size, read }: ByteSource, reportShare: (share: number) => void): ByteSource {
  let bytes = 0;
  return {
    size,
    async *read(start, end) {
      for await (const chunk of read(start, end)) {
        yield chunk;
        bytes += chunk.length;
        reportShare(Math.min(1, bytes / size));
      }
    },
  };
}

/** @throws {StorageError} if the next conversations would also fail */
async function storeEvent(target: ImportTarget, file: string, event: ImportEvent): Promise<ImportedChat> {
  const location = shortenLocation(event.location);
  const source = { file: truncate(file, maxReportedLength), location };
  if (event.type === 'problem') {
    const { title } = location;
    return { ...source, ...(title && { title }), kind: 'skipped', added: 0, notes: [event.problem] };
  }
  const { imported, warnings } = event;
  const title = truncate(createTitle(imported), maxReportedLength);
  try {
    const { kind, added } = await storeConversation(target, imported);
    return { ...source, title, kind, added, notes: warnings };
  } catch (error) {
    // An error that concerns only this conversation does not stop the import.
    if (error instanceof StorageError && error.kind !== 'other') throw error;
    const problem = explain('import-not-saved', { cause: errorMessage(error) });
    return { ...source, title, kind: 'skipped', added: 0, notes: [problem] };
  }
}

/** Stores the attachments first. If the conversation cannot be stored, the attachments are purged later. */
async function storeConversation({ store, writePauses }: ImportTarget, imported: PortableConversation) {
  for (const { bytes } of imported.attachments) await store.attachments.add(bytes);
  return store.import(imported, () => writePauses.pauseNow());
}

function createTitle({ conversation, messages }: PortableConversation): string {
  const question = messages.find(({ role }) => role === 'user');
  return conversation.title || (question ? createBeginning(question.choices) : '');
}

function shortenLocation(location: ImportLocation): ImportLocation {
  const { file, title } = location;
  return {
    ...location,
    ...(file !== undefined && { file: truncate(file, maxReportedLength) }),
    ...(title !== undefined && { title: truncate(title, maxReportedLength) }),
  };
}

function explainRefusal(error: StorageError): Explanation {
  return error.kind === 'full'
    ? explain('import-disk-full')
    : explain('import-store-unwritable', { cause: errorMessage(error) });
}

/** The interval is short enough for a moving progress bar, and long enough not to delay the window. */
const reportIntervalMs = 100;
const maxChatsPerReport = 500;

/** Reports the progress of an import several times a second, with a limited number of conversations per report. */
class ProgressReporter {
  readonly #reportProgress: (progress: ImportProgress) => void;
  #chats: ImportedChat[] = [];
  #readShare = 0;
  #reportedAt = performance.now();

  constructor(reportProgress: (progress: ImportProgress) => void) {
    this.#reportProgress = reportProgress;
  }

  /** @param share from 0 to 1 */
  setReadShare(share: number): void {
    this.#readShare = share;
    this.#reportIfDue();
  }

  add(chat: ImportedChat): void {
    this.#chats.push(chat);
    this.#reportIfDue();
  }

  /** Reports the results since the last report. */
  report(): void {
    this.#reportProgress({ chats: this.#chats, readShare: this.#readShare });
    this.#chats = [];
    this.#reportedAt = performance.now();
  }

  #reportIfDue(): void {
    if (this.#chats.length >= maxChatsPerReport || performance.now() - this.#reportedAt >= reportIntervalMs)
      this.report();
  }
}

/** The duration of work between two pauses, and of a pause, in milliseconds. */
const workMs = 10;
const pauseMs = 10;

/**
 * Shares the database file with the windows. SQLite's lock has no queue: a waiting window polls the lock, so
 * the lock must be free for some time.
 */
export class WritePauses {
  #since = performance.now();

  /** Pauses after one of many transactions, for longer than the transaction held the lock. */
  async pauseNow(): Promise<void> {
    await setTimeout(pauseMs);
    this.#since = performance.now();
  }

  /** Pauses if the last pause ended at least `workMs` ago. */
  async pauseIfDue(): Promise<void> {
    if (performance.now() - this.#since < workMs) return;
    await this.pauseNow();
  }
}
