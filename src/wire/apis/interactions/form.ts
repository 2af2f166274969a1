import { at, type RequestForm } from '../requestForm.ts';
import { interactionsCommon } from './common.ts';
import { encodeInteractions } from './encode.ts';

const { temperature, reasoningEffort, responseFormat: formatted } = interactionsCommon;

const config = (name: string) => at('generation_config', name);

/** Writes requests of interactions, which the provider does not store. */
export const interactionsForm: RequestForm = {
  admission: {
    format: 'interactions',
    answersHoldPictures: true,
    linksHaveTypes: true,
    takesReasoning: true,
    parsesArguments: true,
    namesResults: true,
    tellsFailure: true,
  },
  encode: encodeInteractions,
  settings: {
    temperature: (value, { model }) => temperature.place({ temperature: value }, model),
    topP: config('top_p'),
    seed: config('seed'),
    stop: config('stop_sequences'),
    outputLimit: config('max_output_tokens'),
    effort: (value, { model }) => [
      ...reasoningEffort.place({ reasoningEffort: value }, model),
      ...config('thinking_summaries')('auto'),
    ],
    tools: (tools) => at('tools')(tools.map(({ strict: _, ...tool }) => ({ type: 'function', ...tool }))),
    toolChoice: ({ mode, names }) => {
      const word = { auto: 'auto', none: 'none', required: 'any' }[mode];
      return config('tool_choice')(names ? { allowed_tools: { mode: word, tools: names } } : word);
    },
    responseFormat: ({ format, schema }, { model }) =>
      formatted.place({ responseFormat: format, ...(schema && { responseSchema: schema }) }, model),
  },
  complete: (body, { streamed, model }) => ({
    model,
    store: false,
    ...body,
    ...(streamed && { stream: true }),
  }),
};
