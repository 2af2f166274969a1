import type { TextFormatId } from '../../src/wire/apis/textFormats.ts';

/** The bytes of a reply as its provider writes it. */
export interface ProviderReply {
  readonly type: string;
  readonly bytes: string;
}

const createJsonReply = (value: object): ProviderReply => ({
  type: 'application/json',
  bytes: JSON.stringify(value),
});

const createEventsReply = (bytes: string): ProviderReply => ({ type: 'text/event-stream', bytes });

const usageMetadata = { promptTokenCount: 4, candidatesTokenCount: 1, totalTokenCount: 5 };
const candidate = {
  content: { parts: [{ text: 'Hi' }], role: 'model' },
  finishReason: 'STOP',
  index: 0,
};
const generated = { candidates: [candidate], usageMetadata, modelVersion: 'm', responseId: 'r1' };
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 12, output_tokens: 3 },
};
const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'm',
  error: null,
  output: [
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
    },
  ],
  usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
};
const interaction = {
  id: 'v1_x',
  object: 'interaction',
  status: 'completed',
  model: 'm',
  steps: [{ type: 'model_output', content: [{ type: 'text', text: 'Hi' }] }],
};

/** A short reply of each format: whole, and as a stream. */
export const providerReplies: Readonly<
  Record<TextFormatId, { whole: ProviderReply; events: ProviderReply }>
> = {
  chatCompletions: {
    whole: createJsonReply({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_694_268_190,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
    }),
    events: createEventsReply(
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1694268190,"model":"m","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}],"obfuscation":"r4N7vQ2m"}\n\n: keep-alive\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1694268190,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    ),
  },
  contentGeneration: {
    whole: createJsonReply(generated),
    events: createEventsReply(`data: ${JSON.stringify(generated)}\r\n\r\n`),
  },
  messages: {
    whole: createJsonReply(message),
    events: createEventsReply(
      `event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message: { ...message, content: [], stop_reason: null } })}\n\nevent: ping\ndata: {"type":"ping"}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n`,
    ),
  },
  responses: {
    whole: createJsonReply(response),
    events: createEventsReply(
      `event: response.completed\ndata: ${JSON.stringify({ type: 'response.completed', sequence_number: 9, response })}\n\n`,
    ),
  },
  interactions: {
    whole: createJsonReply(interaction),
    events: createEventsReply(
      `event: interaction.completed\ndata: ${JSON.stringify({ event_type: 'interaction.completed', event_id: 'e5', interaction })}\n\ndata: [DONE]\n\n`,
    ),
  },
};

/** A stream of content generation for callers that do not request events. */
export const generationArray = createJsonReply([generated, { ...generated, candidates: [] }]);
