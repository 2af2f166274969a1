import { isObject, parseJson } from '../../base/json.ts';

/** The one string of a payload that changes from event to event: a member of an object within it. */
export interface ChangingText {
  readonly holder: Record<string, unknown>;
  readonly member: string;
}

/** A parsed payload and the JSON text around the one string in it that changes. */
interface Template {
  readonly before: string;
  readonly after: string;
  readonly payload: unknown;
  readonly changing: ChangingText;
}

/** What may stand between the quotes of a JSON string and means itself. */
const PLAIN_TEXT = /^[^"\\\p{Cc}]*$/u;

/**
 * Parses the events of one stream. They are alike but for the text they add: an event that swaps just that
 * text is not parsed again, which is most of what a stream costs. The payload of the event before is
 * handed out once more with the new text in it, so a payload is good only until the next one is parsed.
 */
export class TemplateParser {
  readonly #changingText: (payload: unknown) => ChangingText | undefined;
  #template: Template | undefined;

  /** @param changingText finds the text in a payload of the kind that most events are of */
  constructor(changingText: (payload: unknown) => ChangingText | undefined) {
    this.#changingText = changingText;
  }

  /** The value of the JSON text; undefined when it is none. */
  parse(json: string): unknown {
    const template = this.#template;
    const text = template && textBetween(json, template.before, template.after);
    if (template && text !== undefined) {
      template.changing.holder[template.changing.member] = text;
      return template.payload;
    }
    const payload = parseJson(json);
    // Another kind of event interrupts the pattern, but does not end it.
    this.#template = templateOf(json, payload, this.#changingText(payload)) ?? template;
    return payload;
  }
}

/**
 * The text of an event that is otherwise like the template. Compares slices: `startsWith` is five times slower where one
 * string is Latin-1 and the other is not.
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

/** A template only where there can be no doubt: the member is there once, and nothing is escaped. */
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

/** The changing text when `holder` has it as a member. */
export function textMember(holder: unknown, ...members: readonly string[]): ChangingText | undefined {
  if (!isObject(holder)) return undefined;
  const member = members.find((name) => typeof holder[name] === 'string');
  return member === undefined ? undefined : { holder, member };
}
