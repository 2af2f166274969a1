import type { JsonObject } from '../../src/base/json.ts';
import type { TextFormatId } from '../../src/wire/apis/textFormats.ts';

/** A tool call as a model writes it, valid or not. */
export interface JsonToolCall {
  readonly name: string;
  /** The text of its arguments. */
  readonly json: string;
}

type Event = JsonObject | '[DONE]';

/** Writes the stream of a reply that consists of tool calls, in an API format. */
export function streamToolCalls(format: TextFormatId, calls: readonly JsonToolCall[]): string {
  const events = writers[format](calls);
  return events
    .map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    .join('');
}

const writers: Readonly<Record<TextFormatId, (calls: readonly JsonToolCall[]) => readonly Event[]>> = {
  chatCompletions: (calls) => [
    ...calls.map(({ name, json }, index) => ({
      id: 'c',
      choices: [
        {
          index: 0,
          delta: {
            tool_calls: [
              { index, id: `call-${index}`, type: 'function', function: { name, arguments: json } },
            ],
          },
        },
      ],
    })),
    { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    '[DONE]',
  ],
  contentGeneration: (calls) => [
    {
      candidates: [
        {
          index: 0,
          content: {
            role: 'model',
            parts: calls.map(({ name, json }) => ({ functionCall: { name, args: JSON.parse(json) } })),
          },
          finishReason: 'STOP',
        },
      ],
    },
  ],
  messages: (calls) => [
    { type: 'message_start', message: { id: 'm', role: 'assistant', content: [] } },
    ...calls.flatMap(({ name, json }, index) => [
      {
        type: 'content_block_start',
        index,
        content_block: { type: 'tool_use', id: `toolu_${index}`, name, input: {} },
      },
      { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: json } },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    { type: 'message_stop' },
  ],
  responses: (calls) => {
    const items = calls.map(({ name, json }, nth) => ({
      type: 'function_call',
      id: `fc_${nth}`,
      call_id: `call_${nth}`,
      name,
      arguments: json,
    }));
    return [
      { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } },
      ...items.flatMap((item, output_index) => [
        { type: 'response.output_item.added', output_index, item: { ...item, arguments: '' } },
        {
          type: 'response.function_call_arguments.delta',
          output_index,
          item_id: item.id,
          delta: item.arguments,
        },
        { type: 'response.output_item.done', output_index, item },
      ]),
      { type: 'response.completed', response: { id: 'r', status: 'completed', output: items } },
    ];
  },
  interactions: (calls) => [
    { event_type: 'interaction.created', interaction: { id: 'i', status: 'in_progress' } },
    ...calls.flatMap(({ name, json }, index) => [
      {
        event_type: 'step.start',
        index,
        step: { type: 'function_call', id: `fc_${index}`, name, arguments: {} },
      },
      { event_type: 'step.delta', index, delta: { type: 'arguments_delta', arguments: json } },
      { event_type: 'step.stop', index },
    ]),
    { event_type: 'interaction.completed', interaction: { id: 'i', status: 'requires_action' } },
    '[DONE]',
  ],
};
