import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../../../base/json.ts';
import { type Explanation, explain } from '../../../wire/explanations/explanation.ts';
import type { OriginSource } from '../../conversation/record.ts';
import { assembled } from './assemble.ts';
import type { AttachedFiles } from './attachedFiles.ts';
import type { ConversationDraft, JsonFormat, ReadingContext } from './conversationDraft.ts';
import { ConversationReading } from './conversationReading.ts';
import type { ImportEvent, Place } from './importEvent.ts';
import { parsed, titleNear } from './parsed.ts';
import type { Piece } from './piece.ts';

/** What an import of one file needs beside its bytes. */
export interface FileImport {
  readonly maxConversationBytes: number;
  /** When it is imported, for what has no time. */
  readonly now: number;
  /** Files that came with it, in a zip file or a folder. */
  readonly attachedFiles?: AttachedFiles;
}

/** So many faults are told of values before the first conversation. */
const maxHeldBack = 100;

type FormatOf = (object: JsonObject) => JsonFormat | undefined;

/** Imports the conversations among the values of a file. */
export async function* importValues(
  pieces: AsyncIterable<Piece>,
  formatOf: FormatOf,
  file: FileImport,
): AsyncGenerator<ImportEvent, void, undefined> {
  // As long as there is no conversation, the whole file may be of another kind.
  const heldBack: ImportEvent[] = [];
  let count = 0;
  let hasConversations = false;
  let hasValues = false;
  for await (const piece of pieces) {
    count += 1;
    const place: Place = { conversation: count, byte: piece.byte, ...(piece.line && { line: piece.line }) };
    const look = lookAt(piece, formatOf, file);
    hasValues ||= look.isJson;
    if ('fault' in look) {
      const event = faultEvent(piece, place, look.fault);
      if (hasConversations) yield event;
      else if (heldBack.length < maxHeldBack) heldBack.push(event);
      continue;
    }
    hasConversations = true;
    yield* heldBack.splice(0);
    yield await conversationEvent(look, place, file);
  }
  if (!hasConversations) yield nothingFound(heldBack, hasValues);
}

/** A conversation of a known format. */
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

function lookAt(piece: Piece, formatOf: FormatOf, file: FileImport): Recognized | Fault {
  if (piece.type !== 'value') return { isJson: false, fault: faultOfPiece(piece.type, file) };
  const { bytes } = piece;
  const read = parsed(bytes);
  if ('cause' in read) return { isJson: false, fault: explain('import-not-json', { cause: read.cause }) };
  const object = isObject(read.value) ? read.value : undefined;
  const format = object && formatOf(object);
  if (!object || !format) return { isJson: true, fault: explain('import-not-a-conversation') };
  return { isJson: true, object, format, bytes, hasDamagedText: read.hasDamagedText };
}

function faultOfPiece(type: 'cut' | 'too-large' | 'stray', file: FileImport): Explanation {
  if (type === 'cut') return explain('import-cut');
  if (type === 'stray') return explain('import-rest-unread');
  return explain('import-too-large', { maxBytes: file.maxConversationBytes });
}

function faultEvent(piece: Piece, place: Place, problem: Explanation): ImportEvent {
  const title = 'bytes' in piece ? titleNear(piece.bytes) : undefined;
  return { type: 'problem', place: { ...place, ...(title && { title }) }, problem };
}

function nothingFound([first]: readonly ImportEvent[], hasValues: boolean): ImportEvent {
  if (first && !hasValues) return first;
  const problem = hasValues ? explain('import-unknown-format') : explain('import-no-conversations');
  return { type: 'problem', place: {}, problem };
}

async function conversationEvent(
  { object, format, bytes, hasDamagedText }: Recognized,
  place: Place,
  { attachedFiles, now }: FileImport,
): Promise<ImportEvent> {
  const reading = new ConversationReading();
  const files = (await attachedFiles?.load(format.fileIds?.(object) ?? [])) ?? new Map();
  const context: ReadingContext = { reading, files };
  const fingerprint = () => createHash('sha256').update(bytes).digest('hex');
  return draftEvent(() => format.read(object, context), {
    ...{ place, reading, fingerprint, now, source: format.source, isDamaged: hasDamagedText },
  });
}

/** What is known of a conversation beside its draft. */
export interface DraftFacts {
  readonly source: OriginSource;
  readonly place: Place;
  readonly reading: ConversationReading;
  /** Whether bytes were no text, and characters were put in their place. */
  readonly isDamaged: boolean;
  readonly fingerprint: () => string;
  readonly now: number;
}

/** Tells of a conversation that was read, or why it is skipped. */
export function draftEvent(read: () => ConversationDraft, facts: DraftFacts): ImportEvent {
  const { reading, isDamaged } = facts;
  let { place } = facts;
  try {
    const draft = read();
    place = { ...place, ...(draft.title && { title: draft.title }) };
    const imported = assembled(draft, reading, facts);
    if (!imported) return { type: 'problem', place, problem: explain('import-no-messages') };
    const warnings = [...(isDamaged ? [explain('import-characters-replaced')] : []), ...reading.warnings];
    return { type: 'conversation', place, imported, warnings };
  } catch (thrown) {
    // The stack, or a string, has an end; whatever else is thrown is a mistake of ours.
    if (!(thrown instanceof RangeError)) throw thrown;
    return { type: 'problem', place, problem: explain('import-too-deep') };
  }
}
