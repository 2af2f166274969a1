import { chatCompletionsCommon } from '../../../wire/apis/chatCompletions/common.ts';
import { encodeChatCompletions } from '../../../wire/apis/chatCompletions/encode.ts';
import { schemaName } from '../../../wire/apis/commonParameters.ts';
import type { AskedFormat, AskedMessage, AskedPart } from './askedRequest.ts';
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
  encode: (messages) => encodeChatCompletions(messages.map(withPicturesApart)),
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

/** The pictures of a result, which a tool message cannot hold, become content of the user. */
function withPicturesApart(message: AskedMessage): AskedMessage {
  const pictures = message.parts.flatMap((part): readonly AskedPart[] => {
    if (part.type !== 'toolResult' || !part.pictures?.length) return [];
    const { at } = part;
    const owner = { type: 'text', text: `Pictures from the result of ${part.name || part.id}:`, at } as const;
    return [owner, ...part.pictures.map((picture) => ({ ...picture, at }))];
  });
  return pictures.length === 0 ? message : { ...message, parts: [...pictures, ...message.parts] };
}

function formatOf({ format, schema, name, strict }: AskedFormat): object {
  if (format !== 'json_schema' || !schema) return { type: 'json_object' };
  const named = { name: name ?? schemaName(schema), schema, ...(strict && { strict }) };
  return { type: 'json_schema', json_schema: named };
}
