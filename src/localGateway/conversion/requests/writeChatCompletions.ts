import { chatCompletionsCommon } from '../../../wire/apis/chatCompletions/common.ts';
import { encodeChatCompletions } from '../../../wire/apis/chatCompletions/encode.ts';
import { schemaName } from '../../../wire/apis/commonParameters.ts';
import type { AskedFormat } from './askedRequest.ts';
import { effortWord, plainEffort } from './effort.ts';
import { at, type RequestForm } from './requestForm.ts';

const { temperature, outputLimit } = chatCompletionsCommon;

/** Writes requests of chat completions. */
export const chatCompletionsForm: RequestForm = {
  admission: {
    format: 'chatCompletions',
    documentTypes: new Set(['application/pdf']),
    keepsInstructions: true,
  },
  encode: (messages) => encodeChatCompletions(messages),
  settings: {
    temperature: (value, { model }) => temperature.place({ temperature: value }, model),
    topP: at('top_p'),
    presencePenalty: at('presence_penalty'),
    frequencyPenalty: at('frequency_penalty'),
    seed: at('seed'),
    stop: at('stop'),
    outputLimit: (value, { model }) => outputLimit.place({ outputLimit: value }, model),
    choices: at('n'),
    effort: (value) => at('reasoning_effort')(plainEffort(effortWord(value))),
    tools: (tools) => at('tools')(tools.map((tool) => ({ type: 'function', function: tool }))),
    toolChoice: ({ mode, names: [name] = [] }) =>
      at('tool_choice')(name === undefined ? mode : { type: 'function', function: { name } }),
    parallelCalls: at('parallel_tool_calls'),
    responseFormat: (format) => at('response_format')(formatOf(format)),
    verbosity: at('verbosity'),
    pictures: () => at('modalities')(['text', 'image']),
  },
  complete: (body, { asked: { streamed, shared }, model }) => ({
    model,
    ...body,
    ...shared,
    ...(streamed && { stream: true, stream_options: { include_usage: true } }),
  }),
};

function formatOf({ format, schema, name, strict }: AskedFormat): object {
  if (format !== 'json_schema' || !schema) return { type: 'json_object' };
  const named = { name: name ?? schemaName(schema), schema, ...(strict && { strict }) };
  return { type: 'json_schema', json_schema: named };
}
