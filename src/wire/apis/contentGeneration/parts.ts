import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { ChatEvent } from '../../chatEvent.ts';
import type { FunctionCalls } from './calls.ts';

/** Reads one part of a candidate. Proxies use either spelling of its members. */
export function readPart(part: JsonObject, choice: number, calls: FunctionCalls, events: ChatEvent[]): void {
  const signature = nonEmptyString(part.thoughtSignature ?? part.thought_signature);
  const call = part.functionCall ?? part.function_call;
  if (isObject(call)) {
    calls.read(call, signature, choice, events);
    return;
  }
  const text = nonEmptyString(part.text);
  if (part.thought === true) {
    if (text || signature) events.push(reasoning(choice, text ?? '', signature));
    return;
  }
  if (text) events.push({ type: 'text', choice, text });
  else readData(part, choice, events);
  // Any part may carry a signature of the reasoning, also an empty one at the end of a stream.
  if (signature) events.push(reasoning(choice, '', signature));
}

function reasoning(choice: number, text: string, signature: string | undefined): ChatEvent {
  return { type: 'reasoning', choice, text, ...(signature && { signature }) };
}

function readData(part: JsonObject, choice: number, events: ChatEvent[]): void {
  const inline = part.inlineData ?? part.inline_data;
  if (isObject(inline)) readInlineData(inline, choice, events);
  const file = part.fileData ?? part.file_data;
  if (isObject(file)) readFile(file, choice, events);
  const code = part.executableCode ?? part.executable_code;
  if (isObject(code))
    readFenced((nonEmptyString(code.language) ?? '').toLowerCase(), code.code, choice, events);
  const result = part.codeExecutionResult ?? part.code_execution_result;
  if (isObject(result)) readFenced('', result.output, choice, events);
}

function readInlineData(inline: JsonObject, choice: number, events: ChatEvent[]): void {
  const data = nonEmptyString(inline.data);
  if (!data) return;
  const mimeType = nonEmptyString(inline.mimeType ?? inline.mime_type) ?? 'application/octet-stream';
  events.push({ type: 'media', choice, mimeType, data });
}

function readFile(file: JsonObject, choice: number, events: ChatEvent[]): void {
  const url = nonEmptyString(file.fileUri ?? file.file_uri);
  if (!url) return;
  const mimeType = nonEmptyString(file.mimeType ?? file.mime_type) ?? 'application/octet-stream';
  events.push({ type: 'mediaLink', choice, mimeType, url });
}

/** Code that the provider ran, and its output, belong to the answer. */
function readFenced(language: string, code: unknown, choice: number, events: ChatEvent[]): void {
  const body = nonEmptyString(code);
  if (!body) return;
  const longest = (body.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  const text = `\n${fence}${/^[\w+-]{0,30}$/.test(language) ? language : ''}\n${body.trimEnd()}\n${fence}\n`;
  events.push({ type: 'text', choice, text });
}

/** The sources of an answer, each reported once. */
export class Citations {
  readonly #told = new Set<string>();

  read(candidate: JsonObject, choice: number, events: ChatEvent[]): void {
    const sources = candidate.citationMetadata ?? candidate.citation_metadata;
    if (isObject(sources)) {
      for (const source of entries(sources.citations ?? sources.citationSources)) {
        this.#tell(source, choice, events);
      }
    }
    const grounding = candidate.groundingMetadata ?? candidate.grounding_metadata;
    if (!isObject(grounding)) return;
    for (const chunk of entries(grounding.groundingChunks ?? grounding.grounding_chunks)) {
      const source = chunk.web ?? chunk.retrievedContext ?? chunk.retrieved_context ?? chunk.maps;
      if (isObject(source)) this.#tell(source, choice, events);
    }
  }

  #tell(source: JsonObject, choice: number, events: ChatEvent[]): void {
    const url = nonEmptyString(source.uri);
    const title = nonEmptyString(source.title);
    const key = url ?? title;
    if (!key || this.#told.has(key)) return;
    this.#told.add(key);
    events.push({ type: 'citation', choice, ...(url && { url }), ...(title && { title }) });
  }
}

function entries(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
