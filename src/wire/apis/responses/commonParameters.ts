import { effortField } from '../chatCompletions/commonParameters.ts';
import { isFlatFunction, isProviderTool, toObjectSchema } from '../shared/functionTools.ts';
import {
  type CommonFields,
  createSchemaName,
  outputLimitField,
  responseFormatFields,
  temperatureField,
  toolsField,
} from '../shared/requestSettings.ts';

export const responsesCommon = {
  temperature: temperatureField(['temperature'], 2),
  outputLimit: outputLimitField(['max_output_tokens']),
  reasoningEffort: effortField(['reasoning', 'effort']),
  tools: toolsField(
    (tool) => isFlatFunction(tool) || (isProviderTool(tool) && tool.type !== undefined),
    // Without this member, the provider treats the schema of a function as strict, and few schemas are.
    (functions) =>
      functions.map((each) => ({
        type: 'function',
        ...each,
        parameters: toObjectSchema(each.parameters),
        strict: false,
      })),
  ),
  ...responseFormatFields([['text', 'format']], ['text', 'format', 'schema'], (format, schema) => [
    {
      path: ['text', 'format'],
      value:
        schema === undefined
          ? { type: format === 'json' ? 'json_object' : 'text' }
          : { type: 'json_schema', name: createSchemaName(schema), schema },
    },
  ]),
} satisfies CommonFields;
