import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../../../base/json.ts';
import { type Explanation, explain } from '../../../wire/explanations/explanation.ts';
import type { OriginSource } from '../../record.ts';
import type { ImportEvent, Place } from '../importEvent.ts';
import { assembled } from './assemble.ts';
import type { AttachedFiles } from './attachedFiles.ts';
import type { ConversationDraft, JsonFormat, ReadingContext } from './conversationDraft.ts';
import { ConversationReading } from './conversationReading.ts';
import { parsed, titleNear } from './parsed.ts';
import type { Piece } from './piece.ts';

/** What an import of one file needs beside its bytes. */
export interface FileImport {
  readonly maxConversationBytes: number;
  /** When it is imported, for what has no time. */
  readonly now: number;
  /** Files that came with it, in a zip file. */
  readonly attachedFiles?: AttachedFiles;
}

/** So many faults are told of values before the first conversation. */
const maxHeldBack = 100;

/** Imports the conversations among the values of a file. */
export async function* importValues(
  pieces: AsyncIterable<Piece>,
  formatOf: (object: JsonObject) => JsonFormat | undefined,
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
    const read = piece.type === 'value' ? parsed(piece.bytes) : undefined;
    if (read && 'value' in read) hasValues = true;
    const object = read && 'value' in read && isObject(read.value) ? read.value : undefined;
    const format = object && formatOf(object);
    if (!format || !object || piece.type !== 'value') {
      const event = faultOf(piece, place, read && 'cause' in read ? read.cause : undefined, file);
      if (hasConversations) yield event;
      else if (heldBack.length < maxHeldBack) heldBack.push(event);
      continue;
    }
    hasConversations = true;
    yield* heldBack.splice(0);
    const isDamaged = read !== undefined && 'value' in read && read.hasDamagedText;
    yield await conversationEvent(object, format, { place, bytes: piece.bytes, isDamaged, file });
  }
  if (!hasConversations) yield nothingFound(heldBack, hasValues);
}

function faultOf(piece: Piece, place: Place, cause: string | undefined, file: FileImport): ImportEvent {
  const title = 'bytes' in piece ? titleNear(piece.bytes) : undefined;
  return {
    type: 'problem',
    place: { ...place, ...(title && { title }) },
    problem: faultWords(piece, cause, file),
  };
}

function faultWords(piece: Piece, cause: string | undefined, file: FileImport): Explanation {
  if (piece.type === 'cut') return explain('import-cut');
  if (piece.type === 'too-large') return explain('import-too-large', { maxBytes: file.maxConversationBytes });
  if (piece.type === 'value' && cause === undefined) return explain('import-not-a-conversation');
  return explain('import-not-json', { cause: cause ?? '…' });
}

function nothingFound([first]: readonly ImportEvent[], hasValues: boolean): ImportEvent {
  if (first && !hasValues) return first;
  const problem = hasValues ? explain('import-unknown-format') : explain('import-no-conversations');
  return { type: 'problem', place: {}, problem };
}

interface ReadValue {
  readonly place: Place;
  readonly bytes: Buffer;
  readonly isDamaged: boolean;
  readonly file: FileImport;
}

async function conversationEvent(
  object: JsonObject,
  format: JsonFormat,
  { place, bytes, isDamaged, file }: ReadValue,
): Promise<ImportEvent> {
  const reading = new ConversationReading();
  const files = (await file.attachedFiles?.load(format.fileIds?.(object) ?? [])) ?? new Map();
  const context: ReadingContext = { reading, files };
  const fingerprint = () => createHash('sha256').update(bytes).digest('hex');
  return draftEvent(() => format.read(object, context), {
    ...{ place, reading, isDamaged, fingerprint },
    ...{ source: format.source, now: file.now },
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
