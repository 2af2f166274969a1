import { isObject, type JsonObject, jsonText } from '../../../base/json.ts';
import {
  type ChatParameters,
  noParameters,
  withCommon,
  withOthers,
} from '../../../conversations/conversation/chatParameters.ts';
import { commonValues, systemPrompt } from '../../../protocol/parameters.ts';
import type { CommonName } from '../../../wire/apis/format/requestSettings.ts';
import { type TextFormatId, textFormat, textFormatId } from '../../../wire/apis/textFormats.ts';
import type { AcceptParameters } from '../../kit/pages/parameterSchema.ts';

/** The most that is kept of a preset or a default, as JSON, in UTF-16 units. */
export const maxKeptLength = 128 * 1024;

/** The same of what one chat is asked with: all that its page accepts. */
export const maxChatLength = 8 * 1024 * 1024;

/** A part of a kept value that no request may hold. */
export type Unfit =
  | { readonly kind: 'everything' }
  | { readonly kind: 'common'; readonly name: CommonName | 'systemPrompt' }
  | { readonly kind: 'field'; readonly format: TextFormatId; readonly name: string }
  /** A name of a later version, or of another hand. */
  | { readonly kind: 'unknown'; readonly name: string };

/** Parameters as far as they fit. */
export interface CheckedParameters {
  readonly parameters: ChatParameters;
  readonly unfit: readonly Unfit[];
}

/** Holds a kept value against the schemas of this version. */
export function checkedParameters(
  kept: unknown,
  accept: AcceptParameters,
  maxLength = maxKeptLength,
): CheckedParameters {
  if (!isObject(kept) || (jsonText(kept)?.length ?? Infinity) > maxLength)
    return { parameters: noParameters, unfit: [{ kind: 'everything' }] };
  const { systemPrompt: prompt, common, others, ...unknown } = kept;
  const checks = [
    (checked: CheckedParameters) => withKeptPrompt(checked, prompt),
    (checked: CheckedParameters) => withKeptCommon(checked, common),
    (checked: CheckedParameters) => withKeptOthers(checked, others, accept),
  ];
  const nothing = { parameters: noParameters, unfit: unknownNames(Object.keys(unknown)) };
  return checks.reduce<CheckedParameters>((checked, check) => check(checked), nothing);
}

function withKeptPrompt({ parameters, unfit }: CheckedParameters, kept: unknown): CheckedParameters {
  const prompt = systemPrompt.safeParse(kept ?? '');
  return prompt.success
    ? { parameters: { ...parameters, systemPrompt: prompt.data }, unfit }
    : { parameters, unfit: [...unfit, { kind: 'common', name: 'systemPrompt' }] };
}

const commonNames = Object.keys(commonValues) as readonly CommonName[];

function withKeptCommon(before: CheckedParameters, kept: unknown): CheckedParameters {
  if (!isObject(kept)) return withoutObject(before, 'common', kept);
  let { parameters } = before;
  const unfit = [...before.unfit];
  for (const [name, value] of Object.entries(kept)) {
    const known = commonNames.find((each) => each === name);
    const checked = known === undefined ? undefined : commonValues[known].safeParse(value);
    if (known === undefined) unfit.push({ kind: 'unknown', name });
    else if (checked?.success) parameters = withCommon(parameters, known, checked.data);
    else unfit.push({ kind: 'common', name: known });
  }
  return { parameters, unfit };
}

function withKeptOthers(
  before: CheckedParameters,
  kept: unknown,
  accept: AcceptParameters,
): CheckedParameters {
  if (!isObject(kept)) return withoutObject(before, 'others', kept);
  let { parameters } = before;
  const unfit = [...before.unfit];
  for (const [name, fields] of Object.entries(kept)) {
    const format = textFormatId(name);
    if (format === undefined || !isObject(fields)) {
      unfit.push({ kind: 'unknown', name });
      continue;
    }
    parameters = withOthers(parameters, format, accept(textFormat(format), fields));
    const left: JsonObject = parameters.others[format] ?? {};
    for (const field of Object.keys(fields))
      if (!Object.hasOwn(left, field)) unfit.push({ kind: 'field', format, name: field });
  }
  return { parameters, unfit };
}

function withoutObject(before: CheckedParameters, name: string, kept: unknown): CheckedParameters {
  return kept === undefined ? before : { ...before, unfit: [...before.unfit, ...unknownNames([name])] };
}

function unknownNames(names: readonly string[]): readonly Unfit[] {
  return names.map((name) => ({ kind: 'unknown', name }));
}
