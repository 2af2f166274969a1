import { isObject, type JsonObject, objectsIn } from '../../../base/json.ts';
import type { PartRecord } from '../../conversation/conversationRecord.ts';
import type {
  ConversationDraft,
  DraftRequest,
  JsonFormat,
  MessageDraft,
} from '../reading/conversationDraft.ts';
import type { ConversationReading } from '../reading/conversationReading.ts';
import { arrayOf, countOf, someText, wellFormedText } from '../reading/fieldValues.ts';
import { importedUsage } from '../reading/importedUsage.ts';

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
      const before = messages.at(-1)?.id;
      const question = questionDraft(request, nth, before, reading);
      messages.push(question);
      const reply = replyDraft(request, nth, question.id, reading);
      if (reply) messages.push(reply);
    }
    return {
      id: someText(object.sessionId),
      title: wellFormedText(object.customTitle) ?? wellFormedText(object.computedTitle),
      createdAt: reading.time(object.creationDate),
      changedAt: reading.time(object.lastMessageDate),
      head: undefined,
      messages,
      ...reading.extra(object, sessionFields),
    };
  },
};

function idOf(id: unknown, kind: string, nth: number): string {
  return someText(id) ?? `${kind}-${nth + 1}`;
}

function questionDraft(
  request: JsonObject,
  nth: number,
  parent: string | undefined,
  reading: ConversationReading,
): MessageDraft {
  const { message } = request;
  const { text, ...rest } = isObject(message) ? message : { text: message };
  const words: readonly PartRecord[] =
    typeof text === 'string'
      ? [{ type: 'text', text: text.toWellFormed() }]
      : reading.unreadParts('text', text);
  return {
    id: idOf(request.requestId, 'request', nth),
    parent,
    role: 'user',
    createdAt: reading.time(request.timestamp),
    parts: [...variableParts(request, reading), ...words],
    ...reading.extra({ ...request, message: withoutText(rest) }, requestFields),
  };
}

/** Removes the parts of a question that only repeat its text. */
function withoutText(message: JsonObject): JsonObject {
  const { parts, ...rest } = message;
  return Array.isArray(parts)
    ? { ...rest, parts: parts.filter((part: unknown) => !isObject(part) || part.kind !== 'text') }
    : message;
}

/** The attachments of a question. Pictures are included; other attachments only have a name. */
function variableParts({ variableData }: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const variables = isObject(variableData) ? objectsIn(variableData.variables) : [];
  return variables.map((variable) => {
    if (variable.kind !== 'image') return reading.unknownPart(variable);
    const { mimeType, name, value } = variable;
    const base64 = isObject(value) ? value.$base64 : undefined;
    if (typeof base64 === 'string') return reading.attachBase64(base64, { mimeType, name }, { name });
    const bytes = byteValues(value);
    return bytes
      ? reading.attach(bytes, { mimeType, name })
      : reading.missingPart({ kind: 'image', mimeType }, name);
  });
}

/** Bytes in JSON form: an array, or an object with indices. */
function byteValues(value: unknown): Uint8Array | undefined {
  const values = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  const areBytes = values.every((each) => (countOf(each) ?? 256) < 256);
  return values.length > 0 && areBytes ? Uint8Array.from(values as number[]) : undefined;
}

function replyDraft(
  request: JsonObject,
  nth: number,
  parent: string | undefined,
  reading: ConversationReading,
): MessageDraft | undefined {
  const parts = responseParts(request.response, reading);
  const replyRequest = requestOf(request);
  if (parts.length === 0 && replyRequest?.outcome !== 'failed') return undefined;
  return {
    id: idOf(request.responseId, 'response', nth),
    parent,
    role: 'assistant',
    createdAt: reading.time(request.responseTimestamp),
    state: replyRequest?.outcome === 'interrupted' ? 'stopped' : 'done',
    parts,
    ...(replyRequest && { request: replyRequest }),
    ...reading.extra({ result: request.result, modelState: request.modelState }, new Set()),
  };
}

function requestOf(request: JsonObject): DraftRequest | undefined {
  const result = isObject(request.result) ? request.result : {};
  const metadata = isObject(result.metadata) ? result.metadata : {};
  const timings = isObject(result.timings) ? result.timings : {};
  const error = isObject(result.errorDetails) ? result.errorDetails : undefined;
  const model = someText(request.modelId) ?? someText(metadata.modelId);
  const totalMs = countOf(request.elapsedMs) ?? countOf(timings.totalElapsed);
  const firstTokenMs = countOf(timings.firstProgress);
  if (model === undefined && !error) return undefined;
  return {
    model: model ?? '',
    outcome: outcomeOf(request, error),
    ...(error && { error: { message: wellFormedText(error.message) ?? '' } }),
    ...(firstTokenMs !== undefined && { firstTokenMs }),
    ...(totalMs !== undefined && { totalMs }),
    ...importedUsage(request, metadata),
  };
}

function outcomeOf(request: JsonObject, error: JsonObject | undefined): DraftRequest['outcome'] {
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
 * The parts of a response. VS Code writes Markdown in pieces, with references to files and symbols between
 * them; these belong to the text.
 */
function responseParts(response: unknown, reading: ConversationReading): readonly PartRecord[] {
  const parts: PartRecord[] = [];
  const pieces: string[] = [];
  const endText = () => {
    const text = pieces.splice(0).join('');
    if (text.trim() !== '') parts.push({ type: 'text', text });
  };
  for (const part of typeof response === 'string' ? [{ value: response }] : objectsIn(response)) {
    const words = markdownOf(part);
    if (words !== undefined) {
      pieces.push(words);
      continue;
    }
    const others = otherParts(part, reading);
    if (others.length > 0) endText();
    for (const other of others) parts.push(other);
  }
  endText();
  return parts;
}

function markdownOf(part: JsonObject): string | undefined {
  if (part.kind === undefined) return wellFormedText(part.value);
  if (part.kind === 'markdownContent' || part.kind === 'markdownVuln') return stringValue(part.content);
  return part.kind === 'inlineReference' ? referenceName(part) : undefined;
}

/** A string, or VS Code's Markdown object. */
function stringValue(value: unknown): string | undefined {
  return wellFormedText(isObject(value) ? value.value : value);
}

function referenceName({ inlineReference, name }: JsonObject): string {
  const reference = isObject(inlineReference) ? inlineReference : {};
  const uri = isObject(reference.uri) ? reference.uri : reference;
  const path = wellFormedText(uri.path) ?? wellFormedText(uri.fsPath) ?? '';
  const words =
    wellFormedText(name) ?? wellFormedText(reference.name) ?? path.slice(path.lastIndexOf('/') + 1);
  return words === '' ? '' : `\`${words.replaceAll('`', '')}\``;
}

function otherParts(part: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  if (part.kind === 'thinking') {
    const pieces = Array.isArray(part.value) ? part.value : [part.value];
    const text = pieces.map((piece) => wellFormedText(piece) ?? '').join('');
    return text === '' ? [] : [{ type: 'reasoning', text }];
  }
  if (part.kind === 'toolInvocationSerialized') return toolParts(part, reading);
  return ignoredKinds.has(part.kind) ? [] : [reading.unknownPart(part)];
}

function toolParts(part: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const [id, name] = [wellFormedText(part.toolCallId) ?? '', wellFormedText(part.toolId) ?? ''];
  const details = isObject(part.resultDetails) ? part.resultDetails : {};
  const inputText = stringValue(details.input) ?? stringValue(part.invocationMessage) ?? '';
  const outputText = arrayOf(details.output)
    .filter(isObject)
    .filter(({ isText, mimeType }) => isText === true || mimeType === undefined)
    .map(({ value }) => wellFormedText(value) ?? '')
    .join('\n\n');
  const text = outputText === '' ? (stringValue(part.pastTenseMessage) ?? '') : outputText;
  const pictures = objectsIn(details.output).flatMap((output) => pictureParts(output, reading));
  return [
    { type: 'toolCall', id, name, arguments: inputText },
    ...(text === '' ? [] : [{ type: 'toolResult' as const, id, name, text }]),
    ...pictures,
  ];
}

function pictureParts(output: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const { mimeType, value } = output;
  const isPicture = typeof mimeType === 'string' && mimeType.startsWith('image/') && output.isText !== true;
  return isPicture && typeof value === 'string'
    ? [reading.attachBase64(value, { mimeType }, { mimeType })]
    : [];
}
