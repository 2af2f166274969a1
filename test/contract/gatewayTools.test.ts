import assert from 'node:assert/strict';
import type { Message, MessagePart } from '../../src/wire/message.ts';
import {
  chatCompletionsCaller,
  createQuestion,
  type FormatCaller,
  formatCallers,
  generationArrayCaller,
  generationEventsCaller,
  interactionsCaller,
  messagesCaller,
  type ReadReply,
  readReply,
  responsesCaller,
  sendQuestion,
} from '../support/formatCallers.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = ['get_weather', 'get_time'].map((name) => ({ name, description: 'Returns it.' }));

/** The declaration of tools in each format. */
const offers: ReadonlyMap<FormatCaller, object> = new Map<FormatCaller, object>([
  [
    chatCompletionsCaller,
    { tools: tools.map((tool) => ({ type: 'function', function: { ...tool, parameters: schema } })) },
  ],
  ...[generationEventsCaller, generationArrayCaller].map((caller): [FormatCaller, object] => [
    caller,
    { tools: [{ functionDeclarations: tools.map((tool) => ({ ...tool, parameters: schema })) }] },
  ]),
  ...[interactionsCaller, responsesCaller].map((caller): [FormatCaller, object] => [
    caller,
    { tools: tools.map((tool) => ({ type: 'function', ...tool, parameters: schema })) },
  ]),
  [messagesCaller, { tools: tools.map((tool) => ({ ...tool, input_schema: schema })) }],
]);

describe('the demo models of the local gateway', function () {
  this.timeout(20_000);
  let gateway: RunningGateway;

  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  async function reply(caller: FormatCaller, stream: boolean, messages: readonly Message[], fields?: object) {
    const response = await sendQuestion(gateway, caller, {
      model: 'demo/reasoning',
      messages,
      stream,
      fields,
    });
    assert.equal(response.status, 200, caller.name);
    return readReply(response, caller);
  }
  const userMessage = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] });
  const listCalls = ({ calls }: ReadReply) =>
    calls.map(({ name, arguments: json }) => [name, JSON.parse(json)]);

  for (const caller of formatCallers) {
    for (const stream of [false, true]) {
      const mode = `in ${caller.name}, ${stream ? 'streamed' : 'whole'}`;

      it(`call offered tools on request, and continue from their results, ${mode}`, async () => {
        const fields = offers.get(caller);
        const prompt = userMessage('Call all tools, for "Paris" and "Rome"');
        const first = await reply(caller, stream, [prompt], fields);
        assert.deepEqual(listCalls(first), [
          ['get_weather', { city: 'Paris' }],
          ['get_time', { city: 'Rome' }],
        ]);
        assert.equal(first.finish, 'tool-calls');
        assert.deepEqual(first.conclusion, { kind: 'complete' });
        assert.equal(new Set(first.calls.map(({ id }) => id)).size, 2);
        assert.match(first.text, /I call `get_weather`, `get_time`, 2 calls in all/);
        assert.ok((first.usage?.outputTokens ?? 0) > 20);

        const calls: readonly MessagePart[] = first.calls.map((call) => ({ type: 'toolCall', ...call }));
        const results: readonly MessagePart[] = first.calls.map(({ id, name }) => ({
          type: 'toolResult',
          id,
          name,
          text: `${name} says 7`,
        }));
        const messages: readonly Message[] = [
          prompt,
          { role: 'assistant', parts: calls },
          { role: 'user', parts: results },
        ];
        const second = await reply(caller, stream, messages, fields);
        assert.deepEqual([second.calls, second.finish], [[], 'stop']);
        assert.match(second.text, /the 2 calls returned/);
        assert.match(second.text, /`get_weather` returned:\n\n> get_weather says 7/);
      });

      it(`do not call tools that are not offered or not requested, ${mode}`, async () => {
        const unoffered = await reply(caller, stream, [userMessage('Call the tool')]);
        assert.deepEqual(unoffered.calls, []);
        assert.match(unoffered.text, /does not allow tool calls/);
        const notRequested = await reply(caller, stream, [userMessage('Hello')], offers.get(caller));
        assert.deepEqual([notRequested.calls, notRequested.finish], [[], 'stop']);
      });

      it(`draw a picture on request, if the format has pictures, ${mode}`, async () => {
        const { media, text, conclusion } = await reply(caller, stream, [userMessage('Draw a cat')]);
        assert.deepEqual(conclusion, { kind: 'complete' });
        if (caller === messagesCaller) {
          assert.deepEqual(media, []);
          assert.match(text, /Replies in this API format cannot contain pictures/);
          return;
        }
        assert.deepEqual(
          media.map(({ mimeType, data }) => [mimeType, Buffer.from(data, 'base64').toString('latin1', 1, 4)]),
          [['image/png', 'PNG']],
        );
        assert.match(text, /Here is a picture/);
      });
    }
  }

  it('draw the same picture in every format', async () => {
    const drawn = await Promise.all(
      formatCallers.map(
        async (caller) => (await reply(caller, true, [userMessage('Draw a cat')])).media[0]?.data,
      ),
    );
    assert.equal(new Set(drawn.filter((data) => data !== undefined)).size, 1);
  });

  const demands: readonly (readonly [caller: FormatCaller, fields: object, calls: readonly string[]])[] = [
    [chatCompletionsCaller, { tool_choice: 'required' }, ['get_weather']],
    [
      chatCompletionsCaller,
      { tool_choice: { type: 'function', function: { name: 'get_time' } } },
      ['get_time'],
    ],
    [chatCompletionsCaller, { tool_choice: 'none' }, []],
    [
      chatCompletionsCaller,
      {
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'get_time' } }] },
        },
      },
      ['get_time'],
    ],
    [responsesCaller, { tool_choice: { type: 'function', name: 'get_time' } }, ['get_time']],
    [messagesCaller, { tool_choice: { type: 'tool', name: 'get_time' } }, ['get_time']],
    [messagesCaller, { tool_choice: { type: 'any' } }, ['get_weather']],
    [messagesCaller, { tool_choice: { type: 'none' } }, []],
    [interactionsCaller, { generation_config: { tool_choice: 'any' } }, ['get_weather']],
    [
      interactionsCaller,
      { generation_config: { tool_choice: { allowed_tools: { mode: 'any', tools: ['get_time'] } } } },
      ['get_time'],
    ],
    [
      generationEventsCaller,
      { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['get_time'] } } },
      ['get_time'],
    ],
    [generationEventsCaller, { toolConfig: { functionCallingConfig: { mode: 'NONE' } } }, []],
  ];
  for (const [caller, fields, expected] of demands) {
    it(`call the tools that the request requires in ${caller.name}: ${JSON.stringify(fields)}`, async () => {
      const offer = { ...offers.get(caller), ...fields };
      const { calls } = await reply(caller, false, [userMessage('Hello')], offer);
      assert.deepEqual(
        calls.map(({ name }) => name),
        expected,
      );
    });
  }

  it('call one tool at a time if the request requires it', async () => {
    const requests: readonly (readonly [caller: FormatCaller, fields: object])[] = [
      [chatCompletionsCaller, { parallel_tool_calls: false }],
      [responsesCaller, { parallel_tool_calls: false }],
      [messagesCaller, { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }],
    ];
    for (const [caller, fields] of requests) {
      const offer = { ...offers.get(caller), ...fields };
      const { calls } = await reply(caller, true, [userMessage('Call all tools')], offer);
      assert.equal(calls.length, 1, caller.name);
    }
  });

  it('draw a picture for every prompt if the request requires a picture', async () => {
    const requests: readonly (readonly [caller: FormatCaller, fields: object])[] = [
      [chatCompletionsCaller, { modalities: ['image', 'text'] }],
      [generationEventsCaller, { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } }],
      [interactionsCaller, { response_format: { type: 'image' } }],
      [responsesCaller, { tools: [{ type: 'image_generation' }], tool_choice: { type: 'image_generation' } }],
    ];
    for (const [caller, fields] of requests) {
      const { media } = await reply(caller, true, [userMessage('Hello')], fields);
      assert.equal(media.length, 1, caller.name);
    }
  });

  it('are cut before a call or a picture that exceeds the token limit', async () => {
    for (const caller of formatCallers) {
      for (const text of ['Call the tool', 'Draw a cat']) {
        const request = createQuestion(text, { stream: true, maxTokens: 5 });
        const response = await sendQuestion(gateway, caller, { ...request, fields: offers.get(caller) });
        const { calls, media, finish } = await readReply(response, caller);
        assert.deepEqual([calls.length, media.length, finish], [0, 0, 'length'], caller.name);
      }
    }
  });
});
