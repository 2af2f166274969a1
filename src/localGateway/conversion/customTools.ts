import { isObject, type JsonObject, parseJson } from '../../base/json.ts';
import { stringOf } from '../../wire/apis/encoding.ts';

// A tool that is called with text in place of arguments, as Codex's apply_patch is, is a function in other formats:
// there the text is the only field of its arguments.

/** The schema of the arguments of a function that stands for such a tool. */
export const customParameters = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
  required: ['input'],
  additionalProperties: false,
} as const;

/** The arguments of a call with a text. */
export function customArguments(input: string): string {
  return JSON.stringify({ input });
}

/** The text of a call. Arguments of another form are the text themselves: models may write it without the field. */
export function customInput(text: string): string {
  const told = parseJson(text);
  return isObject(told) && typeof told.input === 'string' ? told.input : text;
}

/** What the grammar of a tool is in words for the model; undefined where any text is an input. */
export function grammarWords(format: JsonObject): string | undefined {
  const { type, syntax, definition } = format;
  if (type !== 'grammar' || typeof definition !== 'string') return undefined;
  return `The input has to follow this grammar (${stringOf(syntax)}):\n\n${definition}`;
}
