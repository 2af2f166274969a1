import { isObject, type JsonObject, nonEmptyString, parseExactJson } from '../../../base/json.ts';
import type { SaidReasoning, SaidRecorder } from '../../stream/saidRecorder.ts';

type Block = Record<string, unknown>;

/** Records the content blocks of one message. */
export class MessagesSaid implements SaidRecorder {
  readonly #blocks: Block[] = [];
  readonly #open = new Map<unknown, Block>();
  /** The JSON text of the input of calls. */
  readonly #inputs = new Map<Block, string>();

  read({ type, index, content_block: block, delta, content }: JsonObject): void {
    if (Array.isArray(content) && type !== 'content_block_delta') {
      for (const each of content) if (isObject(each)) this.#blocks.push(structuredClone(each));
    } else if (type === 'content_block_start' && isObject(block)) {
      const copy = structuredClone(block);
      this.#blocks.push(copy);
      this.#open.set(index, copy);
    } else if (type === 'content_block_delta' && isObject(delta)) {
      const open = this.#open.get(index);
      if (open) this.#extend(open, delta);
    }
  }

  get reasoning(): SaidReasoning | undefined {
    const blocks = this.#blocks.filter(({ type }) => type === 'thinking' || type === 'redacted_thinking');
    if (blocks.length === 0) return undefined;
    return blocks.every(({ type, signature }) => type === 'redacted_thinking' || signature)
      ? 'signed'
      : 'plain';
  }

  said(ids: readonly (string | undefined)[]): readonly JsonObject[] {
    let calls = 0;
    return this.#blocks.filter(saysSomething).flatMap((block) => {
      if (block.type !== 'tool_use') return [block];
      const id = ids[calls++];
      return id === undefined ? [] : [{ ...block, id, input: this.#inputOf(block) }];
    });
  }

  #extend(block: Block, delta: JsonObject): void {
    switch (delta.type) {
      case 'text_delta':
        block.text = `${block.text ?? ''}${delta.text ?? ''}`;
        break;
      case 'thinking_delta':
        block.thinking = `${block.thinking ?? ''}${delta.thinking ?? ''}`;
        break;
      case 'signature_delta':
        block.signature = delta.signature;
        break;
      case 'input_json_delta':
        this.#inputs.set(block, (this.#inputs.get(block) ?? '') + (nonEmptyString(delta.partial_json) ?? ''));
        break;
      case 'citations_delta':
        if (Array.isArray(block.citations)) block.citations.push(delta.citation);
        else block.citations = [delta.citation];
    }
  }

  #inputOf(block: Block): unknown {
    const text = this.#inputs.get(block);
    return text === undefined || text === '' ? (block.input ?? {}) : parseExactJson(text);
  }
}

/** Providers refuse blank text. */
function saysSomething({ type, text }: Block): boolean {
  return type !== 'text' || (typeof text === 'string' && text.trim() !== '');
}
