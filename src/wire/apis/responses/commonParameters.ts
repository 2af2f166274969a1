import { createEffortField } from '../chatCompletions/commonParameters.ts';
import { isFlatFunction, isProviderTool, toObjectSchema } from '../shared/functionTools.ts';
import {
  type CommonFields,
  createOutputLimitField,
  createResponseFormatFields,
  createSchemaName,
  createTemperatureField,
  createToolsField,
} from '../shared/requestSettings.ts';

export const responsesCommon = {
  temperature: createTemperatureField(['temperature'], 2),
  outputLimit: createOutputLimitField(['max_output_tokens']),
  reasoningEffort: createEffortField(['reasoning', 'effort']),
  tools: createToolsField(
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
  ...createResponseFormatFields([['text', 'format']], ['text', 'format', 'schema'], (format, schema) => [
    {
      path: ['text', 'format'],
      value:
        schema === undefined
          ? { type: format === 'json' ? 'json_object' : 'text' }
          : { type: 'json_schema', name: createSchemaName(schema), schema },
    },
  ]),
} satisfies CommonFields;
