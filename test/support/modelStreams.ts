import type { TextFormatId } from '../../src/wire/apis/textFormats.ts';

// Streams of a model's turn, byte for byte as its provider writes them.

export interface ToolCall {
  readonly name: string;
  readonly arguments: object;
}

/** Writes a turn with a tool call. */
export function streamToolCall(format: TextFormatId, call: ToolCall): string {
  return callWriters[format](call);
}

/** Writes a turn with a text. `tokensIn` is the provider's count of input tokens. */
export function streamText(format: TextFormatId, text: string, tokensIn?: number): string {
  return textWriters[format](text, tokensIn);
}

/** Writes a turn with reasoning before its text. */
export function streamReasoning(format: TextFormatId, thought: string, text: string): string {
  return reasoningWriters[format](thought, text);
}

/** Writes a turn with a long text, in two parts. */
export function halveText(format: TextFormatId): readonly [string, string] {
  const text = streamText(format, 'Half of a long text');
  const end = text.lastIndexOf('data:', text.length * 0.7);
  return [text.slice(0, end), text.slice(end)];
}

const callWriters: Readonly<Record<TextFormatId, (call: ToolCall) => string>> = {
  chatCompletions({ name, arguments: input }) {
    const json = JSON.stringify(input);
    const half = Math.floor(json.length / 2);
    const start = { index: 0, id: 'call_1', type: 'function', function: { name, arguments: '' } };
    const pieces = [json.slice(0, half), json.slice(half)].map((piece) => ({
      tool_calls: [{ index: 0, function: { arguments: piece } }],
    }));
    return writeChunks([{ role: 'assistant', content: null, tool_calls: [start] }, ...pieces], 'tool_calls');
  },
  contentGeneration: ({ name, arguments: args }) => writeGenerated({ functionCall: { name, args } }),
  messages({ name, arguments: input }) {
    const block = { type: 'tool_use', id: 'toolu_1', name, input: {} };
    return writeMessage(block, { type: 'input_json_delta', partial_json: JSON.stringify(input) }, 'tool_use');
  },
  responses({ name, arguments: input }) {
    const call = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name };
    const json = JSON.stringify(input);
    const at = { item_id: 'fc_1', output_index: 0 };
    return writeResponse({ ...call, arguments: '' }, { ...call, arguments: json }, [
      ['response.function_call_arguments.delta', { ...at, delta: json }],
      ['response.function_call_arguments.done', { ...at, name, arguments: json }],
    ]);
  },
  interactions: ({ name, arguments: input }) =>
    streamInteraction(
      { type: 'function_call', id: 'fc_1', name, arguments: {} },
      { type: 'arguments_delta', arguments: JSON.stringify(input) },
      'requires_action',
    ),
};

const textWriters: Readonly<Record<TextFormatId, (text: string, tokensIn?: number) => string>> = {
  chatCompletions(text, tokensIn) {
    const deltas = splitWords(text).map((content) => ({ content }));
    return writeChunks([{ role: 'assistant', content: '' }, ...deltas], 'stop', tokensIn);
  },
  contentGeneration: (text, tokensIn) => writeGenerated({ text }, tokensIn),
  messages: (text, tokensIn) =>
    writeMessage({ type: 'text', text: '' }, { type: 'text_delta', text }, 'end_turn', tokensIn),
  responses(text, tokensIn) {
    const item = { id: 'msg_1', type: 'message', role: 'assistant' };
    const part = { type: 'output_text', text, annotations: [] };
    const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
    const between = [
      ['response.content_part.added', { ...at, part: { ...part, text: '' } }],
      ...splitWords(text).map((delta) => ['response.output_text.delta', { ...at, delta }] as const),
      ['response.output_text.done', { ...at, text }],
      ['response.content_part.done', { ...at, part }],
    ] as const;
    return writeResponse({ ...item, content: [] }, { ...item, content: [part] }, between, tokensIn);
  },
  interactions: (text, tokensIn) =>
    streamInteraction({ type: 'model_output' }, { type: 'text', text }, 'completed', tokensIn),
};

const reasoningWriters: Readonly<Record<TextFormatId, (thought: string, text: string) => string>> = {
  chatCompletions: (thought, text) =>
    writeChunks([{ reasoning_content: thought }, { content: text }], 'stop'),
  contentGeneration: (thought, text) =>
    writeData({ candidates: [{ content: { parts: [{ text: thought, thought: true }] }, index: 0 }] }) +
    textWriters.contentGeneration(text),
  messages(thought, text) {
    const reply = textWriters.messages(text).replaceAll('"index":0', '"index":1');
    const reasoning = [
      writeEvent('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '' } }),
      writeEvent('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: thought } }),
      writeEvent('content_block_stop', { index: 0 }),
    ].join('');
    return reply.replace('event: content_block_start', `${reasoning}event: content_block_start`);
  },
  responses(thought, text) {
    const reply = textWriters.responses(text).replaceAll('"output_index":0', '"output_index":1');
    const item = { id: 'rs_1', type: 'reasoning', summary: [] };
    const at = { item_id: 'rs_1', output_index: 0, summary_index: 0 };
    const reasoning = [
      writeEvent('response.output_item.added', { output_index: 0, item }),
      writeEvent('response.reasoning_summary_text.delta', { ...at, delta: thought }),
      writeEvent('response.output_item.done', { output_index: 0, item }),
    ].join('');
    return reply.replace(
      'event: response.output_item.added',
      `${reasoning}event: response.output_item.added`,
    );
  },
  interactions(thought, text) {
    const reply = textWriters.interactions(text).replaceAll('"index":0', '"index":1');
    const summary = { type: 'thought_summary', content: { type: 'text', text: thought } };
    const [created = '', ...others] = reply.split('\n\n');
    const reasoning = [
      { event_type: 'step.start', index: 0, step: { type: 'thought' } },
      { event_type: 'step.delta', index: 0, delta: summary },
      { event_type: 'step.stop', index: 0 },
    ].map((event) => `data: ${JSON.stringify(event)}`);
    return [created, ...reasoning, ...others].join('\n\n');
  },
};

function splitWords(text: string): readonly string[] {
  return text.match(/\S+\s*/g) ?? [];
}

function writeData(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function writeEvent(type: string, value: object): string {
  return `event: ${type}\n${writeData({ type, ...value })}`;
}

function writeChunks(deltas: readonly object[], finish: string, tokensIn = 9): string {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const chunk = (delta: object, finish_reason: string | null) =>
    writeData({ ...head, choices: [{ index: 0, delta, finish_reason }] });
  const usage = { prompt_tokens: tokensIn, completion_tokens: 2, total_tokens: tokensIn + 2 };
  return [
    ...deltas.map((delta) => chunk(delta, null)),
    chunk({}, finish),
    writeData({ ...head, choices: [], usage }),
    'data: [DONE]\n\n',
  ].join('');
}

function writeGenerated(part: object, tokensIn = 4): string {
  const candidates = [{ content: { parts: [part], role: 'model' }, finishReason: 'STOP', index: 0 }];
  const usageMetadata = {
    promptTokenCount: tokensIn,
    candidatesTokenCount: 1,
    totalTokenCount: tokensIn + 1,
  };
  const chunk = { candidates, usageMetadata, modelVersion: 'm', responseId: 'r1' };
  return `data: ${JSON.stringify(chunk)}\r\n\r\n`;
}

function writeMessage(block: object, delta: object, stop_reason: string, tokensIn = 12): string {
  const start = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: tokensIn, output_tokens: 1 },
  };
  return [
    writeEvent('message_start', { message: start }),
    writeEvent('content_block_start', { index: 0, content_block: block }),
    writeEvent('ping', {}),
    writeEvent('content_block_delta', { index: 0, delta }),
    writeEvent('content_block_stop', { index: 0 }),
    writeEvent('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 3 } }),
    writeEvent('message_stop', {}),
  ].join('');
}

function writeResponse(
  begun: object,
  done: object,
  between: readonly (readonly [string, object])[],
  tokensIn = 3,
): string {
  const head = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', error: null };
  const usage = { input_tokens: tokensIn, output_tokens: 1, total_tokens: tokensIn + 1 };
  const status = (word: string) => ({ status: word });
  const events: readonly (readonly [string, object])[] = [
    ['response.created', { response: { ...head, ...status('in_progress'), output: [] } }],
    ['response.output_item.added', { output_index: 0, item: { ...begun, ...status('in_progress') } }],
    ...between,
    ['response.output_item.done', { output_index: 0, item: { ...done, ...status('completed') } }],
    ['response.completed', { response: { ...head, ...status('completed'), output: [done], usage } }],
  ];
  return events
    .map(([type, value], sequence_number) => writeEvent(type, { sequence_number, ...value }))
    .join('');
}

function streamInteraction(step: object, delta: object, status: string, tokensIn = 5): string {
  const head = { id: 'v1_1', object: 'interaction', model: 'm' };
  const usage = { total_input_tokens: tokensIn, total_output_tokens: 2, total_tokens: tokensIn + 2 };
  return [
    { event_type: 'interaction.created', interaction: { ...head, status: 'in_progress' } },
    { event_type: 'step.start', index: 0, step },
    { event_type: 'step.delta', index: 0, delta },
    { event_type: 'step.stop', index: 0 },
    { event_type: 'interaction.completed', interaction: { ...head, status, usage } },
  ]
    .map((event) => `data: ${JSON.stringify(event)}\n\n`)
    .join('');
}
