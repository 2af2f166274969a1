import { thinkingLevel } from '../contentGeneration/common.ts';
import { isFlatFunction, isProvidersOwn } from '../format/functionTools.ts';
import {
  type CommonFields,
  effortWord,
  otherWord,
  outputLimitAt,
  responseFormatAt,
  temperatureAt,
  toolsAt,
} from '../format/requestSettings.ts';

const levelPath = ['generation_config', 'thinking_level'];

/**
 * The common parameters as interactions take them. The response format also chooses pictures and videos, so it
 * stays a field of its own beside the common one.
 */
export const interactionsCommon = {
  temperature: temperatureAt(['generation_config', 'temperature'], 2),
  outputLimit: outputLimitAt(['generation_config', 'max_output_tokens']),
  reasoningEffort: {
    schema: { anyOf: [{ type: 'string', enum: ['minimal', 'low', 'medium', 'high'] }, otherWord] },
    paths: [levelPath],
    place: ({ reasoningEffort: effort }, model) =>
      effort === undefined || effort === 'adaptive' || effort === -1
        ? []
        : [{ path: levelPath, value: thinkingLevel(effortWord(effort), model) }],
  },
  tools: toolsAt(
    (tool) => isFlatFunction(tool) || (isProvidersOwn(tool) && tool.type !== undefined),
    (functions) => functions.map((each) => ({ type: 'function', ...each })),
  ),
  ...responseFormatAt([], ['response_format', 'schema'], (format, schema) => [
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
