import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../base/json.ts';
import {
  type ChatParameters,
  withCommonParameter,
} from '../../../conversations/conversation/chatParameters.ts';
import { commonName, commonValues, type DefaultState, systemPrompt } from '../../../protocol/parameters.ts';
import type { ApiFormat } from '../../../wire/apis/shared/apiFormat.ts';
import type { FieldPath } from '../../../wire/apis/shared/requestSettings.ts';

/** Converts common parameters to values of the form. Includes parameters that the format does not support. */
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

/** The location where the user can change a field of a request: the message box, or a path of the parameters form. */
type FieldLocation = 'message-box' | FieldPath;

/** The fields that contain the conversation. */
const conversationFields = new Set(['messages', 'contents', 'input', 'prompt']);
const systemPromptFields = new Set(['system', 'instructions', 'systeminstruction']);

/**
 * Finds the location of a field that a gateway rejected. Case and underscores are ignored. A path of a common
 * parameter leads to that parameter: `generation_config.temperature` is the temperature.
 *
 * @param field the path of the field, with dots
 */
export function locateField({ common }: Pick<ApiFormat, 'common'>, field: string): FieldLocation {
  const path = field.split('.');
  const root = normalizeName(path[0] ?? '');
  if (conversationFields.has(root)) return 'message-box';
  if (systemPromptFields.has(root)) return ['common', 'systemPrompt'];
  const [name] =
    Object.entries(common).find(([, { paths }]) => paths.some((each) => matchesParameter(path, each))) ?? [];
  return name === undefined ? path : ['common', name];
}

/** Whether a reported path starts with the path of a parameter. Some gateways report only the last name of the path. */
function matchesParameter(reported: FieldPath, parameter: FieldPath): boolean {
  if (reported.length === 1 && normalizeName(reported[0] ?? '') === normalizeName(parameter.at(-1) ?? ''))
    return true;
  return parameter.every((name, index) => normalizeName(reported[index] ?? '') === normalizeName(name));
}

function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}
