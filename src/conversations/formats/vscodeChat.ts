import { createHash } from 'node:crypto';
import { isCount, isObject, type JsonObject, objectsIn } from '../../base/json.ts';
import { explain } from '../../wire/explanations/explanation.ts';
import type { PartRecord } from '../conversation/conversationRecord.ts';
import type {
  ConversationDraft,
  DraftRequest,
  JsonFormat,
  MessageDraft,
} from './reading/conversationDraft.ts';
import { ConversationReading } from './reading/conversationReading.ts';
import { readCount, toArray, toNonEmptyText, toWellFormedText } from './reading/fieldValues.ts';
import { type Piece, parseJsonBytes } from './reading/filePiece.ts';
import type { ImportEvent } from './reading/importEvent.ts';
import { readImportedUsage } from './reading/importedUsage.ts';
import { createDraftEvent, type FileImport } from './reading/jsonImport.ts';

const sessionFields = new Set(
  'sessionId customTitle computedTitle requests creationDate lastMessageDate'.split(' '),
);
const requestFields = new Set(
  'requestId variableData response responseId modelId timestamp modelState isCanceled result promptTokens completionTokens elapsedMs responseTimestamp'.split(
    ' ',
  ),
);

/** VS Code's states of a response. */
const modelStates = { pending: 0, complete: 1, cancelled: 2, failed: 3, needsInput: 4 } as const;

/** The output of VS Code's `Chat: Export Chat…`, or a stored session: a list of requests. */
export const vscodeChat: JsonFormat = {
  source: 'vscode',

  recognizes: (object) =>
    Array.isArray(object.requests) &&
    ['responderUsername', 'initialLocation', 'sessionId', 'requesterUsername'].some((name) => name in object),

  read(object, { reading }): ConversationDraft {
    const requests = objectsIn(object.requests);
    const messages: MessageDraft[] = [];
    for (const [nth, request] of requests.entries()) {
      const previousId = messages.at(-1)?.id;
      const question = readQuestion(request, nth, previousId, reading);
      messages.push(question);
      const reply = readReply(request, nth, question.id, reading);
      if (reply) messages.push(reply);
    }
    return {
      id: toNonEmptyText(object.sessionId),
      title: toWellFormedText(object.customTitle) ?? toWellFormedText(object.computedTitle),
      createdAt: reading.readTime(object.creationDate),
      changedAt: reading.readTime(object.lastMessageDate),
      head: undefined,
      messages,
      ...reading.collectExtra(object, sessionFields),
    };
  },
};

function readId(id: unknown, kind: string, nth: number): string {
  return toNonEmptyText(id) ?? `${kind}-${nth + 1}`;
}

function readQuestion(
  request: JsonObject,
  nth: number,
  parent: string | undefined,
  reading: ConversationReading,
): MessageDraft {
  const { message } = request;
  const { text, ...rest } = isObject(message) ? message : { text: message };
  const textParts: readonly PartRecord[] =
    typeof text === 'string'
      ? [{ type: 'text', text: text.toWellFormed() }]
      : reading.createUnreadParts('text', text);
  return {
    id: readId(request.requestId, 'request', nth),
    parent,
    role: 'user',
    createdAt: reading.readTime(request.timestamp),
    parts: [...readVariables(request, reading), ...textParts],
    ...reading.collectExtra({ ...request, message: removeTextParts(rest) }, requestFields),
  };
}

/** Removes the parts of a question that only repeat its text. */
function removeTextParts(message: JsonObject): JsonObject {
  const { parts, ...rest } = message;
  return Array.isArray(parts)
    ? { ...rest, parts: parts.filter((part: unknown) => !isObject(part) || part.kind !== 'text') }
    : message;
}

/** Reads the attachments of a question. The file contains the bytes of pictures, but not of other attachments. */
function readVariables({ variableData }: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const variables = isObject(variableData) ? objectsIn(variableData.variables) : [];
  return variables.map((variable) => {
    if (variable.kind !== 'image') return reading.createUnknownPart(variable);
    const { mimeType, name, value } = variable;
    const base64 = isObject(value) ? value.$base64 : undefined;
    if (typeof base64 === 'string') return reading.attachBase64(base64, { mimeType, name }, { name });
    const bytes = readBytes(value);
    return bytes
      ? reading.attach(bytes, { mimeType, name })
      : reading.createMissingPart({ kind: 'image', mimeType }, name);
  });
}

/** Reads bytes in JSON form: an array, or an object with indices. */
function readBytes(value: unknown): Uint8Array | undefined {
  const values = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  const areBytes = values.every((each) => (readCount(each) ?? 256) < 256);
  return values.length > 0 && areBytes ? Uint8Array.from(values as number[]) : undefined;
}

function readReply(
  request: JsonObject,
  nth: number,
  parent: string | undefined,
  reading: ConversationReading,
): MessageDraft | undefined {
  const parts = readResponse(request.response, reading);
  const replyRequest = readRequest(request);
  if (parts.length === 0 && replyRequest?.outcome !== 'failed') return undefined;
  return {
    id: readId(request.responseId, 'response', nth),
    parent,
    role: 'assistant',
    createdAt: reading.readTime(request.responseTimestamp),
    state: replyRequest?.outcome === 'interrupted' ? 'stopped' : 'done',
    parts,
    ...(replyRequest && { request: replyRequest }),
    ...reading.collectExtra({ result: request.result, modelState: request.modelState }, new Set()),
  };
}

function readRequest(request: JsonObject): DraftRequest | undefined {
  const result = isObject(request.result) ? request.result : {};
  const metadata = isObject(result.metadata) ? result.metadata : {};
  const timings = isObject(result.timings) ? result.timings : {};
  const error = isObject(result.errorDetails) ? result.errorDetails : undefined;
  const model = toNonEmptyText(request.modelId) ?? toNonEmptyText(metadata.modelId);
  const totalMs = readCount(request.elapsedMs) ?? readCount(timings.totalElapsed);
  const firstTokenMs = readCount(timings.firstProgress);
  if (model === undefined && !error) return undefined;
  return {
    model: model ?? '',
    outcome: readOutcome(request, error),
    ...(error && { error: { message: toWellFormedText(error.message) ?? '' } }),
    ...(firstTokenMs !== undefined && { firstTokenMs }),
    ...(totalMs !== undefined && { totalMs }),
    ...readImportedUsage(request, metadata),
  };
}

function readOutcome(request: JsonObject, error: JsonObject | undefined): DraftRequest['outcome'] {
  const state = isObject(request.modelState) ? request.modelState.value : undefined;
  if (state === modelStates.cancelled || request.isCanceled === true) return 'cancelled';
  if (state === modelStates.failed || error) return 'failed';
  return state === modelStates.pending || state === modelStates.needsInput ? 'interrupted' : 'complete';
}

/** Parts of a response that only VS Code needs: progress, and undo positions. */
const ignoredKinds: ReadonlySet<unknown> = new Set([
  'progressMessage',
  'progressTaskSerialized',
  'mcpServersStarting',
  'prepareToolInvocation',
  'undoStop',
  'codeblockUri',
]);

/**
 * Reads the parts of a response. VS Code writes Markdown in pieces, with references to files and symbols between
 * the pieces. These references belong to the text.
 */
function readResponse(response: unknown, reading: ConversationReading): readonly PartRecord[] {
  const parts: PartRecord[] = [];
  const pieces: string[] = [];
  const endText = () => {
    const text = pieces.splice(0).join('');
    if (text.trim() !== '') parts.push({ type: 'text', text });
  };
  for (const part of typeof response === 'string' ? [{ value: response }] : objectsIn(response)) {
    const markdown = readMarkdown(part);
    if (markdown !== undefined) {
      pieces.push(markdown);
      continue;
    }
    const otherParts = readOtherPart(part, reading);
    if (otherParts.length > 0) endText();
    for (const other of otherParts) parts.push(other);
  }
  endText();
  return parts;
}

function readMarkdown(part: JsonObject): string | undefined {
  if (part.kind === undefined) return toWellFormedText(part.value);
  if (part.kind === 'markdownContent' || part.kind === 'markdownVuln') return readString(part.content);
  return part.kind === 'inlineReference' ? formatReference(part) : undefined;
}

/** Reads a string, or VS Code's Markdown object. */
function readString(value: unknown): string | undefined {
  return toWellFormedText(isObject(value) ? value.value : value);
}

function formatReference({ inlineReference, name }: JsonObject): string {
  const reference = isObject(inlineReference) ? inlineReference : {};
  const uri = isObject(reference.uri) ? reference.uri : reference;
  const path = toWellFormedText(uri.path) ?? toWellFormedText(uri.fsPath) ?? '';
  const label =
    toWellFormedText(name) ?? toWellFormedText(reference.name) ?? path.slice(path.lastIndexOf('/') + 1);
  return label === '' ? '' : `\`${label.replaceAll('`', '')}\``;
}

function readOtherPart(part: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  if (part.kind === 'thinking') {
    const pieces = Array.isArray(part.value) ? part.value : [part.value];
    const text = pieces.map((piece) => toWellFormedText(piece) ?? '').join('');
    return text === '' ? [] : [{ type: 'reasoning', text }];
  }
  if (part.kind === 'toolInvocationSerialized') return readToolCall(part, reading);
  return ignoredKinds.has(part.kind) ? [] : [reading.createUnknownPart(part)];
}

function readToolCall(part: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const [id, name] = [toWellFormedText(part.toolCallId) ?? '', toWellFormedText(part.toolId) ?? ''];
  const details = isObject(part.resultDetails) ? part.resultDetails : {};
  const inputText = readString(details.input) ?? readString(part.invocationMessage) ?? '';
  const outputText = toArray(details.output)
    .filter(isObject)
    .filter(({ isText, mimeType }) => isText === true || mimeType === undefined)
    .map(({ value }) => toWellFormedText(value) ?? '')
    .join('\n\n');
  const text = outputText === '' ? (readString(part.pastTenseMessage) ?? '') : outputText;
  const pictures = objectsIn(details.output).flatMap((output) => readPicture(output, reading));
  return [
    { type: 'toolCall', id, name, arguments: inputText },
    ...(text === '' ? [] : [{ type: 'toolResult' as const, id, name, text }]),
    ...pictures,
  ];
}

function readPicture(output: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const { mimeType, value } = output;
  const isPicture = typeof mimeType === 'string' && mimeType.startsWith('image/') && output.isText !== true;
  return isPicture && typeof value === 'string'
    ? [reading.attachBase64(value, { mimeType }, { mimeType })]
    : [];
}

// The kinds of lines.
const initialKind = 0;
const setKind = 1;
const pushKind = 2;
const removeKind = 3;

const firstLinePattern = /^\s*\{\s*"kind"\s*:\s*0\s*,\s*"v"\s*:/;

/**
 * Whether a file with this beginning is a stored session of VS Code: each line changes the state of earlier
 * lines.
 */
export function isSessionLog(head: string): boolean {
  return firstLinePattern.test(head);
}

/** Imports a stored session log of VS Code: one conversation, as far as its lines are complete. */
export async function* importSessionLog(
  lines: AsyncIterable<Piece>,
  { maxConversationBytes: maxBytes, now }: FileImport,
): AsyncGenerator<ImportEvent, void, undefined> {
  const log = new SessionLog();
  const hash = createHash('sha256');
  let size = 0;
  let hasFault = false;
  for await (const piece of lines) {
    const { byte, line } = piece;
    const location = { conversation: 1, byte, line };
    size += piece.type === 'value' ? piece.bytes.length : 0;
    if (size > maxBytes || piece.type !== 'value') {
      yield { type: 'problem', location, problem: explain('import-too-large', { maxBytes }) };
      return;
    }
    hash.update(piece.bytes);
    const parsed = parseJsonBytes(piece.bytes);
    if ('value' in parsed && isObject(parsed.value) && log.applyLine(parsed.value)) continue;
    const problem =
      'cause' in parsed ? explain('import-cut') : explain('import-damaged', { member: `line ${line ?? ''}` });
    yield { type: 'problem', location, problem };
    hasFault = true;
    break;
  }
  const { session } = log;
  if (!session || !vscodeChat.recognizes(session)) {
    if (!hasFault) yield { type: 'problem', location: {}, problem: explain('import-unknown-format') };
    return;
  }
  const reading = new ConversationReading();
  yield createDraftEvent(() => vscodeChat.read(session, { reading, files: new Map() }), {
    reading,
    isDamaged: false,
    now,
    source: 'vscode',
    location: { conversation: 1 },
    fingerprint: () => hash.digest('hex'),
  });
}

/** A session that is read from its log, line by line. */
class SessionLog {
  #session: unknown;

  /** The session after the lines so far. */
  get session(): JsonObject | undefined {
    return isObject(this.#session) ? this.#session : undefined;
  }

  /** @returns false if the line does not fit the earlier lines; the session does not change then */
  applyLine(line: JsonObject): boolean {
    if (line.kind === initialKind) {
      this.#session = line.v;
      return true;
    }
    const path = Array.isArray(line.k) ? line.k : [];
    if (path.length === 0) return false;
    const name = path.at(-1);
    const target = path.slice(0, -1).reduce(getMember, this.#session);
    if (line.kind === pushKind) return pushItems(getMember(target, name), line);
    if (line.kind === setKind) return setMember(target, name, line.v);
    return line.kind === removeKind && setMember(target, name, undefined);
  }
}

/** Returns an own member, not an inherited one. */
function getMember(value: unknown, name: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (typeof name !== 'string' && typeof name !== 'number') return undefined;
  return Object.hasOwn(value, name) ? (value as Record<string | number, unknown>)[name] : undefined;
}

/** @returns false if the target has no such member and it cannot be added */
function setMember(target: unknown, name: unknown, value: unknown): boolean {
  if (Array.isArray(target)) {
    // A huge index would create an array with holes that takes too long to process.
    if (!isCount(name) || name > target.length) return false;
    target[name] = value;
    return true;
  }
  if (!isObject(target) || typeof name !== 'string') return false;
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  return true;
}

function pushItems(target: unknown, { v, i }: JsonObject): boolean {
  if (!Array.isArray(target)) return false;
  if (i !== undefined && !isCount(i)) return false;
  if (i !== undefined) target.length = Math.min(target.length, i);
  for (const value of Array.isArray(v) ? v : []) target.push(value);
  return true;
}
