import { effortFor, takesEffort, takesSampling } from '../chatCompletions/common.ts';
import { schemaName } from '../commonParameters.ts';
import { at, type RequestForm } from '../requestForm.ts';
import type { AskedFormat } from '../requestSettings.ts';
import { responsesCommon } from './common.ts';
import { encodeResponses } from './encode.ts';

const { temperature } = responsesCommon;

/** Writes requests of responses, which the provider does not store unless the caller wants that. */
export const responsesForm: RequestForm = {
  admission: {
    format: 'responses',
    takesReasoning: true,
    keepsInstructions: true,
    holdsToolsToSchemas: true,
  },
  encode: encodeResponses,
  settings: {
    temperature: (value, { model, settings }) =>
      takesSampling(model, value, settings.effort)
        ? temperature.place({ temperature: value }, model)
        : undefined,
    topP: (value, { model, settings }) =>
      takesSampling(model, value, settings.effort) ? at('top_p')(value) : undefined,
    outputLimit: at('max_output_tokens'),
    effort(value, { model }) {
      if (!takesEffort(model)) return undefined;
      const encrypted = at('include')(['reasoning.encrypted_content']);
      return [...at('reasoning', 'effort')(effortFor(value, model)), ...encrypted];
    },
    // Without `strict` the provider takes every schema for a strict one.
    tools: (tools) => at('tools')(tools.map((tool) => ({ type: 'function', strict: false, ...tool }))),
    toolChoice: ({ mode, names: [name] = [] }) =>
      at('tool_choice')(name === undefined ? mode : { type: 'function', name }),
    parallelCalls: at('parallel_tool_calls'),
    responseFormat: (format) => at('text', 'format')(formatOf(format)),
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

function formatOf({ format, schema, name, strict }: AskedFormat): object {
  if (format !== 'json_schema' || !schema) return { type: 'json_object' };
  return { type: 'json_schema', name: name ?? schemaName(schema), schema, ...(strict && { strict }) };
}
