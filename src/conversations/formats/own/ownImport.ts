import { createHash } from 'node:crypto';
import { isObject, type JsonObject, parseJson } from '../../../base/json.ts';
import { type Explanation, explain } from '../../../wire/explanations/explanation.ts';
import type { Attachment, ConversationRecord, MessageRecord } from '../../conversation/conversationRecord.ts';
import { ConversationReading, collectExtraMembers } from '../reading/conversationReading.ts';
import { createDraftTree } from '../reading/draftTree.ts';
import { type Piece, parseJsonBytes } from '../reading/filePiece.ts';
import type { ImportEvent, ImportLocation } from '../reading/importEvent.ts';
import { ownFormatName, ownFormatVersion } from './ownExport.ts';
import { findUnknownMembers, normalizeConversation, normalizeMessage } from './ownRecords.ts';

/**
 * Attachments count less towards the size limit, because parsed values of other lines need several times the
 * memory of their JSON.
 */
const attachmentSizeDivisor = 8;

/** Whether a file with this beginning is an export of any version of this extension. */
export function isOwnExport(head: string): boolean {
  const line = parseJson(head.slice(0, head.indexOf('\n') + 1 || undefined));
  return isObject(line) && line.format === ownFormatName;
}

/**
 * Reads the lines of an export of this extension. A conversation is yielded after its last line; if one of its
 * lines is missing or wrong, it is skipped completely.
 */
export async function* readOwnExport(
  lines: AsyncIterable<Piece>,
  maxBytes: number,
): AsyncGenerator<ImportEvent, void, undefined> {
  const file = new OwnFileReader(maxBytes);
  for await (const piece of lines) {
    yield* file.readPiece(piece);
    if (file.hasStopped) return;
  }
  yield* file.finish();
}

class OwnFileReader {
  readonly #maxBytes: number;
  #count = 0;
  #openConversation: OpenConversation | undefined;
  /** A line that is not JSON: the last one of a truncated file, or a fault in the middle. */
  #brokenLine: { readonly location: ImportLocation; readonly cause: string } | undefined;
  #hasEnded = false;
  hasStopped = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *readPiece(piece: Piece): Generator<ImportEvent> {
    yield* this.#flushBrokenLine();
    const { byte, line } = piece;
    const location = { byte, line };
    const parsed = piece.type === 'value' ? parseJsonBytes(piece.bytes) : { cause: '' };
    const value = 'value' in parsed ? parsed.value : undefined;
    if (piece.type === 'too-large') {
      const problem = explain('import-too-large', { maxBytes: this.#maxBytes });
      if (this.#openConversation) this.#openConversation.fault ??= problem;
      else yield { type: 'problem', location, problem };
    } else if (isObject(value)) {
      yield* this.#readLine(value, location, piece.type === 'value' ? piece.bytes.length : 0);
    } else this.#brokenLine = { location, cause: 'cause' in parsed ? parsed.cause : '' };
  }

  *finish(): Generator<ImportEvent> {
    if (this.#hasEnded && !this.#brokenLine && !this.#openConversation) return;
    const location = this.#openConversation?.location ?? this.#brokenLine?.location ?? {};
    yield { type: 'problem', location, problem: explain('import-cut') };
  }

  *#readLine(line: JsonObject, location: ImportLocation, size: number): Generator<ImportEvent> {
    if (line.format === ownFormatName) {
      yield* this.#flushUnfinished();
      const version = typeof line.version === 'number' ? line.version : 0;
      if (version <= ownFormatVersion) return;
      this.hasStopped = true;
      yield { type: 'problem', location, problem: explain('import-newer-version', { version }) };
    } else if (line.type === 'conversation') {
      yield* this.#flushUnfinished();
      this.#count += 1;
      this.#openConversation = new OpenConversation(
        line,
        { conversation: this.#count, ...location },
        this.#maxBytes,
      );
      yield* this.#flushFinished();
    } else if (line.type === 'end') {
      yield* this.#flushUnfinished();
      this.#hasEnded = true;
      const count = readPositiveNumber(line.conversations);
      if (count !== this.#count) {
        yield { type: 'problem', location, problem: explain('import-conversations-missing', { count }) };
      }
      this.#count = 0;
    } else if (this.#openConversation) {
      this.#openConversation.addLine(line, size);
      yield* this.#flushFinished();
    } else {
      yield { type: 'problem', location, problem: explain('import-not-a-conversation') };
    }
  }

  *#flushBrokenLine(): Generator<ImportEvent> {
    if (!this.#brokenLine) return;
    const { location, cause } = this.#brokenLine;
    this.#brokenLine = undefined;
    const problem = explain('import-not-json', { cause });
    if (!this.#openConversation) yield { type: 'problem', location, problem };
    else {
      this.#openConversation.fault ??= problem;
      this.#openConversation.skipLine();
      yield* this.#flushFinished();
    }
  }

  *#flushFinished(): Generator<ImportEvent> {
    if (!this.#openConversation?.isFinished) return;
    const open = this.#openConversation;
    this.#openConversation = undefined;
    yield open.createEvent();
  }

  *#flushUnfinished(): Generator<ImportEvent> {
    if (!this.#openConversation) return;
    this.#openConversation.fault ??= explain('import-damaged', { member: 'messages' });
    const open = this.#openConversation;
    this.#openConversation = undefined;
    yield open.createEvent();
  }
}

/** A conversation whose lines are not complete yet. */
class OpenConversation {
  readonly location: ImportLocation;
  readonly #reading = new ConversationReading();
  readonly #fieldReading = { countDropped: () => this.#reading.countFlaw('import-fields-dropped') };
  readonly #conversation: ConversationRecord | undefined;
  readonly #messages: MessageRecord[] = [];
  readonly #attachments: Attachment[] = [];
  readonly #maxBytes: number;
  #remainingLines: number;
  #size = 0;
  /** The reason why the conversation is skipped. */
  fault: Explanation | undefined;

  constructor(line: JsonObject, location: ImportLocation, maxBytes: number) {
    const title = typeof line.title === 'string' ? line.title : undefined;
    this.location = { ...location, ...(title && { title }) };
    this.#maxBytes = maxBytes;
    this.#remainingLines = readPositiveNumber(line.messages) + readPositiveNumber(line.attachments);
    this.#conversation = this.#readRecord(line, 'conversation') as ConversationRecord | undefined;
    if (!this.#conversation) this.fault = explain('import-damaged', { member: 'conversation' });
  }

  get isFinished(): boolean {
    return this.#remainingLines <= 0;
  }

  skipLine(): void {
    this.#remainingLines -= 1;
  }

  addLine(line: JsonObject, size: number): void {
    this.#remainingLines -= 1;
    this.#size += line.type === 'attachment' ? size / attachmentSizeDivisor : size;
    if (this.#size > this.#maxBytes) this.fault ??= explain('import-too-large', { maxBytes: this.#maxBytes });
    // The lines of a skipped conversation are not needed.
    if (this.fault) this.#releaseMemory();
    else if (line.type === 'attachment') this.#addAttachment(line);
    else this.#addMessage(line);
  }

  #addMessage(line: JsonObject): void {
    const message = line.type === 'message' ? this.#readRecord(line, 'message') : undefined;
    if (message) this.#messages.push(message as MessageRecord);
    else this.fault = explain('import-damaged', { member: line.type === 'message' ? 'message' : 'type' });
  }

  createEvent(): ImportEvent {
    const { location, fault } = this;
    const conversation = this.#conversation;
    if (fault || !conversation) {
      const problem = fault ?? explain('import-damaged', { member: 'conversation' });
      return { type: 'problem', location, problem };
    }
    const messages = areInOrder(this.#messages)
      ? this.#messages
      : sortMessages(this.#messages, this.#reading);
    const { head, ...rest } = conversation;
    const hasHead = messages.some(({ id }) => id === head);
    const existingHead = hasHead ? head : messages.at(-1)?.id;
    this.#countMissingAttachments(messages);
    return {
      type: 'conversation',
      location,
      imported: {
        conversation:
          existingHead === head
            ? conversation
            : { ...rest, ...(existingHead !== undefined && { head: existingHead }) },
        messages,
        attachments: this.#attachments,
      },
      warnings: this.#reading.warnings,
    };
  }

  #readRecord(line: JsonObject, kind: 'conversation' | 'message'): object | undefined {
    const record = (kind === 'conversation' ? normalizeConversation : normalizeMessage)(
      line,
      this.#fieldReading,
    );
    const unknown = findUnknownMembers(line, kind);
    if (!isObject(record)) return undefined;
    const stoppedState = record.state === 'arriving' ? { state: 'stopped' } : {};
    if (unknown.size === 0) return { ...record, ...stoppedState };
    const knownMembers = new Set(Object.keys(line).filter((name) => !unknown.has(name)));
    const { extra } = collectExtraMembers(line, knownMembers);
    const ownExtra = isObject(record.extra) ? record.extra : {};
    return { ...record, ...stoppedState, ...(extra && { extra: { ...ownExtra, ...extra } }) };
  }

  #addAttachment({ hash, data }: JsonObject): void {
    const bytes = typeof data === 'string' ? Buffer.from(data, 'base64') : Buffer.alloc(0);
    if (createHash('sha256').update(bytes).digest('hex') === hash) this.#attachments.push({ hash, bytes });
    else this.#reading.countFlaw('import-attachments-damaged');
  }

  #countMissingAttachments(messages: readonly MessageRecord[]): void {
    const attachedHashes = new Set(this.#attachments.map(({ hash }) => hash));
    const hashes = messages
      .flatMap(({ choices }) => choices.flat())
      .map((part) => ('hash' in part ? part.hash : ''));
    this.#reading.countFlaw(
      'import-attachments-missing',
      new Set(hashes.filter((hash) => hash && !attachedHashes.has(hash))).size,
    );
  }

  #releaseMemory(): void {
    this.#messages.length = 0;
    this.#attachments.length = 0;
  }
}

function readPositiveNumber(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

/** Whether each message has a unique id and comes after its parent. */
function areInOrder(messages: readonly MessageRecord[]): boolean {
  const earlierIds = new Set<string>();
  return messages.every(({ id, parent }) => {
    const isInOrder = !earlierIds.has(id) && (parent === undefined || earlierIds.has(parent));
    earlierIds.add(id);
    return isInOrder;
  });
}

/** Repairs the ids of messages, and puts parents before their children. */
function sortMessages(
  messages: readonly MessageRecord[],
  reading: ConversationReading,
): readonly MessageRecord[] {
  const drafts = messages.map((message) => ({
    id: message.id,
    parent: message.parent,
    role: message.role,
    createdAt: message.createdAt,
    parts: [],
    message,
  }));
  return createDraftTree(drafts, reading).map(({ id, parent, draft }) => {
    const { message } = draft as (typeof drafts)[number];
    const { parent: _, ...rest } = message;
    return { ...rest, id, ...(parent !== undefined && { parent }) };
  });
}
