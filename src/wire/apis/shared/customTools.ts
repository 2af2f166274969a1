import { isObject, objectsIn, parseJson } from '../../../base/json.ts';
import { stringOrEmpty } from './messageParts.ts';

// A custom tool, such as apply_patch of Codex, is called with text instead of arguments. In other formats it is a
// function, and the text is the only field of its arguments.

/** The names of the custom tools in chat completions. */
export function readCustomNames(tools: unknown): ReadonlySet<string> {
  return new Set(
    objectsIn(tools).flatMap(({ type, custom }) =>
      type === 'custom' && isObject(custom) ? stringOrEmpty(custom.name) : [],
    ),
  );
}

/** The arguments of the function call that replaces a call of a custom tool. */
export function writeCustomArguments(input: string): string {
  return JSON.stringify({ input });
}

/** The text in the arguments of a call. Models may omit the field, so other arguments are the text themselves. */
export function readCustomInput(text: string): string {
  const parsed = parseJson(text);
  if (!isObject(parsed)) return text;
  if (typeof parsed.input === 'string') return parsed.input;
  return Object.keys(parsed).length === 0 ? '' : text;
}

/** The beginning of the arguments `{"input": "…"}`, up to the text. */
const inputStart = /^\s*\{\s*"input"\s*:\s*"/;

/** Matches incomplete texts that may become such a beginning. */
const partOfStart = /^\s*(?:\{\s*(?:"(?:i(?:n(?:p(?:u(?:t(?:"\s*(?::\s*)?)?)?)?)?)?)?)?)?$/;
const maxStartLength = 200;

/**
 * Reads the text of a call while its arguments arrive. In arguments of another form, the text is known only once
 * they are complete.
 */
export class CustomInputReader {
  /** Arguments that are not read yet. */
  #unread = '';
  #position: 'start' | 'text' | 'end' = 'start';
  #emitted = '';

  /** @returns the text in the next piece of the arguments */
  add(piece: string): string {
    if (this.#position === 'end') return '';
    this.#unread += piece;
    if (this.#position === 'start') this.#findStart();
    return this.#position === 'text' ? this.#read() : '';
  }

  /** @returns the rest of the text, once the arguments are complete */
  end(args: string): string {
    const text = readCustomInput(args);
    return text.startsWith(this.#emitted) ? text.slice(this.#emitted.length) : '';
  }

  #findStart(): void {
    const [start] = inputStart.exec(this.#unread) ?? [];
    if (start !== undefined) {
      this.#position = 'text';
      this.#unread = this.#unread.slice(start.length);
    } else if (this.#unread.length > maxStartLength || !partOfStart.test(this.#unread))
      this.#position = 'end';
  }

  /** Reads up to the closing quote, or to an incomplete escape. */
  #read(): string {
    const unread = this.#unread;
    let end = 0;
    while (end < unread.length && unread[end] !== '"') {
      const isEscape = unread[end] === '\\';
      const length = isEscape ? (unread[end + 1] === 'u' ? 6 : 2) : 1;
      if (end + length > unread.length) break;
      end += length;
    }
    const text = parseJson(`"${unread.slice(0, end)}"`);
    if (unread[end] === '"' || typeof text !== 'string') this.#position = 'end';
    this.#unread = unread.slice(end);
    const newText = stringOrEmpty(text);
    this.#emitted += newText;
    return newText;
  }
}
