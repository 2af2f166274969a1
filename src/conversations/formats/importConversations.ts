import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { type Explanation, explain } from '../../wire/explanations/explanation.ts';
import { chatGpt } from './chatGpt.ts';
import { claude } from './claude.ts';
import { libreChat } from './libreChat.ts';
import { importMarkdown, isMarkdown } from './markdown/markdownImport.ts';
import { openWebUi } from './openWebUi.ts';
import { isOwnExport, readOwnExport } from './own/ownImport.ts';
import {
  type ByteSource,
  guardBytes,
  type MemberFile,
  openFile,
  readAllBytes,
  SourceError,
} from './reading/byteSource.ts';
import type { JsonFormat } from './reading/conversationDraft.ts';
import { readLines } from './reading/filePiece.ts';
import type { ImportEvent } from './reading/importEvent.ts';
import { type FileImport, importValues } from './reading/jsonImport.ts';
import { readJsonValues } from './reading/jsonValues.ts';
import { ReferencedFiles } from './reading/referencedFiles.ts';
import { convertToUtf8, readFileStart } from './reading/utf8.ts';
import { readZipFiles } from './reading/zipFiles.ts';
import { shareGpt } from './shareGpt.ts';
import { importSessionLog, isSessionLog, vscodeChat } from './vscodeChat.ts';

interface ImportOptions {
  readonly signal?: AbortSignal;
  /** The maximum size of a conversation, in bytes. The limit for the files that it references is the same. */
  readonly maxConversationBytes?: number;
  /** The time of the import, in milliseconds since 1970, for messages without a time. */
  readonly now?: number;
}

const defaultMaxConversationBytes = 128 * 1024 * 1024;
/** The length of the file's start that determines its format. */
const headBytes = 64 * 1024;

/**
 * Imports the conversations of a file, one by one: JSON of ChatGPT, Claude, Open WebUI, LibreChat, VS Code or
 * ShareGPT, Markdown with front matter, an export of this extension, or a zip file with any of them. The
 * content determines the format, not the name. Memory is bounded by the largest conversation. Faults of a
 * file are reported as problems, and conversations without faults are imported.
 *
 * @param source must support random access for a zip file
 * @throws the reason of the signal when it is aborted
 */
export async function* importConversations(
  source: ByteSource | AsyncIterable<Uint8Array>,
  { signal, maxConversationBytes = defaultMaxConversationBytes, now = Date.now() }: ImportOptions = {},
): AsyncGenerator<ImportEvent, void, undefined> {
  yield* reportSourceErrors(importSource(source, { maxConversationBytes, now }, signal), signal);
}

/**
 * Imports the conversations in the files of a folder, in the same way as from a zip file.
 *
 * @param onRead called after each chunk with the number of bytes that were read, and their total
 * @throws the reason of the signal when it is aborted
 */
export async function* importFolder(
  path: string,
  onRead: (bytes: number, total: number) => void,
  { signal, maxConversationBytes = defaultMaxConversationBytes, now = Date.now() }: ImportOptions = {},
): AsyncGenerator<ImportEvent, void, undefined> {
  const file = { maxConversationBytes, now };
  async function* readMembers(): AsyncGenerator<ImportEvent> {
    const files = reportReads(await listFolder(path, signal), onRead);
    yield* importMembers(files, file, explain('import-folder-unknown'));
  }
  yield* reportSourceErrors(readMembers(), signal);
}

/** @param onRead called after each chunk with the number of bytes that were read, and their total */
function reportReads(
  files: readonly MemberFile[],
  onRead: (bytes: number, total: number) => void,
): readonly MemberFile[] {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  let bytes = 0;
  return files.map(({ name, size, read }) => ({
    name,
    size,
    async *read() {
      for await (const chunk of read()) {
        yield chunk;
        bytes += chunk.length;
        onRead(bytes, total);
      }
    },
  }));
}

async function* importSource(
  source: ByteSource | AsyncIterable<Uint8Array>,
  file: FileImport,
  signal: AbortSignal | undefined,
): AsyncGenerator<ImportEvent> {
  const stream = guardBytes('read' in source ? source.read() : source, signal);
  const { head, bytes } = await readFileStart(stream, 4);
  if (!isZip(head)) return yield* importText(bytes, file);
  await bytes.return(undefined);
  if ('read' in source) {
    const files = await readZipFiles(guardSource(source, signal));
    yield* importMembers(files, file, explain('import-unknown-format'));
  } else yield { type: 'problem', location: {}, problem: explain('import-archive-needs-file') };
}

/** Yields the events, and a problem at the end if the source cannot be read further. */
async function* reportSourceErrors(
  events: AsyncIterable<ImportEvent>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ImportEvent> {
  try {
    for await (const event of events) {
      signal?.throwIfAborted();
      yield event;
    }
  } catch (thrown) {
    signal?.throwIfAborted();
    if (!(thrown instanceof SourceError)) throw thrown;
    yield { type: 'problem', location: {}, problem: thrown.explanation };
  }
}

function guardSource(source: ByteSource, signal: AbortSignal | undefined): ByteSource {
  return { size: source.size, read: (start, end) => guardBytes(source.read(start, end), signal) };
}

function isZip(head: Buffer): boolean {
  const mark = head.toString('latin1');
  return mark === 'PK\x03\x04' || mark === 'PK\x05\x06';
}

async function* importText(source: AsyncIterable<Uint8Array>, file: FileImport): AsyncGenerator<ImportEvent> {
  const { head, bytes } = await readFileStart(await convertToUtf8(source), headBytes);
  const start = head.toString().trimStart();
  const { maxConversationBytes: maxBytes } = file;
  if (isOwnExport(start)) yield* readOwnExport(readLines(bytes, maxBytes), maxBytes);
  else if (isSessionLog(start)) yield* importSessionLog(readLines(bytes, maxBytes), file);
  else if (start.startsWith('{') || start.startsWith('[')) {
    yield* importValues(readJsonValues(bytes, maxBytes), findFormat, file);
  } else if (isMarkdown(start)) yield* importMarkdown(bytes, file);
  else {
    const isEmpty = start === '' && head.length < headBytes;
    // Reads a short file to its end, because a read error must be reported instead of an unknown format.
    if (head.length < headBytes) await readAllBytes(bytes);
    else await bytes.return(undefined);
    const problem = isEmpty ? explain('import-empty') : explain('import-unknown-format');
    yield { type: 'problem', location: {}, problem };
  }
}

const textFilePattern = /\.(?:json|jsonl|ndjson|md|markdown)$/i;
/** Files added by macOS. */
const macOsFilePattern = /(?:^|\/)(?:__MACOSX\/|\._)/;
/** Problems that are ignored for single files in a zip file or folder, because it may contain other files. */
const ignoredProblems = new Set(['import-unknown-format', 'import-no-conversations', 'import-empty']);

/** @param emptyExplanation the problem to report if no file contains conversations */
async function* importMembers(
  files: readonly MemberFile[],
  file: FileImport,
  emptyExplanation: Explanation,
): AsyncGenerator<ImportEvent> {
  const attachedFiles = new ReferencedFiles(files, file.maxConversationBytes);
  const textFiles = files.filter(({ name }) => textFilePattern.test(name) && !macOsFilePattern.test(name));
  let hasAny = false;
  for (const each of textFiles.toSorted(compareNames)) {
    for await (const event of withoutThrowing(importText(each.read(), { ...file, attachedFiles }))) {
      if (event.type === 'problem' && ignoredProblems.has(event.problem.id)) continue;
      hasAny = true;
      yield { ...event, location: { file: each.name, ...event.location } };
    }
  }
  if (!hasAny) yield { type: 'problem', location: {}, problem: emptyExplanation };
}

/** Reports a damaged file as a problem. An error that concerns all files is thrown. */
async function* withoutThrowing(events: AsyncIterable<ImportEvent>): AsyncGenerator<ImportEvent> {
  try {
    yield* events;
  } catch (thrown) {
    const concernsOneFile =
      thrown instanceof SourceError && thrown.explanation.id !== 'import-archive-too-large';
    if (!concernsOneFile) throw thrown;
    yield { type: 'problem', location: {}, problem: thrown.explanation };
  }
}

/** Sorts `conversations-2.json` before `conversations-10.json`. */
function compareNames(one: MemberFile, other: MemberFile): number {
  return one.name.localeCompare(other.name, 'en', { numeric: true });
}

/** The JSON formats of other programs. An object matches at most one of them. */
const jsonFormats: readonly JsonFormat[] = [chatGpt, claude, openWebUi, libreChat, vscodeChat, shareGpt];

/** Finds the format of a conversation by its content. */
function findFormat(object: JsonObject): JsonFormat | undefined {
  return jsonFormats.find((format) => format.recognizes(object));
}

/** The maximum number of files and folders. A folder with far more than an export was selected by mistake. */
const maxEntries = 50_000;

/**
 * Lists the files of a folder and its subfolders. Links are not followed.
 *
 * @throws SourceError if the folder cannot be read, or contains far more files than an export
 * @throws the reason of the signal when it is aborted
 */
async function listFolder(folder: string, signal: AbortSignal | undefined): Promise<readonly MemberFile[]> {
  const files: MemberFile[] = [];
  const folders = [''];
  for (const subfolder of folders) {
    signal?.throwIfAborted();
    const entries = await readEntries(folder, subfolder);
    for (const each of entries.folders) folders.push(each);
    for (const name of entries.names) files.push(await createMemberFile(folder, name, signal));
    if (files.length + folders.length > maxEntries) throw new SourceError(explain('import-folder-too-large'));
  }
  return files;
}

async function readEntries(
  folder: string,
  subfolder: string,
): Promise<{ readonly names: readonly string[]; readonly folders: readonly string[] }> {
  try {
    const entries = await readdir(join(folder, subfolder), { withFileTypes: true });
    const joinPath = (name: string) => (subfolder === '' ? name : `${subfolder}/${name}`);
    return {
      names: entries.filter((entry) => entry.isFile()).map(({ name }) => joinPath(name)),
      folders: entries.filter((entry) => entry.isDirectory()).map(({ name }) => joinPath(name)),
    };
  } catch (thrown) {
    throw new SourceError(explain('import-unreadable', { cause: errorMessage(thrown) }), { cause: thrown });
  }
}

async function createMemberFile(
  folder: string,
  name: string,
  signal: AbortSignal | undefined,
): Promise<MemberFile> {
  const path = join(folder, name);
  const size = await stat(path).then(
    (stats) => stats.size,
    () => 0,
  );
  async function* readBytes() {
    yield* (await openFile(path)).read();
  }
  return { name, size, read: () => guardBytes(readBytes(), signal) };
}
