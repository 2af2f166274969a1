import { effortAt } from '../chatCompletions/common.ts';
import { isFlatFunction, isProvidersOwn, objectSchema } from '../format/functionTools.ts';
import {
  type CommonFields,
  outputLimitAt,
  responseFormatAt,
  schemaName,
  temperatureAt,
  toolsAt,
} from '../format/requestSettings.ts';

/** The common parameters as responses take them. */
export const responsesCommon = {
  temperature: temperatureAt(['temperature'], 2),
  outputLimit: outputLimitAt(['max_output_tokens']),
  reasoningEffort: effortAt(['reasoning', 'effort']),
  tools: toolsAt(
    (tool) => isFlatFunction(tool) || (isProvidersOwn(tool) && tool.type !== undefined),
    // Without this member the provider takes a function for one with a strict schema, which few are.
    (functions) =>
      functions.map((each) => ({
        type: 'function',
        ...each,
        parameters: objectSchema(each.parameters),
        strict: false,
      })),
  ),
  ...responseFormatAt([['text', 'format']], ['text', 'format', 'schema'], (format, schema) => [
    {
      path: ['text', 'format'],
      value:
        schema === undefined
          ? { type: format === 'json' ? 'json_object' : 'text' }
          : { type: 'json_schema', name: schemaName(schema), schema },
    },
  ]),
} satisfies CommonFields;
