import { isObject, type JsonObject, parseJson } from '../../../base/json.ts';
import { stringOf } from './encoding.ts';

// A tool that is called with text in place of arguments, as Codex's apply_patch is, is a function in other formats:
// there the text is the only field of its arguments.

/** The schema of the arguments of a function that stands for such a tool. */
export const customParameters = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
  required: ['input'],
  additionalProperties: false,
} as const;

/** The names of such tools, as chat completions have them. */
export function customNames(tools: unknown): ReadonlySet<string> {
  const all: readonly unknown[] = Array.isArray(tools) ? tools : [];
  return new Set(
    all.flatMap((tool) =>
      isObject(tool) && tool.type === 'custom' && isObject(tool.custom) ? stringOf(tool.custom.name) : [],
    ),
  );
}

/** The arguments of a call with a text. */
export function customArguments(input: string): string {
  return JSON.stringify({ input });
}

/** The text of a call. Arguments of another form are the text themselves: models may write it without the field. */
export function customInput(text: string): string {
  const told = parseJson(text);
  if (!isObject(told)) return text;
  if (typeof told.input === 'string') return told.input;
  return Object.keys(told).length === 0 ? '' : text;
}

/** Where the text of a call begins, in arguments of the usual form. */
const inputStart = /^\s*\{\s*"input"\s*:\s*"/;

/** What may still become such a beginning. */
const partOfStart = /^\s*(?:\{\s*(?:"(?:i(?:n(?:p(?:u(?:t(?:"\s*(?::\s*)?)?)?)?)?)?)?)?)?$/;
const maxStartLength = 200;

/**
 * Reads the text of a call while its arguments come. The text in arguments of another form is known only once they
 * are whole.
 */
export class CustomInputReader {
  /** Arguments that are not read yet. */
  #unread = '';
  #place: 'start' | 'text' | 'behind' = 'start';
  #told = '';

  /** @returns what the next piece of the arguments adds to the text */
  add(piece: string): string {
    if (this.#place === 'behind') return '';
    this.#unread += piece;
    if (this.#place === 'start') this.#findStart();
    return this.#place === 'text' ? this.#read() : '';
  }

  /** @returns the rest of the text, once the arguments are whole */
  end(args: string): string {
    const text = customInput(args);
    return text.startsWith(this.#told) ? text.slice(this.#told.length) : '';
  }

  #findStart(): void {
    const [start] = inputStart.exec(this.#unread) ?? [];
    if (start !== undefined) {
      this.#place = 'text';
      this.#unread = this.#unread.slice(start.length);
    } else if (this.#unread.length > maxStartLength || !partOfStart.test(this.#unread))
      this.#place = 'behind';
  }

  /** Reads up to the closing quote, or to an escape that is not whole yet. */
  #read(): string {
    const unread = this.#unread;
    let at = 0;
    while (at < unread.length && unread[at] !== '"') {
      const isEscape = unread[at] === '\\';
      const length = isEscape ? (unread[at + 1] === 'u' ? 6 : 2) : 1;
      if (at + length > unread.length) break;
      at += length;
    }
    const text = parseJson(`"${unread.slice(0, at)}"`);
    if (unread[at] === '"' || typeof text !== 'string') this.#place = 'behind';
    this.#unread = unread.slice(at);
    const told = typeof text === 'string' ? text : '';
    this.#told += told;
    return told;
  }
}

/** What the grammar of a tool is in words for the model; undefined where any text is an input. */
export function grammarWords(format: JsonObject): string | undefined {
  const { type, syntax, definition } = format;
  if (type !== 'grammar' || typeof definition !== 'string') return undefined;
  return `The input has to follow this grammar (${stringOf(syntax)}):\n\n${definition}`;
}
