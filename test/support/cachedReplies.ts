import type { ConvertibleFormat } from './convertibleFormat.ts';

const content = [{ type: 'text', text: 'Hi' }];

/** Input tokens: 10 from the cache, 5 written to it, 3 others. */
export const cachedReplies: Readonly<Record<ConvertibleFormat, object>> = {
  chatCompletions: {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: 18,
      completion_tokens: 2,
      total_tokens: 20,
      prompt_tokens_details: { cached_tokens: 10, cache_write_tokens: 5 },
    },
  },
  contentGeneration: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: {
      promptTokenCount: 18,
      candidatesTokenCount: 2,
      totalTokenCount: 20,
      cachedContentTokenCount: 10,
    },
  },
  messages: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content,
    stop_reason: 'end_turn',
    usage: {
      input_tokens: 3,
      output_tokens: 2,
      cache_read_input_tokens: 10,
      cache_creation_input_tokens: 5,
      cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 4 },
    },
  },
  responses: {
    id: 'r',
    object: 'response',
    status: 'completed',
    model: 'm',
    created_at: 1,
    output: [
      {
        id: 'msg',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
      },
    ],
    usage: {
      input_tokens: 18,
      output_tokens: 2,
      total_tokens: 20,
      input_tokens_details: { cached_tokens: 10, cache_write_tokens: 5 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  },
};

/** The same reply as a stream. */
export const cachedStreams: Readonly<Record<ConvertibleFormat, readonly object[]>> = {
  chatCompletions: [
    {
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }],
    },
    { ...cachedReplies.chatCompletions, object: 'chat.completion.chunk', choices: [] },
  ],
  contentGeneration: [cachedReplies.contentGeneration],
  messages: [
    { type: 'message_start', message: { ...cachedReplies.messages, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ],
  responses: [
    { type: 'response.created', response: { ...cachedReplies.responses, status: 'in_progress', output: [] } },
    { type: 'response.completed', response: cachedReplies.responses },
  ],
};
