import {
  type CommonFields,
  effortAt,
  outputLimitAt,
  responseFormatAt,
  temperatureAt,
  toolsAt,
} from '../commonParameters.ts';
import { isFlatFunction, isProvidersOwn } from '../functionTools.ts';

/**
 * The common parameters as interactions take them. The response format also chooses pictures and videos, so it
 * stays a field of its own beside the common one.
 */
export const interactionsCommon: CommonFields = {
  temperature: temperatureAt(['generation_config', 'temperature'], 2),
  outputLimit: outputLimitAt(['generation_config', 'max_output_tokens']),
  reasoningEffort: effortAt(['generation_config', 'thinking_level'], ['minimal', 'low', 'medium', 'high']),
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
};
