import { asIn, at, type RequestForm } from '../requestForm.ts';
import { interactionsCommon } from './common.ts';
import { encodeInteractions } from './encode.ts';

const { temperature, reasoningEffort, tools: written, responseFormat: formatted } = interactionsCommon;

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
    temperature: asIn(temperature),
    topP: config('top_p'),
    seed: config('seed'),
    stop: config('stop_sequences'),
    outputLimit: config('max_output_tokens'),
    reasoningEffort: (_, { settings, model }) => [
      ...reasoningEffort.place(settings, model),
      ...config('thinking_summaries')('auto'),
    ],
    tools: asIn(written),
    toolChoice: ({ mode, names }) => {
      const word = { auto: 'auto', none: 'none', required: 'any' }[mode];
      return config('tool_choice')(names ? { allowed_tools: { mode: word, tools: names } } : word);
    },
    responseFormat: asIn(formatted),
  },
  complete: (body, { streamed, model }) => ({
    model,
    store: false,
    ...body,
    ...(streamed && { stream: true }),
  }),
};
