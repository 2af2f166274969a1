/** A streamed reply in one format, as its providers write it. */
interface StreamBody {
  /** The served paths. */
  readonly route: RegExp;
  /** A reply with this many events. All but the last event add text; a few more frame them. */
  readonly events: (count: number) => readonly string[];
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

function chatCompletions(count: number): readonly string[] {
  const texts = Array.from({ length: count - 1 }, (_, at) =>
    chatChunk({ delta: { content: wordAt(at) }, finish_reason: null }),
  );
  return [...texts, chatChunk({ delta: {}, finish_reason: 'stop' }), 'data: [DONE]\n\n'];
}

function contentGeneration(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => {
    const last = at === count - 1;
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
}

const namedEvent = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

const messagesEvent = (event: { readonly type: string; readonly [member: string]: unknown }) =>
  namedEvent(event.type, event);

function messages(count: number): readonly string[] {
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
  const texts = Array.from({ length: count - 1 }, (_, at) =>
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
      usage: { output_tokens: count },
    }),
    messagesEvent({ type: 'message_stop' }),
  ];
}

function responses(count: number): readonly string[] {
  const item = { id: 'msg_bench', type: 'message', role: 'assistant' };
  const place = { item_id: item.id, output_index: 0, content_index: 0 };
  const response = { id: 'resp_bench', object: 'response', created_at: 1_700_000_000, model: 'bench-model' };
  const words = Array.from({ length: count - 1 }, (_, at) => wordAt(at));
  const part = { type: 'output_text', text: words.join(''), annotations: [] };
  const done = { ...item, status: 'completed', content: [part] };
  const usage = { input_tokens: 4, output_tokens: count, total_tokens: count + 4 };
  const begun = { ...response, status: 'in_progress', output: [] };
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...item, status: 'in_progress', content: [] },
    },
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    ...words.map((delta) => ({ type: 'response.output_text.delta', ...place, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...place, text: part.text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part },
    { type: 'response.output_item.done', output_index: 0, item: done },
    { type: 'response.completed', response: { ...response, status: 'completed', output: [done], usage } },
  ];
  return events.map((event, at) => {
    const { type, ...members } = event;
    return namedEvent(type, { type, sequence_number: at, ...members });
  });
}

function interactions(count: number): readonly string[] {
  const interaction = { id: 'bench-interaction', object: 'interaction', model: 'bench-model' };
  const usage = { total_input_tokens: 4, total_output_tokens: count, total_tokens: count + 4 };
  const texts = Array.from({ length: count - 1 }, (_, at) => ({
    event_type: 'step.delta',
    index: 0,
    delta: { type: 'text', text: wordAt(at) },
  }));
  const events = [
    { event_type: 'interaction.created', interaction: { ...interaction, status: 'in_progress' } },
    { event_type: 'step.start', index: 0, step: { type: 'model_output' } },
    ...texts,
    { event_type: 'step.stop', index: 0 },
    { event_type: 'interaction.completed', interaction: { ...interaction, status: 'completed', usage } },
  ];
  return [...events.map((event) => namedEvent(event.event_type, event)), 'data: [DONE]\n\n'];
}

export const bodies: readonly StreamBody[] = [
  { route: /\/chat\/completions$/, events: chatCompletions },
  { route: /:streamGenerateContent/, events: contentGeneration },
  { route: /\/messages$/, events: messages },
  { route: /\/responses$/, events: responses },
  { route: /\/interactions/, events: interactions },
];
