import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../base/json.ts';
import {
  type ChatParameters,
  withCommonParameter,
} from '../../../conversations/conversation/chatParameters.ts';
import { commonName, commonValues, type DefaultState, systemPrompt } from '../../../protocol/parameters.ts';

/** Converts common parameters to values of the form, including parameters that the format does not support. */
export function toFormValues({ systemPrompt: prompt, common }: ChatParameters): JsonObject {
  return { ...(prompt !== '' && { systemPrompt: prompt }), ...common };
}

/** Returns the parameters with a changed value of the form. An invalid or absent value removes the parameter. */
export function withFormValue(parameters: ChatParameters, name: string, value: unknown): ChatParameters {
  if (name === 'systemPrompt') {
    const prompt = systemPrompt.safeParse(value);
    return { ...parameters, systemPrompt: prompt.success ? prompt.data : '' };
  }
  const known = commonName.safeParse(name);
  if (!known.success) return parameters;
  const checked = commonValues[known.data].safeParse(value);
  return withCommonParameter(parameters, known.data, checked.success ? checked.data : undefined);
}

/** Compares a chat's parameters with the stored default of its model. */
export function compareWithDefault(
  parameters: ChatParameters,
  storedDefault: ChatParameters | undefined,
): DefaultState {
  if (storedDefault === undefined) return 'none';
  return isDeepStrictEqual(storedDefault, parameters) ? 'same' : 'other';
}
