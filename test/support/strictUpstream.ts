import assert from 'node:assert/strict';
import { type JsonObject, objectsIn } from '../../src/base/json.ts';
import type { TextFormatId } from '../../src/wire/apis/textFormats.ts';
import { type ScriptedUpstream, startUpstream } from './scriptedUpstream.ts';

/** The output of a model in one turn, in an API format. */
interface ScriptedTurn {
  /** The items that must come back unchanged. */
  readonly modelItems: readonly JsonObject[];
  readonly events: readonly (JsonObject | '[DONE]')[];
  /** The ids that its results must have; empty if the format uses their order. */
  readonly ids: readonly string[];
}

interface FormatScript {
  /** @param hasNoCalls whether the turn calls no tools */
  createTurn(nth: number, hasNoCalls: boolean): ScriptedTurn;
  /** Reads the model's items and the ids of the tool results from a request. */
  readRequest(body: JsonObject): {
    readonly modelItems: readonly JsonObject[];
    readonly results: readonly string[];
  };
}

const createSignature = (nth: number) => Buffer.from(`proof ${nth} \u00ff+/`).toString('base64');
const createArguments = (nth: number) => ({
  path: `src/${nth}.ts`,
  '10': true,
  '2': null,
  nested: { list: [1, 'ü😀'] },
});
const createThought = (nth: number) => `I think 😀 about ${nth}.\n\n  Then "more". `;
const usage = { prompt_tokens: 1000, completion_tokens: 20, total_tokens: 1020 };

/** Splits a text into two parts, because a stream may split it anywhere. */
function splitText(text: string): readonly [string, string] {
  return [text.slice(0, 9), text.slice(9)];
}

const chatCompletions: FormatScript = {
  createTurn(nth, hasNoCalls) {
    const ids = hasNoCalls ? [] : [`functions.read:${nth}`, `functions.read:${nth}b`];
    const details = [
      {
        type: 'reasoning.text',
        text: createThought(nth),
        format: 'anthropic-claude-v1',
        index: 0,
        signature: createSignature(nth),
      },
      {
        type: 'reasoning.encrypted',
        data: createSignature(nth),
        id: `r${nth}`,
        format: 'google-gemini-v1',
        index: 1,
      },
    ];
    const calls = ids.map((id, place) => ({
      id,
      type: 'function',
      function: { name: 'read', arguments: JSON.stringify(createArguments(nth)) },
      ...(place === 0 && { extra_content: { google: { thought_signature: createSignature(nth) } } }),
    }));
    const message = {
      role: 'assistant',
      content: `Turn ${nth}`,
      reasoning_content: createThought(nth),
      reasoning_details: details,
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    const delta = (value: object, finish_reason: string | null = null) => ({
      id: 'c',
      choices: [{ index: 0, delta: value, finish_reason }],
    });
    const [first, second] = splitText(createThought(nth));
    const events = [
      delta({ role: 'assistant', content: '' }),
      delta({
        reasoning_content: first,
        reasoning_details: [{ ...details[0], text: first, signature: null }],
      }),
      delta({ reasoning_content: second, reasoning_details: [{ ...details[0], text: second }] }),
      delta({ reasoning_details: [details[1] ?? {}] }),
      delta({ content: 'Turn ' }),
      delta({ content: String(nth) }),
      ...calls.flatMap(({ function: { arguments: json, name }, ...call }, index) => [
        delta({ tool_calls: [{ index, ...call, function: { name, arguments: '' } }] }),
        ...splitText(json).map((piece) => delta({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
      delta({}, hasNoCalls ? 'stop' : 'tool_calls'),
      { id: 'c', choices: [], usage },
      '[DONE]' as const,
    ];
    return { modelItems: [message], events, ids };
  },
  readRequest({ messages }) {
    const list = objectsIn(messages);
    return {
      modelItems: list.filter(({ role }) => role === 'assistant'),
      results: list.filter(({ role }) => role === 'tool').map(({ tool_call_id: id }) => String(id)),
    };
  },
};

const contentGeneration: FormatScript = {
  createTurn(nth, hasNoCalls) {
    const call = { functionCall: { name: 'read', args: createArguments(nth) } };
    const signed = { ...call, thoughtSignature: createSignature(nth) };
    const modelItems: readonly JsonObject[] = [
      { text: createThought(nth), thought: true },
      { text: `Turn ${nth}` },
      ...(hasNoCalls ? [{ text: '', thoughtSignature: createSignature(nth) }] : [signed, call]),
    ];
    const event = (parts: readonly JsonObject[], more: object = {}) => ({
      candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
    });
    const events = [
      ...splitText(createThought(nth)).map((text) => event([{ text, thought: true }])),
      event([{ text: 'Turn ' }]),
      event([{ text: String(nth) }]),
      ...modelItems.slice(2).map((part) => event([part])),
      {
        ...event([], { finishReason: 'STOP' }),
        usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 20, totalTokenCount: 1020 },
      },
    ];
    return { modelItems, events, ids: hasNoCalls ? [] : ['', ''] };
  },
  readRequest({ contents }) {
    const turns = objectsIn(contents);
    const parts = (role: string) =>
      turns.filter((turn) => turn.role === role).flatMap((turn) => objectsIn(turn.parts));
    const results = parts('user').filter(({ functionResponse }) => functionResponse);
    return {
      modelItems: parts('model'),
      results: results.map(({ functionResponse }) => String((functionResponse as JsonObject).id ?? '')),
    };
  },
};

const messages: FormatScript = {
  createTurn(nth, hasNoCalls) {
    const ids = hasNoCalls ? [] : [`toolu_${nth}`, `toolu_${nth}b`];
    const modelItems: readonly JsonObject[] = [
      { type: 'thinking', thinking: createThought(nth), signature: createSignature(nth) },
      { type: 'redacted_thinking', data: createSignature(nth) },
      { type: 'text', text: `Turn ${nth}` },
      ...ids.flatMap((id) => [
        { type: 'thinking', thinking: `Between ${id}`, signature: createSignature(nth) },
        { type: 'tool_use', id, name: 'read', input: createArguments(nth) },
      ]),
    ];
    const blocks = modelItems.flatMap((block, index): readonly JsonObject[] => {
      const start = (content_block: object) => ({ type: 'content_block_start', index, content_block });
      const delta = (value: object) => ({ type: 'content_block_delta', index, delta: value });
      const stop = { type: 'content_block_stop', index };
      switch (block.type) {
        case 'thinking': {
          const pieces = splitText(String(block.thinking)).map((thinking) =>
            delta({ type: 'thinking_delta', thinking }),
          );
          const sign = delta({ type: 'signature_delta', signature: block.signature });
          return [start({ type: 'thinking', thinking: '', signature: '' }), ...pieces, sign, stop];
        }
        case 'text':
          return [start({ type: 'text', text: '' }), delta({ type: 'text_delta', text: block.text }), stop];
        case 'tool_use': {
          const pieces = splitText(JSON.stringify(block.input));
          const json = pieces.map((partial_json) => delta({ type: 'input_json_delta', partial_json }));
          return [start({ ...block, input: {} }), ...json, stop];
        }
        default:
          return [start(block), stop];
      }
    });
    const events = [
      {
        type: 'message_start',
        message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 1000 } },
      },
      ...blocks,
      {
        type: 'message_delta',
        delta: { stop_reason: hasNoCalls ? 'end_turn' : 'tool_use' },
        usage: { output_tokens: 20 },
      },
      { type: 'message_stop' },
    ];
    return { modelItems, events, ids };
  },
  readRequest({ messages: list }) {
    const blocks = (role: string) =>
      objectsIn(list)
        .filter((message) => message.role === role)
        .flatMap(({ content }) => objectsIn(content));
    const results = blocks('user').filter(({ type }) => type === 'tool_result');
    return { modelItems: blocks('assistant'), results: results.map(({ tool_use_id: id }) => String(id)) };
  },
};

const responses: FormatScript = {
  createTurn(nth, hasNoCalls) {
    const ids = hasNoCalls ? [] : [`call_${nth}`, `call_${nth}b`];
    const summary = [createThought(nth), 'And on.'].map((text) => ({ type: 'summary_text', text }));
    const text = { type: 'output_text', text: `Turn ${nth}`, annotations: [] };
    const modelItems: readonly JsonObject[] = [
      { type: 'reasoning', id: `rs_${nth}`, summary, encrypted_content: createSignature(nth) },
      { type: 'message', id: `msg_${nth}`, role: 'assistant', content: [text], phase: 'commentary' },
      ...ids.map((call_id) => ({
        type: 'function_call',
        id: `fc_${call_id}`,
        call_id,
        name: 'read',
        arguments: JSON.stringify(createArguments(nth)),
        status: 'completed',
      })),
    ];
    const events = [
      { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } },
      ...modelItems.flatMap((item, output_index): readonly JsonObject[] => {
        const { summary: _s, content: _c, arguments: _a, encrypted_content: _e, ...begun } = item;
        return [
          { type: 'response.output_item.added', output_index, item: begun },
          ...(item.type === 'message'
            ? [{ type: 'response.output_text.delta', output_index, delta: `Turn ${nth}` }]
            : []),
          { type: 'response.output_item.done', output_index, item },
        ];
      }),
      {
        type: 'response.completed',
        response: {
          id: 'r',
          status: 'completed',
          output: nth % 2 === 0 ? modelItems : [],
          usage: { input_tokens: 1000, output_tokens: 20, total_tokens: 1020 },
        },
      },
    ].map((event, sequence_number) => ({ ...event, sequence_number }));
    return { modelItems, events, ids };
  },
  readRequest({ input }) {
    const items = objectsIn(input);
    const results = items.filter(({ type }) => type === 'function_call_output');
    const isModelItem = ({ type, role }: JsonObject) =>
      type === 'reasoning' || type === 'function_call' || role === 'assistant';
    return { modelItems: items.filter(isModelItem), results: results.map(({ call_id: id }) => String(id)) };
  },
};

const interactions: FormatScript = {
  createTurn(nth, hasNoCalls) {
    const ids = hasNoCalls ? [] : [`fc_${nth}`, `fc_${nth}b`];
    const modelItems: readonly JsonObject[] = [
      {
        type: 'thought',
        signature: createSignature(nth),
        summary: [{ type: 'text', text: createThought(nth) }],
      },
      { type: 'model_output', content: [{ type: 'text', text: `Turn ${nth}` }] },
      ...ids.map((id) => ({
        type: 'function_call',
        id,
        name: 'read',
        arguments: createArguments(nth),
        signature: createSignature(nth),
      })),
    ];
    const steps = modelItems.flatMap((step, index): readonly JsonObject[] => {
      const start = (begun: object) => ({ event_type: 'step.start', index, step: begun });
      const delta = (value: object) => ({ event_type: 'step.delta', index, delta: value });
      const stop = { event_type: 'step.stop', index };
      if (step.type === 'thought') {
        const pieces = splitText(createThought(nth)).map((text) =>
          delta({ type: 'thought_summary', content: { type: 'text', text } }),
        );
        return [
          start({ type: 'thought' }),
          ...pieces,
          delta({ type: 'thought_signature', signature: createSignature(nth) }),
          stop,
        ];
      }
      if (step.type === 'model_output')
        return [
          start({ type: 'model_output' }),
          ...splitText(`Turn ${nth}`).map((text) => delta({ type: 'text', text })),
          stop,
        ];
      const pieces = splitText(JSON.stringify(createArguments(nth))).map((piece) =>
        delta({ type: 'arguments_delta', arguments: piece }),
      );
      return [start({ ...step, arguments: {} }), ...pieces, stop];
    });
    const events = [
      { event_type: 'interaction.created', interaction: { id: 'i', status: 'in_progress' } },
      ...steps,
      {
        event_type: 'interaction.completed',
        interaction: {
          id: 'i',
          status: hasNoCalls ? 'completed' : 'requires_action',
          usage: { total_input_tokens: 1000, total_output_tokens: 20, total_tokens: 1020 },
        },
      },
      '[DONE]' as const,
    ];
    return { modelItems, events, ids };
  },
  readRequest({ input }) {
    const steps = objectsIn(input);
    const results = steps.filter(({ type }) => type === 'function_result');
    const isModelItem = ({ type }: JsonObject) => type !== 'user_input' && type !== 'function_result';
    return { modelItems: steps.filter(isModelItem), results: results.map(({ call_id: id }) => String(id)) };
  },
};

const scripts: Readonly<Record<TextFormatId, FormatScript>> = {
  chatCompletions,
  contentGeneration,
  messages,
  responses,
  interactions,
};

/** Handles one request of a conversation and returns the status and the body of the reply. */
export type StrictProvider = (request: string) => { readonly status: number; readonly body: string };

/**
 * Creates a provider that thinks, and calls two tools in each turn except every fifth one and the last. It rejects
 * a request if any of its earlier output, an id or the order has changed.
 */
export function createStrictProvider(format: TextFormatId, turnCount: number): StrictProvider {
  const script = scripts[format];
  const turns: ScriptedTurn[] = [];
  return (request) => {
    try {
      const { modelItems, results } = script.readRequest(JSON.parse(request) as JsonObject);
      assert.deepEqual(
        modelItems,
        turns.flatMap((turn) => turn.modelItems),
      );
      assert.deepEqual(
        results,
        turns.flatMap((turn) => turn.ids),
      );
    } catch (error) {
      const message = String(error).slice(0, 4000);
      return { status: 400, body: JSON.stringify({ error: { message, code: 400 } }) };
    }
    const turn = script.createTurn(turns.length, turns.length % 5 === 4 || turns.length === turnCount - 1);
    turns.push(turn);
    const data = turn.events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)));
    return { status: 200, body: data.map((line) => `data: ${line}\n\n`).join('') };
  };
}

/** Starts an upstream with a strict provider for one conversation. */
export function startStrictUpstream(format: TextFormatId, turns: number): Promise<ScriptedUpstream> {
  const handle = createStrictProvider(format, turns);
  return startUpstream((request, res) => {
    const { status, body } = handle(request.body.toString());
    res.writeHead(status, { 'content-type': status === 200 ? 'text/event-stream' : 'application/json' });
    res.end(body);
  });
}
