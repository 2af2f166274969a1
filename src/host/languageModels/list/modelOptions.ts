import { isObject } from '../../../base/json.ts';
import { type TextFormatId, textFormat } from '../../../wire/apis/textFormats.ts';

/** The name of the option by which the user chooses how much a model thinks, as in the common parameters. */
export const effortOption = 'reasoningEffort';

/** The choice that leaves it to the model: nothing is sent then. */
export const ownChoice = 'default';

/** The words for how much a model thinks, in the order of its API format. */
export function effortWords(format: TextFormatId): readonly string[] {
  const { reasoningEffort } = textFormat(format).common;
  const alternatives = reasoningEffort?.schema.anyOf;
  if (!Array.isArray(alternatives)) return [];
  const words = alternatives.filter(isObject).flatMap((each) => (Array.isArray(each.enum) ? each.enum : []));
  return words.filter((word) => typeof word === 'string');
}
