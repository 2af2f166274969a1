import { createHash } from 'node:crypto';
import { isObject, type JsonObject, parseJson } from '../../../base/json.ts';
import { type Explanation, explain } from '../../../wire/explanations/explanation.ts';
import type { ConversationRecord, MessageRecord } from '../../conversation/record.ts';
import { ConversationReading } from '../reading/conversationReading.ts';
import type { ImportEvent, Place } from '../reading/importEvent.ts';
import { keptValues } from '../reading/keptValues.ts';
import { messageTree } from '../reading/messageTree.ts';
import { parsed } from '../reading/parsed.ts';
import type { Piece } from '../reading/piece.ts';
import type { Attachment } from '../reading/portableConversation.ts';
import { ownFormatName, ownFormatVersion } from './ownExport.ts';
import { conversationRecord, messageRecord, unknownMembers } from './ownRecords.ts';

/** They are held as bytes, and the rest as objects of many times its size: a chat about many pictures is not too large. */
const attachmentsWeighLess = 8;

/** Whether a file that begins so was exported by this extension, in whatever version. */
export function isOwnExport(head: string): boolean {
  const line = parseJson(head.slice(0, head.indexOf('\n') + 1 || undefined));
  return isObject(line) && line.format === ownFormatName;
}

/**
 * Reads the lines of a file that was exported by this extension. A conversation is told once its last line is there;
 * one of which a line is missing or wrong is skipped whole.
 */
export async function* readOwnExport(
  lines: AsyncIterable<Piece>,
  maxBytes: number,
): AsyncGenerator<ImportEvent, void, undefined> {
  const file = new OwnFile(maxBytes);
  for await (const piece of lines) {
    yield* file.take(piece);
    if (file.hasStopped) return;
  }
  yield* file.end();
}

class OwnFile {
  readonly #maxBytes: number;
  #count = 0;
  #open: OpenConversation | undefined;
  /** A line that is no JSON: the last one of a file that was cut, or else a fault in the middle. */
  #broken: { readonly place: Place; readonly cause: string } | undefined;
  #hasEnded = false;
  hasStopped = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *take(piece: Piece): Generator<ImportEvent> {
    yield* this.#tellBroken();
    const { byte, line } = piece;
    const place = { byte, line };
    const read = piece.type === 'value' ? parsed(piece.bytes) : { cause: '' };
    const value = 'value' in read ? read.value : undefined;
    if (piece.type === 'too-large') {
      if (this.#open) this.#open.fault ??= explain('import-too-large', { maxBytes: this.#maxBytes });
      else
        yield { type: 'problem', place, problem: explain('import-too-large', { maxBytes: this.#maxBytes }) };
    } else if (isObject(value)) {
      yield* this.#takeLine(value, place, piece.type === 'value' ? piece.bytes.length : 0);
    } else this.#broken = { place, cause: 'cause' in read ? read.cause : '' };
  }

  *end(): Generator<ImportEvent> {
    if (this.#hasEnded && !this.#broken && !this.#open) return;
    const place = this.#open?.place ?? this.#broken?.place ?? {};
    yield { type: 'problem', place, problem: explain('import-cut') };
  }

  *#takeLine(line: JsonObject, place: Place, size: number): Generator<ImportEvent> {
    if (line.format === ownFormatName) {
      yield* this.#tellUnfinished();
      const version = typeof line.version === 'number' ? line.version : 0;
      if (version <= ownFormatVersion) return;
      this.hasStopped = true;
      yield { type: 'problem', place, problem: explain('import-newer-version', { version }) };
    } else if (line.type === 'conversation') {
      yield* this.#tellUnfinished();
      this.#count += 1;
      this.#open = new OpenConversation(line, { conversation: this.#count, ...place }, this.#maxBytes);
      yield* this.#tellFinished();
    } else if (line.type === 'end') {
      yield* this.#tellUnfinished();
      this.#hasEnded = true;
      const count = counted(line.conversations);
      if (count !== this.#count) {
        yield { type: 'problem', place, problem: explain('import-conversations-missing', { count }) };
      }
      this.#count = 0;
    } else if (this.#open) {
      this.#open.take(line, size);
      yield* this.#tellFinished();
    } else {
      yield { type: 'problem', place, problem: explain('import-not-a-conversation') };
    }
  }

  *#tellBroken(): Generator<ImportEvent> {
    if (!this.#broken) return;
    const { place, cause } = this.#broken;
    this.#broken = undefined;
    const problem = explain('import-not-json', { cause });
    if (!this.#open) yield { type: 'problem', place, problem };
    else {
      this.#open.fault ??= problem;
      this.#open.skipLine();
      yield* this.#tellFinished();
    }
  }

  *#tellFinished(): Generator<ImportEvent> {
    if (!this.#open?.isFinished) return;
    const open = this.#open;
    this.#open = undefined;
    yield open.event();
  }

  *#tellUnfinished(): Generator<ImportEvent> {
    if (!this.#open) return;
    this.#open.fault ??= explain('import-damaged', { member: 'messages' });
    const open = this.#open;
    this.#open = undefined;
    yield open.event();
  }
}

/** A conversation of which lines are still to come. */
class OpenConversation {
  readonly place: Place;
  readonly #reading = new ConversationReading();
  readonly #dropping = { dropped: () => this.#reading.note('import-fields-dropped') };
  readonly #conversation: ConversationRecord | undefined;
  readonly #messages: MessageRecord[] = [];
  readonly #attachments: Attachment[] = [];
  readonly #maxBytes: number;
  #left: number;
  #size = 0;
  /** Why it is skipped. */
  fault: Explanation | undefined;

  constructor(line: JsonObject, place: Place, maxBytes: number) {
    const title = typeof line.title === 'string' ? line.title : undefined;
    this.place = { ...place, ...(title && { title }) };
    this.#maxBytes = maxBytes;
    this.#left = counted(line.messages) + counted(line.attachments);
    this.#conversation = this.#record(line, 'conversation') as ConversationRecord | undefined;
    if (!this.#conversation) this.fault = explain('import-damaged', { member: 'conversation' });
  }

  get isFinished(): boolean {
    return this.#left <= 0;
  }

  skipLine(): void {
    this.#left -= 1;
  }

  take(line: JsonObject, size: number): void {
    this.#left -= 1;
    this.#size += line.type === 'attachment' ? size / attachmentsWeighLess : size;
    if (this.#size > this.#maxBytes) this.fault ??= explain('import-too-large', { maxBytes: this.#maxBytes });
    // What is skipped needs no memory.
    if (this.fault) this.#forget();
    else if (line.type === 'attachment') this.#takeAttachment(line);
    else this.#takeMessage(line);
  }

  #takeMessage(line: JsonObject): void {
    const message = line.type === 'message' ? this.#record(line, 'message') : undefined;
    if (message) this.#messages.push(message as MessageRecord);
    else this.fault = explain('import-damaged', { member: line.type === 'message' ? 'message' : 'type' });
  }

  event(): ImportEvent {
    const { place, fault } = this;
    const conversation = this.#conversation;
    if (fault || !conversation) {
      const problem = fault ?? explain('import-damaged', { member: 'conversation' });
      return { type: 'problem', place, problem };
    }
    const messages = repairedMessages(this.#messages, this.#reading);
    const { head, ...others } = conversation;
    const isHead = messages.some(({ id }) => id === head);
    const shown = isHead ? head : messages.at(-1)?.id;
    this.#noteMissing(messages);
    return {
      type: 'conversation',
      place,
      imported: {
        conversation:
          shown === head ? conversation : { ...others, ...(shown !== undefined && { head: shown }) },
        messages,
        attachments: this.#attachments,
      },
      warnings: this.#reading.warnings,
    };
  }

  #record(line: JsonObject, kind: 'conversation' | 'message'): object | undefined {
    const read = (kind === 'conversation' ? conversationRecord : messageRecord)(line, this.#dropping);
    const unknown = unknownMembers(line, kind);
    if (!isObject(read)) return undefined;
    const stopped = read.state === 'arriving' ? { state: 'stopped' } : {};
    if (unknown.size === 0) return { ...read, ...stopped };
    const known = new Set(Object.keys(line).filter((name) => !unknown.has(name)));
    const { extra } = keptValues(line, known);
    const before = isObject(read.extra) ? read.extra : {};
    return { ...read, ...stopped, ...(extra && { extra: { ...before, ...extra } }) };
  }

  #takeAttachment({ hash, data }: JsonObject): void {
    const bytes = typeof data === 'string' ? Buffer.from(data, 'base64') : Buffer.alloc(0);
    if (createHash('sha256').update(bytes).digest('hex') === hash) this.#attachments.push({ hash, bytes });
    else this.#reading.note('import-attachments-damaged');
  }

  #noteMissing(messages: readonly MessageRecord[]): void {
    const there = new Set(this.#attachments.map(({ hash }) => hash));
    const named = messages
      .flatMap(({ choices }) => choices.flat())
      .map((part) => ('hash' in part ? part.hash : ''));
    this.#reading.note(
      'import-attachments-missing',
      new Set(named.filter((hash) => hash && !there.has(hash))).size,
    );
  }

  #forget(): void {
    this.#messages.length = 0;
    this.#attachments.length = 0;
  }
}

function counted(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

/** Messages as they are where each comes after the one it follows, with an id of its own; otherwise put right. */
function repairedMessages(
  messages: readonly MessageRecord[],
  reading: ConversationReading,
): readonly MessageRecord[] {
  return areInOrder(messages) ? messages : inOrder(messages, reading);
}

function areInOrder(messages: readonly MessageRecord[]): boolean {
  const before = new Set<string>();
  return messages.every(({ id, parent }) => {
    const isRight = !before.has(id) && (parent === undefined || before.has(parent));
    before.add(id);
    return isRight;
  });
}

function inOrder(messages: readonly MessageRecord[], reading: ConversationReading): readonly MessageRecord[] {
  const drafts = messages.map((message) => ({
    id: message.id,
    parent: message.parent,
    role: message.role,
    createdAt: message.createdAt,
    parts: [],
    message,
  }));
  return messageTree(drafts, reading).map(({ id, parent, draft }) => {
    const { message } = draft as (typeof drafts)[number];
    const { parent: _, ...others } = message;
    return { ...others, id, ...(parent !== undefined && { parent }) };
  });
}
