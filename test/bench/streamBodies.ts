/** A streamed reply in one format, as its providers write it. */
interface StreamBody {
  /** The served paths. */
  readonly route: RegExp;
  /** The reply as this many events. All but the last event add text. */
  readonly body: (events: number) => string;
}

const sampleWords = [' the', ' quick', ' brown', ' fox', ' jumps', ', über', ' 懶狗', '.\n'];

const wordAt = (at: number) => sampleWords[at % sampleWords.length] ?? '';

const chatChunk = (choice: object) =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'bench-model',
    choices: [{ index: 0, ...choice, logprobs: null }],
  })}\n\n`;

function chatCompletions(events: number): string {
  const lines = Array.from({ length: events - 1 }, (_, at) =>
    chatChunk({ delta: { content: wordAt(at) }, finish_reason: null }),
  );
  return `${lines.join('')}${chatChunk({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`;
}

function contentGeneration(events: number): string {
  const lines = Array.from({ length: events }, (_, at) => {
    const last = at === events - 1;
    const reply = {
      candidates: [
        {
          content: { parts: [{ text: last ? '' : wordAt(at) }], role: 'model' },
          ...(last && { finishReason: 'STOP' }),
          index: 0,
        },
      ],
      usageMetadata: {
        promptTokenCount: 4,
        candidatesTokenCount: at + 1,
        totalTokenCount: at + 5,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: 4 }],
      },
      modelVersion: 'bench-model',
      responseId: 'bench-reply',
    };
    return `data: ${JSON.stringify(reply)}\r\n\r\n`;
  });
  return lines.join('');
}

const messagesEvent = (event: { readonly type: string; readonly [member: string]: unknown }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

function messages(events: number): string {
  const message = {
    id: 'msg_bench',
    type: 'message',
    role: 'assistant',
    content: [],
    model: 'bench-model',
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 4, output_tokens: 1 },
  };
  const texts = Array.from({ length: events - 1 }, (_, at) =>
    messagesEvent({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: wordAt(at) },
    }),
  );
  return [
    messagesEvent({ type: 'message_start', message }),
    messagesEvent({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    ...texts,
    messagesEvent({ type: 'content_block_stop', index: 0 }),
    messagesEvent({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: events },
    }),
    messagesEvent({ type: 'message_stop' }),
  ].join('');
}

export const bodies: readonly StreamBody[] = [
  { route: /\/chat\/completions$/, body: chatCompletions },
  { route: /:streamGenerateContent/, body: contentGeneration },
  { route: /\/messages$/, body: messages },
];
