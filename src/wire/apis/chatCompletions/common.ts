import { isNestedFunction, isProvidersOwn, withSchema } from '../format/functionTools.ts';
import {
  type CommonField,
  type CommonFields,
  effortWord,
  type FieldPath,
  otherWord,
  outputLimitSchema,
  responseFormatAt,
  schemaName,
  temperatureAt,
  toolsAt,
} from '../format/requestSettings.ts';

/** The models of OpenAI that reason. They refuse `max_tokens`, which every other server knows. */
const reasoningModel = /(^|\/)(o\d|gpt-([5-9]|\d\d))/;

/** Whether OpenAI's models of this name reason. */
export function isReasoningModel(model: string): boolean {
  return reasoningModel.test(model);
}

/** The models of OpenAI that do not reason. They refuse to be told how much. */
const plainModel = /(^|\/)(chatgpt-|gpt-[34]|gpt-\d+-chat)/;

/** Whether a model may be told how much to reason, as far as its name tells. */
export function takesEffort(model: string): boolean {
  return !plainModel.test(model);
}

/** The words for an effort as the models of OpenAI know them: few can be told not to reason. */
export function effortFor(effort: string | number, model: string): string {
  const word = effortWord(effort);
  if ((word !== 'none' && word !== 'minimal') || !isReasoningModel(model)) return word;
  if (/(^|\/)o\d|-codex/.test(model)) return 'low';
  if (/gpt-5(?:-|$)/.test(model)) return 'minimal';
  return word === 'minimal' ? 'low' : word;
}

/** A reasoning effort in a word; models that do not reason get none. */
export function effortAt(path: FieldPath): CommonField {
  return {
    schema: {
      anyOf: [{ type: 'string', enum: ['none', 'minimal', 'low', 'medium', 'high'] }, otherWord],
    },
    paths: [path],
    place: ({ reasoningEffort: effort }, model) =>
      typeof effort === 'string' && effort !== 'adaptive' && takesEffort(model)
        ? [{ path, value: effortFor(effort, model) }]
        : [],
  };
}

/** Whether a model takes a penalty: those of OpenAI that reason refuse it. */
export function takesPenalties(model: string): boolean {
  return !isReasoningModel(model) || plainModel.test(model);
}

/** Whether it takes a temperature and the like: those of OpenAI that reason refuse all but the usual one, 1. */
export function takesSampling(model: string, value: number, effort: string | number | undefined): boolean {
  if (value === 1 || takesPenalties(model)) return true;
  return effort === 'none' && /(^|\/)gpt-5\.\d/.test(model);
}

/** The common parameters as chat completions take them. */
export const chatCompletionsCommon = {
  temperature: temperatureAt(['temperature'], 2),
  outputLimit: {
    schema: outputLimitSchema,
    paths: [['max_tokens']],
    place({ outputLimit: value }, model) {
      const path = [isReasoningModel(model) ? 'max_completion_tokens' : 'max_tokens'];
      return value === undefined ? [] : [{ path, value }];
    },
  },
  reasoningEffort: effortAt(['reasoning_effort']),
  tools: toolsAt(
    (tool) => isNestedFunction(tool) || (isProvidersOwn(tool) && tool.type !== undefined),
    (functions) => functions.map((each) => ({ type: 'function', function: withSchema(each) })),
  ),
  ...responseFormatAt(
    [['response_format']],
    ['response_format', 'json_schema', 'schema'],
    (format, schema) => [
      {
        path: ['response_format'],
        value:
          schema === undefined
            ? { type: format === 'json' ? 'json_object' : 'text' }
            : { type: 'json_schema', json_schema: { name: schemaName(schema), schema } },
      },
    ],
  ),
} satisfies CommonFields;
