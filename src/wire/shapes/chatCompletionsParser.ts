import { isObject, parseJson } from '../json.ts';

/** A parsed chunk and the JSON text around the one string in it that changes. */
interface Template {
  readonly before: string;
  readonly after: string;
  readonly payload: unknown;
  readonly delta: { content: string };
}

const CONTENT_KEY = /"content"\s*:\s*"/;

/** What may stand between the quotes of a JSON string and means itself. */
const PLAIN_TEXT = /^[^"\\\p{Cc}]*$/u;

/**
 * Parses the chunks of one stream. They are alike but for the text they add: a chunk that swaps just that
 * text is not parsed again, which is most of what a stream costs. The payload of the chunk before is
 * handed out once more with the new text in it, so a payload is good only until the next one is parsed.
 */
export class ChunkParser {
  #template: Template | undefined;

  /** The value of the JSON text; undefined when it is none. */
  parse(json: string): unknown {
    const template = this.#template;
    const text = template && textBetween(json, template.before, template.after);
    if (template && text !== undefined) {
      template.delta.content = text;
      return template.payload;
    }
    const payload = parseJson(json);
    // A text with escapes in it interrupts the pattern, but does not end it.
    this.#template = templateOf(json, payload) ?? template;
    return payload;
  }
}

/** Compares slices: `startsWith` is five times slower where one string is Latin-1 and the other is not. */
function textBetween(json: string, before: string, after: string): string | undefined {
  const end = json.length - after.length;
  if (end < before.length || json.slice(0, before.length) !== before || json.slice(end) !== after)
    return undefined;
  const text = json.slice(before.length, end);
  return PLAIN_TEXT.test(text) ? text : undefined;
}

/** A template only where there can be no doubt: one choice, and one content, which is plain text. */
function templateOf(json: string, payload: unknown): Template | undefined {
  const choices = isObject(payload) ? payload.choices : undefined;
  const choice: unknown = Array.isArray(choices) && choices.length === 1 ? choices[0] : undefined;
  const delta = isObject(choice) ? choice.delta : undefined;
  if (!hasContent(delta)) return undefined;
  const key = CONTENT_KEY.exec(json);
  if (!key) return undefined;
  const start = key.index + key[0].length;
  const before = json.slice(0, start);
  const after = json.slice(start + delta.content.length);
  const plain = json.startsWith(`${delta.content}"`, start) && PLAIN_TEXT.test(delta.content);
  return plain && !CONTENT_KEY.test(after) ? { before, after, payload, delta } : undefined;
}

function hasContent(delta: unknown): delta is { content: string } {
  return isObject(delta) && typeof delta.content === 'string';
}
