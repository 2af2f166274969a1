import { deepJsonText, isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { ChatEvent } from '../../chatEvent.ts';

/** The prefix of a signature that is the data of a redacted thinking block, and is sent back as such a block. */
export const redactedThinking = 'redacted_thinking:';

interface ToolCall {
  readonly position: number;
  /** The input at the start of the block: `{}` in a stream, otherwise all of it. */
  readonly input: unknown;
  hasArguments: boolean;
}

/** Reads the content blocks of one message. Blocks of unknown types are ignored with their deltas. */
export class MessagesBlocks {
  /** Open tool calls by the index of their block. */
  readonly #calls = new Map<unknown, ToolCall>();
  #callCount = 0;

  start({ index, content_block: block }: JsonObject, events: ChatEvent[]): void {
    this.stop({ index }, events);
    if (!isObject(block)) return;
    switch (block.type) {
      case 'text':
        addText('text', block.text, events);
        if (Array.isArray(block.citations)) for (const each of block.citations) addCitation(each, events);
        break;
      case 'thinking':
        addText('reasoning', block.thinking, events);
        addSignature(nonEmptyString(block.signature), events);
        break;
      case 'redacted_thinking': {
        const data = nonEmptyString(block.data);
        addSignature(data && redactedThinking + data, events);
        break;
      }
      case 'tool_use':
        this.#startCall(index, block, events);
        break;
    }
  }

  readDelta({ index, delta }: JsonObject, events: ChatEvent[]): void {
    if (!isObject(delta)) return;
    switch (delta.type) {
      case 'text_delta':
        addText('text', delta.text, events);
        break;
      case 'thinking_delta':
        addText('reasoning', delta.thinking, events);
        break;
      case 'signature_delta':
        addSignature(nonEmptyString(delta.signature), events);
        break;
      case 'citations_delta':
        addCitation(delta.citation, events);
        break;
      case 'input_json_delta':
        this.#addArguments(this.#calls.get(index), nonEmptyString(delta.partial_json), events);
        break;
    }
  }

  stop({ index }: JsonObject, events: ChatEvent[]): void {
    const call = this.#calls.get(index);
    if (!call) return;
    // A call without arguments streams no input. Its input is an empty object.
    const { input } = call;
    if (!call.hasArguments)
      this.#addArguments(call, typeof input === 'string' ? input : deepJsonText(input ?? {}), events);
    this.#calls.delete(index);
  }

  /** Ends the blocks that have not ended. */
  stopAll(events: ChatEvent[]): void {
    for (const index of [...this.#calls.keys()]) this.stop({ index }, events);
  }

  #startCall(index: unknown, block: JsonObject, events: ChatEvent[]): void {
    const position = this.#callCount++;
    const id = nonEmptyString(block.id);
    const name = nonEmptyString(block.name);
    this.#calls.set(index, { position, input: block.input, hasArguments: false });
    events.push({ type: 'toolCall', choice: 0, index: position, ...(id && { id }), ...(name && { name }) });
  }

  #addArguments(call: ToolCall | undefined, text: string | undefined, events: ChatEvent[]): void {
    if (!call || text === undefined) return;
    call.hasArguments = true;
    events.push({ type: 'toolCall', choice: 0, index: call.position, arguments: text });
  }
}

function addText(type: 'text' | 'reasoning', text: unknown, events: ChatEvent[]): void {
  if (typeof text === 'string' && text !== '') events.push({ type, choice: 0, text });
}

function addSignature(signature: string | undefined, events: ChatEvent[]): void {
  if (signature) events.push({ type: 'reasoning', choice: 0, text: '', signature });
}

/** Reports a source: a page with an address, or a document of the request, perhaps without title and address. */
function addCitation(citation: unknown, events: ChatEvent[]): void {
  if (!isObject(citation)) return;
  const url = nonEmptyString(citation.url);
  const title =
    nonEmptyString(citation.title) ??
    nonEmptyString(citation.document_title) ??
    nonEmptyString(citation.cited_text);
  if (url || title)
    events.push({ type: 'citation', choice: 0, ...(url && { url }), ...(title && { title }) });
}
