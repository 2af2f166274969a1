import type { JsonObject } from '../../base/json.ts';
import { type Explanation, explain } from '../../wire/explanations/explanation.ts';
import { chatGpt } from './chatGpt/chatGpt.ts';
import { claude } from './claude.ts';
import { folderFiles } from './folderFiles.ts';
import { libreChat } from './libreChat.ts';
import { importMarkdown, isMarkdown } from './markdown/markdownImport.ts';
import { openWebUi } from './openWebUi/openWebUi.ts';
import { isOwnExport, readOwnExport } from './own/ownImport.ts';
import { AttachedFiles } from './reading/attachedFiles.ts';
import { allBytes, type ByteSource, type MemberFile } from './reading/byteSource.ts';
import type { JsonFormat } from './reading/conversationDraft.ts';
import type { ImportEvent } from './reading/importEvent.ts';
import { type FileImport, importValues } from './reading/jsonImport.ts';
import { jsonValues } from './reading/jsonValues.ts';
import { lines } from './reading/lines.ts';
import { guarded, SourceError } from './reading/sourceError.ts';
import { utf8, withHead } from './reading/utf8.ts';
import { zippedFiles } from './reading/zipFiles.ts';
import { shareGpt } from './shareGpt.ts';
import { importSessionLog, isSessionLog } from './vscodeChat/sessionLog.ts';
import { vscodeChat } from './vscodeChat/vscodeChat.ts';

export interface ImportOptions {
  readonly signal?: AbortSignal;
  /** The largest conversation that is read, in bytes, and the most memory that the bytes of one take. */
  readonly maxConversationBytes?: number;
  /** When it is imported, in milliseconds since 1970, for what has no time. */
  readonly now?: number;
}

const defaultMaxConversationBytes = 128 * 1024 * 1024;
/** So much of a file tells its format. */
const headBytes = 64 * 1024;

/**
 * Imports the conversations of a file, one by one: JSON of ChatGPT, Claude, Open WebUI, LibreChat, VS Code or
 * ShareGPT, Markdown with front matter, what this extension exported, or a zip file with any of them. What is in the
 * file tells its format, never its name. Memory is bounded by the largest conversation. Whatever the file holds, its
 * faults are told as problems, and the conversations without one are imported.
 *
 * @param source of a zip file, one that can be read in any order
 * @throws the reason of the signal when it is aborted
 */
export async function* importConversations(
  source: ByteSource | AsyncIterable<Uint8Array>,
  { signal, maxConversationBytes = defaultMaxConversationBytes, now = Date.now() }: ImportOptions = {},
): AsyncGenerator<ImportEvent, void, undefined> {
  yield* told(importSource(source, { maxConversationBytes, now }, signal), signal);
}

/**
 * Imports the conversations of the files of a folder, as of those in a zip file.
 *
 * @param onRead told how many bytes were read of all files, after each chunk
 * @throws the reason of the signal when it is aborted
 */
export async function* importFolder(
  path: string,
  onRead: (bytes: number, of: number) => void,
  { signal, maxConversationBytes = defaultMaxConversationBytes, now = Date.now() }: ImportOptions = {},
): AsyncGenerator<ImportEvent, void, undefined> {
  const file = { maxConversationBytes, now };
  async function* members(): AsyncGenerator<ImportEvent> {
    const files = measuredFiles(await folderFiles(path, signal), onRead);
    yield* importMembers(files, file, explain('import-folder-unknown'));
  }
  yield* told(members(), signal);
}

function measuredFiles(
  files: readonly MemberFile[],
  onRead: (bytes: number, of: number) => void,
): readonly MemberFile[] {
  const all = files.reduce((sum, { size }) => sum + size, 0);
  let bytes = 0;
  return files.map(({ name, size, read }) => ({
    ...{ name, size },
    async *read() {
      for await (const chunk of read()) {
        yield chunk;
        bytes += chunk.length;
        onRead(bytes, all);
      }
    },
  }));
}

async function* importSource(
  source: ByteSource | AsyncIterable<Uint8Array>,
  file: FileImport,
  signal: AbortSignal | undefined,
): AsyncGenerator<ImportEvent> {
  const all = guarded('read' in source ? source.read() : source, signal);
  const { head, bytes } = await withHead(all, 4);
  if (!isZip(head)) return yield* importText(bytes, file);
  await bytes.return(undefined);
  if ('read' in source) yield* importZip(guardedSource(source, signal), file);
  else yield { type: 'problem', place: {}, problem: explain('import-archive-needs-file') };
}

/** The events, with a problem at their end when the source cannot be read on. */
async function* told(
  events: AsyncIterable<ImportEvent>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ImportEvent> {
  try {
    yield* cancellable(events, signal);
  } catch (thrown) {
    signal?.throwIfAborted();
    if (!(thrown instanceof SourceError)) throw thrown;
    yield { type: 'problem', place: {}, problem: thrown.explanation };
  }
}

async function* cancellable<T>(events: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  for await (const event of events) {
    signal?.throwIfAborted();
    yield event;
  }
}

function guardedSource(source: ByteSource, signal: AbortSignal | undefined): ByteSource {
  return { size: source.size, read: (start, end) => guarded(source.read(start, end), signal) };
}

function isZip(head: Buffer): boolean {
  const mark = head.toString('latin1');
  return mark === 'PK\x03\x04' || mark === 'PK\x05\x06';
}

async function* importText(source: AsyncIterable<Uint8Array>, file: FileImport): AsyncGenerator<ImportEvent> {
  const { head, bytes } = await withHead(await utf8(source), headBytes);
  const begin = head.toString().trimStart();
  const { maxConversationBytes: maxBytes } = file;
  if (isOwnExport(begin)) yield* readOwnExport(lines(bytes, maxBytes), maxBytes);
  else if (isSessionLog(begin)) yield* importSessionLog(lines(bytes, maxBytes), file);
  else if (begin.startsWith('{') || begin.startsWith('[')) {
    yield* importValues(jsonValues(bytes, maxBytes), formatOf, file);
  } else if (isMarkdown(begin)) yield* importMarkdown(bytes, file);
  else {
    const isEmpty = begin === '' && head.length < headBytes;
    // A file that could not be read to here is none of another format.
    if (head.length < headBytes) await allBytes(bytes);
    else await bytes.return(undefined);
    const problem = isEmpty ? explain('import-empty') : explain('import-unknown-format');
    yield { type: 'problem', place: {}, problem };
  }
}

const textFile = /\.(?:json|jsonl|ndjson|md|markdown)$/i;
/** Files that macOS adds. */
const notMeant = /(?:^|\/)(?:__MACOSX\/|\._)/;
/** What a file in a zip file or folder may be instead of conversations: there are others beside them. */
const ofOtherKinds = new Set(['import-unknown-format', 'import-no-conversations', 'import-empty']);

async function* importZip(source: ByteSource, file: FileImport): AsyncGenerator<ImportEvent> {
  yield* importMembers(await zippedFiles(source), file, explain('import-unknown-format'));
}

/** @param nothing why nothing was imported, where no file holds conversations */
async function* importMembers(
  files: readonly MemberFile[],
  file: FileImport,
  nothing: Explanation,
): AsyncGenerator<ImportEvent> {
  const attachedFiles = new AttachedFiles(files, file.maxConversationBytes);
  const texts = files.filter(({ name }) => textFile.test(name) && !notMeant.test(name));
  let hasAny = false;
  for (const each of texts.toSorted(byName)) {
    for await (const event of withoutThrowing(importText(each.read(), { ...file, attachedFiles }))) {
      if (event.type === 'problem' && ofOtherKinds.has(event.problem.id)) continue;
      hasAny = true;
      yield { ...event, place: { file: each.name, ...event.place } };
    }
  }
  if (!hasAny) yield { type: 'problem', place: {}, problem: nothing };
}

/** A file that is damaged among others leaves the others whole; one that fills the memory ends them all. */
async function* withoutThrowing(events: AsyncIterable<ImportEvent>): AsyncGenerator<ImportEvent> {
  try {
    yield* events;
  } catch (thrown) {
    const isOfOne = thrown instanceof SourceError && thrown.explanation.id !== 'import-archive-too-large';
    if (!isOfOne) throw thrown;
    yield { type: 'problem', place: {}, problem: thrown.explanation };
  }
}

/** `conversations-2.json` before `conversations-10.json`. */
function byName(one: MemberFile, other: MemberFile): number {
  return one.name.localeCompare(other.name, 'en', { numeric: true });
}

/** The formats of other programs that are JSON. No object is of two of them. */
const jsonFormats: readonly JsonFormat[] = [chatGpt, claude, openWebUi, libreChat, vscodeChat, shareGpt];

/** The format of a conversation, by what is in it. */
function formatOf(object: JsonObject): JsonFormat | undefined {
  return jsonFormats.find((format) => format.recognizes(object));
}
