import { isObject, parseJson } from '../../base/json.ts';

/** The one string of a payload that differs between events: a member of an object within it. */
export interface ChangingText {
  readonly holder: Record<string, unknown>;
  readonly member: string;
}

/** A parsed payload, and the JSON text around its changing string. */
interface Template {
  readonly before: string;
  readonly after: string;
  readonly payload: unknown;
  readonly changing: ChangingText;
}

/** Text in a JSON string without escapes. */
const PLAIN_TEXT = /^[^"\\\p{Cc}]*$/u;

/**
 * Parses the events of one stream. Most differ only in their text; such an event is not parsed again, which
 * saves most of the cost of a stream. The payload of the event before is returned with the new text, so a
 * payload is valid only until the next call.
 */
export class TemplateParser {
  readonly #changingText: (payload: unknown) => ChangingText | undefined;
  #template: Template | undefined;

  /** @param changingText finds the text in a payload of the usual kind */
  constructor(changingText: (payload: unknown) => ChangingText | undefined) {
    this.#changingText = changingText;
  }

  /** @returns the value of the JSON text; undefined when it is none */
  parse(json: string): unknown {
    const template = this.#template;
    const text = template && textBetween(json, template.before, template.after);
    if (template && text !== undefined) {
      template.changing.holder[template.changing.member] = text;
      return template.payload;
    }
    const payload = parseJson(json);
    // An event of another kind may come between two usual ones.
    this.#template = templateOf(json, payload, this.#changingText(payload)) ?? template;
    return payload;
  }
}

/**
 * The text of an event that otherwise equals the template. Comparing slices is five times faster than
 * `startsWith` when only one string is Latin-1.
 */
function textBetween(json: string, before: string, after: string): string | undefined {
  const end = json.length - after.length;
  if (end < before.length || json.slice(0, before.length) !== before || json.slice(end) !== after)
    return undefined;
  const text = json.slice(before.length, end);
  return PLAIN_TEXT.test(text) ? text : unescaped(text);
}

function unescaped(text: string): string | undefined {
  const value = parseJson(`"${text}"`);
  return typeof value === 'string' ? value : undefined;
}

/** Makes a template only where it is certain: the member occurs once, without escapes. */
function templateOf(
  json: string,
  payload: unknown,
  changing: ChangingText | undefined,
): Template | undefined {
  if (!changing || json.includes('\\')) return undefined;
  const { holder, member } = changing;
  const text = holder[member];
  const opening = new RegExp(`"${member}"\\s*:\\s*"`);
  const key = opening.exec(json);
  if (!key || typeof text !== 'string') return undefined;
  const start = key.index + key[0].length;
  const after = json.slice(start + text.length);
  if (!json.startsWith(`${text}"`, start) || opening.test(after)) return undefined;
  return { before: json.slice(0, start), after, payload, changing };
}

/** The changing text, if `holder` has it as a member. */
export function textMember(holder: unknown, ...members: readonly string[]): ChangingText | undefined {
  if (!isObject(holder)) return undefined;
  const member = members.find((name) => typeof holder[name] === 'string');
  return member === undefined ? undefined : { holder, member };
}
