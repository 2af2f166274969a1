import { isObject } from '../../../base/json.ts';
import { completeSchema, isProviderTool } from '../shared/functionTools.ts';
import { placeAt, type RequestForm } from '../shared/requestForm.ts';
import {
  type CommonField,
  type CommonFields,
  createResponseFormatFields,
  createSchemaName,
  createTemperatureField,
  createToolsField,
  type FieldPath,
  otherWordSchema,
  outputLimitSchema,
  toEffortWord,
} from '../shared/requestSettings.ts';

/** OpenAI's reasoning models. They refuse `max_tokens`, which all other servers accept. */
const reasoningModel = /(^|\/)(o\d|gpt-([5-9]|\d\d))/;

/** Whether a model is one of OpenAI's reasoning models, according to its name. */
export function isReasoningModel(model: string): boolean {
  return reasoningModel.test(model);
}

/** OpenAI's models without reasoning, which refuse a reasoning effort. */
const nonReasoningModel = /(^|\/)(chatgpt-|gpt-[34]|gpt-\d+-chat)/;

/** Whether a model accepts a reasoning effort, according to its name. */
export function acceptsEffort(model: string): boolean {
  return !nonReasoningModel.test(model);
}

/** The nearest effort that the model accepts. Few of OpenAI's models accept `none` or `minimal`. */
export function adaptEffort(effort: string | number, model: string): string {
  const word = toEffortWord(effort);
  if ((word !== 'none' && word !== 'minimal') || !isReasoningModel(model)) return word;
  if (/(^|\/)o\d|-codex/.test(model)) return 'low';
  if (/gpt-5(?:-|$)/.test(model)) return 'minimal';
  return word === 'minimal' ? 'low' : word;
}

/** A reasoning effort as a word. It is not sent to models without reasoning. */
export function createEffortField(path: FieldPath): CommonField {
  return {
    schema: {
      anyOf: [{ type: 'string', enum: ['none', 'minimal', 'low', 'medium', 'high'] }, otherWordSchema],
    },
    paths: [path],
    place: ({ reasoningEffort: effort }, model) =>
      typeof effort === 'string' && effort !== 'adaptive' && acceptsEffort(model)
        ? [{ path, value: adaptEffort(effort, model) }]
        : [],
  };
}

/** Whether a model accepts penalties. OpenAI's reasoning models refuse them. */
export function acceptsPenalties(model: string): boolean {
  return !isReasoningModel(model) || nonReasoningModel.test(model);
}

/**
 * Whether a model accepts a temperature and similar settings. OpenAI's reasoning models refuse all but the
 * default, 1.
 */
function acceptsSampling(model: string, value: number, effort: string | number | undefined): boolean {
  if (value === 1 || acceptsPenalties(model)) return true;
  return effort === 'none' && /(^|\/)gpt-5\.\d/.test(model);
}

export const chatCompletionsCommon = {
  temperature: createTemperatureField(['temperature'], 2),
  outputLimit: {
    schema: outputLimitSchema,
    paths: [['max_tokens']],
    place({ outputLimit: value }, model) {
      const path = [isReasoningModel(model) ? 'max_completion_tokens' : 'max_tokens'];
      return value === undefined ? [] : [{ path, value }];
    },
  },
  reasoningEffort: createEffortField(['reasoning_effort']),
  tools: createToolsField(
    (tool) => isObject(tool.function) || (isProviderTool(tool) && tool.type !== undefined),
    (functions) => functions.map((each) => ({ type: 'function', function: completeSchema(each) })),
  ),
  ...createResponseFormatFields(
    [['response_format']],
    ['response_format', 'json_schema', 'schema'],
    (format, schema) => [
      {
        path: ['response_format'],
        value:
          schema === undefined
            ? { type: format === 'json' ? 'json_object' : 'text' }
            : { type: 'json_schema', json_schema: { name: createSchemaName(schema), schema } },
      },
    ],
  ),
} satisfies CommonFields;

/** The sampling settings of chat completions and of responses. */
export const samplingSettings: Pick<RequestForm['settings'], 'temperature' | 'topP'> = {
  temperature: (value, { model, settings }) =>
    acceptsSampling(model, value, settings.reasoningEffort)
      ? chatCompletionsCommon.temperature.place(settings, model)
      : undefined,
  topP: (value, { model, settings }) =>
    acceptsSampling(model, value, settings.reasoningEffort) ? placeAt('top_p')(value) : undefined,
};
