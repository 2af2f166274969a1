import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { errorMessage } from '../../base/errors.ts';
import { truncate } from '../../base/truncate.ts';
import { StorageError } from '../../storage/sqlite/storageError.ts';
import { type Explanation, explain } from '../../wire/explanations/explanation.ts';
import { importConversations, importFolder } from '../formats/importConversations.ts';
import { type ByteSource, fileSource } from '../formats/reading/byteSource.ts';
import type { ImportEvent, Place } from '../formats/reading/importEvent.ts';
import type { PortableConversation } from '../formats/reading/portableConversation.ts';
import { beginningOf } from '../store/asking.ts';
import type { ConversationStore } from '../store/conversationStore.ts';
import type { ImportEnd, ImportedChat, ImportProgress } from './importReport.ts';
import { Turns } from './turns.ts';

export interface Importing {
  readonly signal: AbortSignal;
  readonly tell: (progress: ImportProgress) => void;
}

/** Where conversations go, between the writes of windows. */
interface Into {
  readonly store: ConversationStore;
  readonly turns: Turns;
}

/** Longer titles and names are cut in what is told of them; what is kept is never cut. */
const maxToldLength = 300;

/**
 * Imports all conversations of some files and folders, each with its attachments or not at all. What is there already stays as
 * it is, so importing the same again changes nothing. Files with faults are told of, and the others imported.
 */
export async function importFiles(
  store: ConversationStore,
  files: readonly string[],
  { signal, tell }: Importing,
): Promise<ImportEnd> {
  const progress = new ProgressTelling(tell);
  const turns = new Turns();
  try {
    for (const [nth, file] of files.entries()) {
      const told = (part: number) => progress.at((nth + part) / files.length);
      for await (const event of eventsOf(file, told, signal)) {
        progress.add(await taken({ store, turns }, basename(file), event));
        await turns.pause();
        signal.throwIfAborted();
      }
      progress.at((nth + 1) / files.length);
    }
    return { kind: 'complete' };
  } catch (error) {
    if (signal.aborted) return { kind: 'stopped' };
    if (!(error instanceof StorageError)) throw error;
    return { kind: 'refused', problem: refusal(error) };
  } finally {
    progress.end();
  }
}

async function* eventsOf(
  file: string,
  told: (part: number) => void,
  signal: AbortSignal,
): AsyncGenerator<ImportEvent> {
  if (await isFolder(file)) {
    return yield* importFolder(file, (bytes, of) => told(Math.min(1, bytes / of)), { signal });
  }
  const source = await fileSource(file).catch((error: unknown) => error as Error);
  if (source instanceof Error) {
    const problem = explain('import-unreadable', { cause: errorMessage(source) });
    yield { type: 'problem', place: {}, problem };
  } else yield* importConversations(measured(source, told), { signal });
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Tells which part of the source was read, at least. Zip files are read in any order. */
function measured({ size, read }: ByteSource, told: (part: number) => void): ByteSource {
  let bytes = 0;
  return {
    size,
    async *read(start, end) {
      for await (const chunk of read(start, end)) {
        yield chunk;
        bytes += chunk.length;
        told(Math.min(1, bytes / size));
      }
    },
  };
}

/** @throws {StorageError} when the next ones would fail as well */
async function taken(into: Into, file: string, event: ImportEvent): Promise<ImportedChat> {
  const place = shortened(event.place);
  const named = { file: truncate(file, maxToldLength), place };
  if (event.type === 'problem') {
    const { title } = place;
    return { ...named, ...(title && { title }), kind: 'skipped', added: 0, notes: [event.problem] };
  }
  const { imported, warnings } = event;
  const title = truncate(titleOf(imported), maxToldLength);
  try {
    const { kind, added } = await keep(into, imported);
    return { ...named, title, kind, added, notes: warnings };
  } catch (error) {
    // What is wrong with this one alone leaves the others whole.
    if (error instanceof StorageError && error.kind !== 'other') throw error;
    const problem = explain('import-not-kept', { cause: errorMessage(error) });
    return { ...named, title, kind: 'skipped', added: 0, notes: [problem] };
  }
}

/** The attachments first: those that no conversation names are deleted later. */
async function keep({ store, turns }: Into, imported: PortableConversation) {
  for (const { bytes } of imported.attachments) await store.attachments.keep(bytes);
  return store.import(imported, () => turns.rest());
}

function titleOf({ conversation, messages }: PortableConversation): string {
  const question = messages.find(({ role }) => role === 'user');
  return conversation.title || (question ? beginningOf(question.choices) : '');
}

function shortened(place: Place): Place {
  const { file, title } = place;
  return {
    ...place,
    ...(file !== undefined && { file: truncate(file, maxToldLength) }),
    ...(title !== undefined && { title: truncate(title, maxToldLength) }),
  };
}

function refusal(error: StorageError): Explanation {
  return error.kind === 'full'
    ? explain('import-disk-full')
    : explain('import-store-unwritable', { cause: errorMessage(error) });
}

/** Enough for a bar that moves, and for a window that must not wait for what it is told. */
const everyMs = 100;
const maxChats = 500;

/** Tells of an import a few times a second, at most so many conversations at once. */
class ProgressTelling {
  readonly #tell: (progress: ImportProgress) => void;
  #chats: ImportedChat[] = [];
  #read = 0;
  #toldAt = performance.now();

  constructor(tell: (progress: ImportProgress) => void) {
    this.#tell = tell;
  }

  /** @param read from 0 to 1 */
  at(read: number): void {
    this.#read = read;
    this.#tellSometimes();
  }

  add(chat: ImportedChat): void {
    this.#chats.push(chat);
    this.#tellSometimes();
  }

  /** Tells what was not told yet. */
  end(): void {
    this.#tell({ chats: this.#chats, read: this.#read });
    this.#chats = [];
    this.#toldAt = performance.now();
  }

  #tellSometimes(): void {
    if (this.#chats.length >= maxChats || performance.now() - this.#toldAt >= everyMs) this.end();
  }
}
