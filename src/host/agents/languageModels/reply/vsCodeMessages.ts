import { isObject, type JsonObject, jsonText } from '../../../../base/json.ts';
import type { ForeignMessage, ForeignPart, ForeignResult } from '../../../../wire/message.ts';
import { messageFields } from '../list/unpublishedFields.ts';

/**
 * A message from VS Code. The types of its parts are recognized by their members, because hosts use different classes.
 */
export interface VsCodeMessage {
  readonly role: number;
  readonly content: Iterable<unknown>;
}

/** VS Code's number of the assistant's role. */
const assistantRole = 2;

/** Replaces a result, or a part of it, that is neither text nor a picture. */
const unreadableNote = '[A part of this result has a form that cannot be sent.]';

/** Reads the messages. Skips parts with reasoning, which is sent from the stored turns. */
export function readVsCodeMessages(messages: readonly VsCodeMessage[]): readonly ForeignMessage[] {
  const names = new Map<string, string>();
  return messages.map(({ role, content }) => {
    const parts: ForeignPart[] = [];
    for (const part of content) {
      if (!isObject(part)) continue;
      if (part.mimeType === messageFields.cacheMark) markLastPart(parts);
      else parts.push(...readPart(part, names));
    }
    return { role: readRole(role), parts };
  });
}

function readRole(role: number): ForeignMessage['role'] {
  if (role === messageFields.systemRole) return 'system';
  return role === assistantRole ? 'assistant' : 'user';
}

function markLastPart(parts: ForeignPart[]): void {
  const last = parts.pop();
  if (last) parts.push({ ...last, cacheMark: { member: messageFields.cacheMark } });
}

function readPart(part: JsonObject, names: Map<string, string>): readonly ForeignPart[] {
  const { callId, name, input, content } = part;
  if (typeof callId === 'string' && typeof name === 'string') {
    names.set(callId, name);
    return [{ type: 'toolCall', id: callId, name, arguments: jsonText(input ?? {}) ?? '{}' }];
  }
  if (typeof callId === 'string') return [readResult(callId, names.get(callId) ?? '', part, content)];
  const data = readData(part);
  if (data) return data.type === 'text' ? textParts(data.text) : [data];
  return isTextPart(part) ? textParts(part.value) : [];
}

function isTextPart(part: JsonObject): part is { readonly value: string } {
  return typeof part.value === 'string' && !messageFields.isThinking(part);
}

function textParts(text: string): readonly ForeignPart[] {
  return text === '' ? [] : [{ type: 'text', text: text.toWellFormed() }];
}

function readResult(id: string, name: string, part: JsonObject, content: unknown): ForeignResult {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  const readParts = parts.filter(isObject).flatMap(readResultPart);
  const pictures = readParts.filter((part) => part.type === 'image');
  const text = readParts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return {
    type: 'toolResult',
    id,
    name,
    text: text.toWellFormed(),
    ...(pictures.length > 0 && { pictures }),
    ...(messageFields.isError(part) && { hasFailed: true }),
  };
}

type ResultPart = Extract<ForeignPart, { type: 'text' | 'image' }>;

function readResultPart(part: JsonObject): readonly ResultPart[] {
  if (part.mimeType === messageFields.cacheMark) return [];
  const data = readData(part);
  if (data) return [data.type === 'document' ? { type: 'text', text: unreadableNote } : data];
  if (typeof part.mimeType === 'string') return [];
  return [{ type: 'text', text: typeof part.value === 'string' ? part.value : unreadableNote }];
}

/**
 * Reads a data part for models: a picture, a document, or text. Returns undefined for other data parts, which are
 * internal data of hosts.
 */
function readData({
  mimeType,
  data,
}: JsonObject): Extract<ForeignPart, { type: 'text' | 'image' | 'document' }> | undefined {
  if (typeof mimeType !== 'string' || !(data instanceof Uint8Array)) return undefined;
  const base64 = () => Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
  if (mimeType.startsWith('image/')) return { type: 'image', mimeType, data: base64() };
  if (mimeType === 'application/pdf') return { type: 'document', mimeType, data: base64() };
  const isReadable = mimeType.startsWith('text/') || /^application\/(?:[\w.-]+\+)?json\b/.test(mimeType);
  return isReadable ? { type: 'text', text: new TextDecoder().decode(data) } : undefined;
}

/** The placeholder for the missing result of a call. */
const missingResult = 'The tool was not run.';

/**
 * Arranges the messages around tool calls as every provider requires: the results of a turn together in one
 * message right after it, one for each call, and no result without a call.
 */
export function arrangeToolTurns(messages: readonly ForeignMessage[]): readonly ForeignMessage[] {
  const arranged: ForeignMessage[] = [];
  for (const message of joinResults(messages)) {
    const calls = listCalls(arranged.at(-1));
    if (message.role === 'user') arranged.push(withResults(calls, message));
    else {
      if (calls.length > 0) arranged.push(withResults(calls, { role: 'user', parts: [] }));
      arranged.push(message);
    }
  }
  const calls = listCalls(arranged.at(-1));
  if (calls.length > 0) arranged.push(withResults(calls, { role: 'user', parts: [] }));
  return arranged;
}

type Call = Extract<ForeignPart, { type: 'toolCall' }>;

function listCalls(message: ForeignMessage | undefined): readonly Call[] {
  if (message?.role !== 'assistant') return [];
  return message.parts.filter((part): part is Call => part.type === 'toolCall');
}

/** Joins the results of a turn in one message, because hosts send each result as its own message. */
function joinResults(messages: readonly ForeignMessage[]): readonly ForeignMessage[] {
  const joined: ForeignMessage[] = [];
  let last: { readonly parts: ForeignPart[]; hasResult: boolean } | undefined;
  for (const message of messages) {
    if (message.role !== 'user') {
      joined.push(message);
      last = undefined;
      continue;
    }
    const hasResult = message.parts.some(isResult);
    if (last && (last.hasResult || hasResult)) {
      for (const part of message.parts) last.parts.push(part);
      last.hasResult = true;
    } else {
      last = { parts: [...message.parts], hasResult };
      joined.push({ role: 'user', parts: last.parts });
    }
  }
  return joined;
}

function isResult(part: ForeignPart): part is ForeignPart & ForeignResult {
  return part.type === 'toolResult';
}

/** The message with one result for each call at its beginning. */
function withResults(calls: readonly Call[], { role, parts }: ForeignMessage): ForeignMessage {
  const results = new Map(parts.filter(isResult).map((result) => [result.id, result]));
  const orderedResults = calls.map(
    ({ id, name }): ForeignPart => results.get(id) ?? { type: 'toolResult', id, name, text: missingResult },
  );
  const callIds = new Set(calls.map(({ id }) => id));
  const others = parts.flatMap((part) => {
    if (!isResult(part)) return [part];
    return callIds.has(part.id) ? [] : resultAsText(part);
  });
  return { role, parts: [...orderedResults, ...others] };
}

/** A result whose call is missing, as text. Hosts remove the beginning of long conversations. */
function resultAsText({ name, text, pictures = [] }: ForeignResult): readonly ForeignPart[] {
  const owner = name === '' ? 'an earlier tool call' : name;
  return [{ type: 'text', text: `Result of ${owner}:\n${text}` }, ...pictures];
}
