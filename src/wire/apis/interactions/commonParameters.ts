import { chooseThinkingLevel } from '../contentGeneration/commonParameters.ts';
import { isFlatFunction, isProviderTool } from '../shared/functionTools.ts';
import {
  type CommonFields,
  createOutputLimitField,
  createResponseFormatFields,
  createTemperatureField,
  createToolsField,
  otherWordSchema,
  toEffortWord,
} from '../shared/requestSettings.ts';

const levelPath = ['generation_config', 'thinking_level'];

/**
 * The common parameters in interactions. The form also shows the field of the response format, because that field
 * also selects pictures and videos.
 */
export const interactionsCommon = {
  temperature: createTemperatureField(['generation_config', 'temperature'], 2),
  outputLimit: createOutputLimitField(['generation_config', 'max_output_tokens']),
  reasoningEffort: {
    schema: { anyOf: [{ type: 'string', enum: ['minimal', 'low', 'medium', 'high'] }, otherWordSchema] },
    paths: [levelPath],
    place: ({ reasoningEffort: effort }, model) =>
      effort === undefined || effort === 'adaptive' || effort === -1
        ? []
        : [{ path: levelPath, value: chooseThinkingLevel(toEffortWord(effort), model) }],
  },
  tools: createToolsField(
    (tool) => isFlatFunction(tool) || (isProviderTool(tool) && tool.type !== undefined),
    (functions) => functions.map((each) => ({ type: 'function', ...each })),
  ),
  ...createResponseFormatFields([], ['response_format', 'schema'], (format, schema) => [
    {
      path: ['response_format'],
      value: {
        type: 'text',
        ...(format !== 'text' && { mime_type: 'application/json' }),
        ...(schema && { schema }),
      },
    },
  ]),
} satisfies CommonFields;
