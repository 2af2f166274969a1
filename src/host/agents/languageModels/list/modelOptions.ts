import { isObject } from '../../../../base/json.ts';
import { requestForms, type TextFormatId, textFormat } from '../../../../wire/apis/textFormats.ts';

/** The option that sets how much a model thinks. Both options have the names of common parameters. */
export const effortOption = 'reasoningEffort';

/** The option that sets how long replies are. */
export const verbosityOption = 'verbosity';

/** With this value, the parameter is not sent, and the model decides. */
export const modelDefault = 'default';

/** The values of `reasoningEffort` in the order of the API format; empty if it has no such parameter. */
export function effortValues(format: TextFormatId): readonly string[] {
  const { reasoningEffort } = textFormat(format).common;
  const alternatives = reasoningEffort?.schema.anyOf;
  if (!Array.isArray(alternatives)) return [];
  const values = alternatives.filter(isObject).flatMap((each) => (Array.isArray(each.enum) ? each.enum : []));
  return values.filter((value) => typeof value === 'string');
}

/** The families with a choice of verbosity. Code models support only one value. */
const verbosityFamilies = /^gpt-(?:[5-9]|\d\d)(?!.*-(?:chat|codex))/;

/** The values of `verbosity`; empty if the API format or the model family does not support it. */
export function verbosityValues(format: TextFormatId, family: string): readonly string[] {
  const isSupported = requestForms[format].settings.verbosity !== undefined && verbosityFamilies.test(family);
  return isSupported ? ['low', 'medium', 'high'] : [];
}
