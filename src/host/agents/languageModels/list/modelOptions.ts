import { isObject } from '../../../../base/json.ts';
import { requestForms } from '../../../../wire/apis/requestForms.ts';
import { type TextFormatId, textFormat } from '../../../../wire/apis/textFormats.ts';

/** The name of the option for how much a model thinks, as in the common parameters. */
export const effortOption = 'reasoningEffort';

/** The name of the option for how long replies are. */
export const verbosityOption = 'verbosity';

/** The choice that leaves the decision to the model: the parameter is not sent. */
export const ownChoice = 'default';

/** The values for how much a model thinks, in the order of its API format. */
export function effortWords(format: TextFormatId): readonly string[] {
  const { reasoningEffort } = textFormat(format).common;
  const alternatives = reasoningEffort?.schema.anyOf;
  if (!Array.isArray(alternatives)) return [];
  const words = alternatives.filter(isObject).flatMap((each) => (Array.isArray(each.enum) ? each.enum : []));
  return words.filter((word) => typeof word === 'string');
}

/** The families whose providers support a verbosity. Code models support only one value of it. */
const verbosityFamilies = /^gpt-(?:[5-9]|\d\d)(?!.*-(?:chat|codex))/;

/** The values for how long replies are; empty if the format or the family of the model has no such choice. */
export function verbosityWords(format: TextFormatId, family: string): readonly string[] {
  const isKnown = requestForms[format].settings.verbosity !== undefined && verbosityFamilies.test(family);
  return isKnown ? ['low', 'medium', 'high'] : [];
}
