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

/** The maximum number of faults before the first conversation that are reported. */
const maxPendingFaults = 100;

type FindFormat = (object: JsonObject) => JsonFormat | undefined;

/** Imports the conversations among the values of a file. Other values, and faults, are reported as problems. */
export async function* importValues(
  pieces: AsyncIterable<Piece>,
  findFormat: FindFormat,
  file: FileImport,
): AsyncGenerator<ImportEvent, void, undefined> {
  // Until the first conversation, the file may turn out to be of another kind.
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
    const recognized = parsePiece(piece, findFormat, file);
    hasValues ||= recognized.isJson;
    if ('fault' in recognized) {
      const event = createFaultEvent(piece, location, recognized.fault);
      if (hasConversations) yield event;
      else if (pendingFaults.length < maxPendingFaults) pendingFaults.push(event);
      continue;
    }
    hasConversations = true;
    yield* pendingFaults.splice(0);
    yield await createConversationEvent(recognized, location, file);
  }
  if (!hasConversations) yield createEmptyFileEvent(pendingFaults, hasValues);
}

/** A value that is a conversation of a known format. */
interface Recognized {
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

function parsePiece(piece: Piece, findFormat: FindFormat, file: FileImport): Recognized | Fault {
  if (piece.type !== 'value') return { isJson: false, fault: explainFault(piece.type, file) };
  const { bytes } = piece;
  const read = parseJsonBytes(bytes);
  if ('cause' in read) return { isJson: false, fault: explain('import-not-json', { cause: read.cause }) };
  const object = isObject(read.value) ? read.value : undefined;
  const format = object && findFormat(object);
  if (!object || !format) return { isJson: true, fault: explain('import-not-a-conversation') };
  return { isJson: true, object, format, bytes, hasDamagedText: read.hasDamagedText };
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
  { object, format, bytes, hasDamagedText }: Recognized,
  location: ImportLocation,
  { attachedFiles, now }: FileImport,
): Promise<ImportEvent> {
  const reading = new ConversationReading();
  const files = (await attachedFiles?.load(format.fileIds?.(object) ?? [])) ?? new Map();
  const context: ReadingContext = { reading, files };
  const fingerprint = () => createHash('sha256').update(bytes).digest('hex');
  return createDraftEvent(() => format.read(object, context), {
    ...{ location, reading, fingerprint, now, source: format.source, isDamaged: hasDamagedText },
  });
}

/** The information about a conversation besides its draft. */
interface DraftFacts {
  readonly source: OriginSource;
  readonly location: ImportLocation;
  readonly reading: ConversationReading;
  /** Whether invalid bytes were replaced by other characters. */
  readonly isDamaged: boolean;
  readonly fingerprint: () => string;
  readonly now: number;
}

/** Returns the event of a conversation, or of the problem for which it is skipped. */
export function createDraftEvent(read: () => ConversationDraft, facts: DraftFacts): ImportEvent {
  const { reading, isDamaged } = facts;
  let { location } = facts;
  try {
    const draft = read();
    location = { ...location, ...(draft.title && { title: draft.title }) };
    const imported = assembleConversation(draft, reading, facts);
    if (!imported) return { type: 'problem', location, problem: explain('import-no-messages') };
    const warnings = [...(isDamaged ? [explain('import-characters-replaced')] : []), ...reading.warnings];
    return { type: 'conversation', location, imported, warnings };
  } catch (thrown) {
    // A stack overflow or a too long string is expected; other errors are bugs.
    if (!(thrown instanceof RangeError)) throw thrown;
    return { type: 'problem', location, problem: explain('import-too-deep') };
  }
}
