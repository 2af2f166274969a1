import { type JsonObject, sameJson } from '../../../base/json.ts';
import { type ChatParameters, withCommon } from '../../../conversations/conversation/chatParameters.ts';
import { commonName, commonValues, type DefaultState, systemPrompt } from '../../../protocol/parameters.ts';

/** The common parameters as the form holds them, also those that the format does not take. */
export function commonFormValues({ systemPrompt: prompt, common }: ChatParameters): JsonObject {
  return { ...(prompt !== '' && { systemPrompt: prompt }), ...common };
}

/**
 * The parameters after the form changed one of the common ones. An invalid value takes it out, as an absent one
 * does.
 */
export function withFormValue(parameters: ChatParameters, name: string, value: unknown): ChatParameters {
  if (name === 'systemPrompt') {
    const prompt = systemPrompt.safeParse(value);
    return { ...parameters, systemPrompt: prompt.success ? prompt.data : '' };
  }
  const known = commonName.safeParse(name);
  if (!known.success) return parameters;
  const checked = commonValues[known.data].safeParse(value);
  return withCommon(parameters, known.data, checked.success ? checked.data : undefined);
}

/** How a chat’s parameters stand to the kept default of its model. */
export function defaultState(parameters: ChatParameters, kept: ChatParameters | undefined): DefaultState {
  if (kept === undefined) return 'none';
  return sameJson(inOrder(kept), inOrder(parameters)) ? 'same' : 'other';
}

function inOrder({ systemPrompt, common, others }: ChatParameters): object {
  const sorted = (object: object) =>
    Object.entries(object).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return [systemPrompt, sorted(common), sorted(others)];
}
