import type { ChatParameters } from '../../../conversations/chatParameters.ts';
import { commonNames } from '../../../wire/apis/format/requestSettings.ts';
import type { TextFormat } from '../../../wire/apis/textFormats.ts';
import { commonWords } from './commonWords.ts';

/** The JSON Schema of the common parameters of a format, with their names and help for people. */
export function commonSchema(format: TextFormat): object {
  const words = commonWords(format);
  const fields = commonNames.flatMap((name) => {
    const field = format.common[name];
    return field ? [[name, { ...field.schema, ...words[name] }]] : [];
  });
  const prompt = { type: 'string', ...words.systemPrompt };
  return { type: 'object', properties: { systemPrompt: prompt, ...Object.fromEntries(fields) } };
}

/** Names of the common parameters that are set, and that a format does not take. */
export function unusedNames(format: TextFormat, { common }: ChatParameters): readonly string[] {
  const words = commonWords(format);
  return commonNames
    .filter((name) => common[name] !== undefined && format.common[name] === undefined)
    .map((name) => words[name].title);
}
