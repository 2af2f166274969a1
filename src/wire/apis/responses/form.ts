import { effortFor, takesEffort, takesSampling } from '../chatCompletions/common.ts';
import { objectSchema, type RequestTool } from '../functionTools.ts';
import { at, type RequestForm } from '../requestForm.ts';
import { type RequestSettings, schemaName } from '../requestSettings.ts';
import { responsesCommon } from './common.ts';
import { encodeResponses } from './encode.ts';

const { temperature } = responsesCommon;

const encrypted = at('include')(['reasoning.encrypted_content']);

/** Writes requests of responses, which the provider does not store unless the caller wants that. */
export const responsesForm: RequestForm = {
  admission: {
    format: 'responses',
    takesReasoning: true,
    keepsInstructions: true,
    holdsToolsToSchemas: true,
    toolName: /^[\w-]{1,64}$/,
    longestCallId: 64,
  },
  encode: encodeResponses,
  settings: {
    temperature: (value, { model, settings }) =>
      takesSampling(model, value, settings.reasoningEffort) ? temperature.place(settings, model) : undefined,
    topP: (value, { model, settings }) =>
      takesSampling(model, value, settings.reasoningEffort) ? at('top_p')(value) : undefined,
    outputLimit: at('max_output_tokens'),
    reasoningEffort(value, { model }) {
      if (value === 'adaptive') return [];
      if (!takesEffort(model)) return undefined;
      return [...at('reasoning', 'effort')(effortFor(value, model)), ...encrypted];
    },
    thoughts: (_, { model }) =>
      takesEffort(model) ? [...at('reasoning', 'summary')('auto'), ...encrypted] : undefined,
    tools: (tools) => at('tools')(tools.map(toolOf)),
    toolChoice: ({ mode, names: [name] = [] }) =>
      at('tool_choice')(name === undefined ? mode : { type: 'function', name }),
    parallelCalls: at('parallel_tool_calls'),
    responseFormat: (_, { settings }) => at('text', 'format')(formatOf(settings)),
    verbosity: at('text', 'verbosity'),
  },
  complete: (body, { streamed, shared, model }) => ({
    model,
    store: false,
    ...body,
    ...shared,
    ...(streamed && { stream: true }),
  }),
};

/** Without `strict` the provider takes every schema for a strict one. */
function toolOf(tool: RequestTool): object {
  return { type: 'function', strict: false, ...tool, parameters: objectSchema(tool.parameters) };
}

function formatOf({
  responseFormat,
  responseSchema: schema,
  schemaName: name,
  strictSchema: strict,
}: Partial<RequestSettings>): object {
  if (responseFormat !== 'json_schema' || !schema) return { type: 'json_object' };
  return { type: 'json_schema', name: name ?? schemaName(schema), schema, ...(strict && { strict }) };
}
