import { isObject, type JsonObject, jsonText } from '../../../../base/json.ts';
import {
  type ChatParameters,
  noParameters,
  withCommonParameter,
  withOtherFields,
} from '../../../../conversations/conversation/chatParameters.ts';
import { commonValues, systemPrompt } from '../../../../protocol/parameters.ts';
import { type CommonName, commonNames } from '../../../../wire/apis/shared/requestSettings.ts';
import { readTextFormatId, type TextFormatId, textFormat } from '../../../../wire/apis/textFormats.ts';
import type { AcceptParameters } from '../../../kit/pages/parameterSchema.ts';

/** The maximum size of a stored preset or default, as JSON, in UTF-16 units. */
export const maxStoredParametersLength = 128 * 1024;

/** The maximum size of a chat's parameters, as JSON, in UTF-16 units. It includes everything that its page accepts. */
export const maxChatParametersLength = 8 * 1024 * 1024;

/** An invalid part of stored parameters, which requests must not contain. */
export type InvalidPart =
  | { readonly kind: 'everything' }
  | { readonly kind: 'common'; readonly name: CommonName | 'systemPrompt' }
  | { readonly kind: 'field'; readonly format: TextFormatId; readonly name: string }
  /** A name from a later version or a manual edit. */
  | { readonly kind: 'unknown'; readonly name: string };

/** The valid parameters, and the list of invalid parts. */
export interface CheckedParameters {
  readonly parameters: ChatParameters;
  readonly invalid: readonly InvalidPart[];
}

/**
 * Checks stored parameters against the schemas of this version.
 *
 * @param maxLength the maximum length of their JSON text, in UTF-16 units
 */
export function checkParameters(
  stored: unknown,
  accept: AcceptParameters,
  maxLength = maxStoredParametersLength,
): CheckedParameters {
  if (!isObject(stored) || (jsonText(stored)?.length ?? Infinity) > maxLength)
    return { parameters: noParameters, invalid: [{ kind: 'everything' }] };
  const { systemPrompt: prompt, common, others, ...unknown } = stored;
  const initial = { parameters: noParameters, invalid: toUnknownParts(Object.keys(unknown)) };
  const checkedCommon = checkCommon(checkPrompt(initial, prompt), common);
  return checkOthers(checkedCommon, others, accept);
}

function checkPrompt({ parameters, invalid }: CheckedParameters, stored: unknown): CheckedParameters {
  const prompt = systemPrompt.safeParse(stored ?? '');
  return prompt.success
    ? { parameters: { ...parameters, systemPrompt: prompt.data }, invalid }
    : { parameters, invalid: [...invalid, { kind: 'common', name: 'systemPrompt' }] };
}

function checkCommon(before: CheckedParameters, stored: unknown): CheckedParameters {
  if (!isObject(stored)) return rejectNonObject(before, 'common', stored);
  let { parameters } = before;
  const invalid = [...before.invalid];
  for (const [name, value] of Object.entries(stored)) {
    const known = commonNames.find((each) => each === name);
    const checked = known === undefined ? undefined : commonValues[known].safeParse(value);
    if (known === undefined) invalid.push({ kind: 'unknown', name });
    else if (checked?.success) parameters = withCommonParameter(parameters, known, checked.data);
    else invalid.push({ kind: 'common', name: known });
  }
  return { parameters, invalid };
}

function checkOthers(
  before: CheckedParameters,
  stored: unknown,
  accept: AcceptParameters,
): CheckedParameters {
  if (!isObject(stored)) return rejectNonObject(before, 'others', stored);
  let { parameters } = before;
  const invalid = [...before.invalid];
  for (const [name, fields] of Object.entries(stored)) {
    const format = readTextFormatId(name);
    if (format === undefined || !isObject(fields)) {
      invalid.push({ kind: 'unknown', name });
      continue;
    }
    parameters = withOtherFields(parameters, format, accept(textFormat(format), fields));
    const accepted: JsonObject = parameters.others[format] ?? {};
    for (const field of Object.keys(fields))
      if (!Object.hasOwn(accepted, field)) invalid.push({ kind: 'field', format, name: field });
  }
  return { parameters, invalid };
}

/** Adds a part to the invalid parts because it is not an object. An absent part is valid. */
function rejectNonObject(before: CheckedParameters, name: string, stored: unknown): CheckedParameters {
  return stored === undefined
    ? before
    : { ...before, invalid: [...before.invalid, ...toUnknownParts([name])] };
}

function toUnknownParts(names: readonly string[]): readonly InvalidPart[] {
  return names.map((name) => ({ kind: 'unknown', name }));
}
