import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../../../base/json.ts';
import { type Explanation, explain } from '../../../wire/explanations/explanation.ts';
import type { OriginSource } from '../../conversation/conversationRecord.ts';
import { assembleConversation } from './assembleConversation.ts';
import type { ConversationDraft, JsonFormat, ReadingContext } from './conversationDraft.ts';
import { ConversationReading } from './conversationReading.ts';
import { findTitle, type Piece, parseJsonBytes } from './filePiece.ts';
import type { ImportEvent, ImportLocation } from './importEvent.ts';
import type { ReferencedFiles } from './referencedFiles.ts';

/** The options for the import of one file. */
export interface FileImport {
  readonly maxConversationBytes: number;
  /** The time of the import, for messages without a time. */
  readonly now: number;
  /** Files of the same zip file or folder. */
  readonly attachedFiles?: ReferencedFiles;
}

/** The maximum number of reported faults before the first conversation. */
const maxPendingFaults = 100;

type FindFormat = (object: JsonObject) => JsonFormat | undefined;

/** Imports the conversations among the values of a file. Other values, and faults, are reported as problems. */
export async function* importValues(
  pieces: AsyncIterable<Piece>,
  findFormat: FindFormat,
  file: FileImport,
): AsyncGenerator<ImportEvent, void, undefined> {
  // Until the first conversation is found, the file may have another format.
  const pendingFaults: ImportEvent[] = [];
  let count = 0;
  let hasConversations = false;
  let hasValues = false;
  for await (const piece of pieces) {
    count += 1;
    const location: ImportLocation = {
      conversation: count,
      byte: piece.byte,
      ...(piece.line && { line: piece.line }),
    };
    const parsed = parsePiece(piece, findFormat, file);
    hasValues ||= parsed.isJson;
    if ('fault' in parsed) {
      const event = createFaultEvent(piece, location, parsed.fault);
      if (hasConversations) yield event;
      else if (pendingFaults.length < maxPendingFaults) pendingFaults.push(event);
      continue;
    }
    hasConversations = true;
    yield* pendingFaults.splice(0);
    yield await createConversationEvent(parsed, location, file);
  }
  if (!hasConversations) yield createEmptyFileEvent(pendingFaults, hasValues);
}

/** A value that is a conversation of a known format. */
interface RecognizedConversation {
  readonly isJson: true;
  readonly object: JsonObject;
  readonly format: JsonFormat;
  readonly bytes: Buffer;
  readonly hasDamagedText: boolean;
}

interface Fault {
  readonly isJson: boolean;
  readonly fault: Explanation;
}

function parsePiece(piece: Piece, findFormat: FindFormat, file: FileImport): RecognizedConversation | Fault {
  if (piece.type !== 'value') return { isJson: false, fault: explainFault(piece.type, file) };
  const { bytes } = piece;
  const json = parseJsonBytes(bytes);
  if ('cause' in json) return { isJson: false, fault: explain('import-not-json', { cause: json.cause }) };
  const object = isObject(json.value) ? json.value : undefined;
  const format = object && findFormat(object);
  if (!object || !format) return { isJson: true, fault: explain('import-not-a-conversation') };
  return { isJson: true, object, format, bytes, hasDamagedText: json.hasDamagedText };
}

function explainFault(type: 'cut' | 'too-large' | 'stray', file: FileImport): Explanation {
  if (type === 'cut') return explain('import-cut');
  if (type === 'stray') return explain('import-rest-unread');
  return explain('import-too-large', { maxBytes: file.maxConversationBytes });
}

function createFaultEvent(piece: Piece, location: ImportLocation, problem: Explanation): ImportEvent {
  const title = 'bytes' in piece ? findTitle(piece.bytes) : undefined;
  return { type: 'problem', location: { ...location, ...(title && { title }) }, problem };
}

function createEmptyFileEvent([first]: readonly ImportEvent[], hasValues: boolean): ImportEvent {
  if (first && !hasValues) return first;
  const problem = hasValues ? explain('import-unknown-format') : explain('import-no-conversations');
  return { type: 'problem', location: {}, problem };
}

async function createConversationEvent(
  { object, format, bytes, hasDamagedText }: RecognizedConversation,
  location: ImportLocation,
  { attachedFiles, now }: FileImport,
): Promise<ImportEvent> {
  const reading = new ConversationReading();
  const files = (await attachedFiles?.load(format.listFileIds?.(object) ?? [])) ?? new Map();
  const context: ReadingContext = { reading, files };
  const fingerprint = () => createHash('sha256').update(bytes).digest('hex');
  return createDraftEvent(() => format.read(object, context), {
    location,
    reading,
    fingerprint,
    now,
    source: format.source,
    isDamaged: hasDamagedText,
  });
}

interface DraftEventOptions {
  readonly source: OriginSource;
  readonly location: ImportLocation;
  readonly reading: ConversationReading;
  /** Whether invalid bytes were replaced by other characters. */
  readonly isDamaged: boolean;
  readonly fingerprint: () => string;
  readonly now: number;
}

/** Creates the event of a conversation, or of the problem if the conversation is skipped. */
export function createDraftEvent(read: () => ConversationDraft, options: DraftEventOptions): ImportEvent {
  const { reading, isDamaged } = options;
  let { location } = options;
  try {
    const draft = read();
    location = { ...location, ...(draft.title && { title: draft.title }) };
    const imported = assembleConversation(draft, reading, options);
    if (!imported) return { type: 'problem', location, problem: explain('import-no-messages') };
    const warnings = [...(isDamaged ? [explain('import-characters-replaced')] : []), ...reading.warnings];
    return { type: 'conversation', location, imported, warnings };
  } catch (thrown) {
    // A `RangeError` is a stack overflow or a too long string; other errors are bugs.
    if (!(thrown instanceof RangeError)) throw thrown;
    return { type: 'problem', location, problem: explain('import-too-deep') };
  }
}
