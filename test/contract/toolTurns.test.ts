import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../src/base/json.ts';
import { createGatewayClient } from '../../src/client/gatewayClient.ts';
import { VerbatimTurnStore } from '../../src/conversations/verbatim/verbatimTurnStore.ts';
import { VerbatimTurns } from '../../src/conversations/verbatim/verbatimTurns.ts';
import { type ModelReply, sendToModel } from '../../src/host/agents/languageModels/reply/sendToModel.ts';
import type { VsCodeMessage } from '../../src/host/agents/languageModels/reply/vsCodeMessages.ts';
import { type TextFormatId, textFormats } from '../../src/wire/apis/textFormats.ts';
import type { ThinkTags } from '../../src/wire/stream/thinkTags.ts';
import { startUpstream } from '../support/scriptedUpstream.ts';
import { startStrictUpstream } from '../support/strictUpstream.ts';

const turns = 50;
const tools = [{ name: 'read', description: 'Reads a file.', inputSchema: { type: 'object' } }];

/** A window with its own memory and the file that all windows share. */
function openWindow(folder: string) {
  const store = new VerbatimTurnStore(join(folder, 'verbatimTurns.sqlite'));
  const memory = new VerbatimTurns(
    { add: async (turn) => store.add(turn, Date.now()), find: async (ids) => store.find(ids) },
    (error) => assert.fail(String(error)),
  );
  return {
    memory,
    close: () => store.close(),
  };
}

describe('an agent that calls tools for fifty turns', function () {
  this.timeout(60_000);
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'turns-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  for (const { id: format, label } of textFormats) {
    for (const keepsThinking of [true, false]) {
      const mode = keepsThinking ? 'keeps' : 'drops';

      it(`sends back the model’s turns unchanged, across restarts, in ${label}, if the host ${mode} reasoning`, async () => {
        const upstream = await startStrictUpstream(format, turns);
        const client = createGatewayClient({
          baseUrl: upstream.baseUrl.replace(/\/v1$/, ''),
          credential: async () => 'credential-of-this-test',
        });
        const messages: VsCodeMessage[] = [
          { role: 3, content: [{ value: 'You are an agent.' }] },
          { role: 1, content: [{ value: 'Read all files.' }] },
        ];
        let window = openWindow(folder);
        try {
          for (let nth = 0; nth < turns; nth++) {
            if (nth % 10 === 9) {
              await window.close();
              window = openWindow(folder);
            }
            let text = '';
            let reasoning = '';
            const { result, accepted, storeTurn }: ModelReply = await sendToModel(
              client,
              { turnModel: { gateway: 'g', model: 'm', format }, messages, options: { tools }, caching: {} },
              window.memory,
              {
                text: (piece) => (text += piece),
                reasoning: (piece) => (reasoning += piece),
                file: () => {},
              },
              new AbortController().signal,
            );
            const { outcome } = result;
            assert.equal(outcome.kind, 'complete', 'error' in outcome ? outcome.error.gatewayMessage : '');
            assert.equal(text, `Turn ${nth}`);
            assert.ok(reasoning.startsWith('I think 😀 about'), reasoning);
            assert.equal(result.usage?.inputTokens, 1000);
            storeTurn(text);
            const hasCalls = nth % 5 < 4 && nth < turns - 1;
            assert.equal(accepted.length, hasCalls ? 2 : 0);
            for (const { outcome: call } of accepted) assert.equal(call.input.path, `src/${nth}.ts`);
            const thinking = keepsThinking ? [{ value: reasoning, id: 'thinking', metadata: undefined }] : [];
            const calls = accepted.map(({ id, outcome: { name, input } }) => ({ callId: id, name, input }));
            messages.push({ role: 2, content: [...thinking, { value: text }, ...calls] });
            if (!hasCalls) messages.push({ role: 1, content: [{ value: 'Go on.' }] });
            // Parallel tools end in any order, each in a separate message.
            for (const { callId } of calls.toReversed())
              messages.push({ role: 1, content: [{ callId, content: [{ value: `Result of ${callId}` }] }] });
          }
        } finally {
          await window.close();
          await client.close();
          await upstream.close();
        }
      });
    }
  }
});

/** A model's turn without tool calls, with its proof, in each format. */
const textReplies: readonly {
  readonly format: TextFormatId;
  readonly part: JsonObject;
  readonly events: readonly JsonObject[];
}[] = [
  {
    format: 'messages',
    part: { type: 'thinking', thinking: 'Hm.', signature: 'proof-1' },
    events: [
      { type: 'message_start', message: { id: 'm', role: 'assistant', content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'proof-1' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Done.' } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      { type: 'message_stop' },
    ],
  },
  {
    format: 'contentGeneration',
    part: { text: 'Done.', thoughtSignature: 'proof-1' },
    events: [
      {
        candidates: [
          {
            content: { role: 'model', parts: [{ text: 'Done.', thoughtSignature: 'proof-1' }] },
            finishReason: 'STOP',
          },
        ],
      },
    ],
  },
  {
    format: 'chatCompletions',
    part: {
      role: 'assistant',
      content: 'Done.',
      extra_content: { google: { thought_signature: 'proof-1' } },
    },
    events: [
      {
        choices: [
          {
            index: 0,
            delta: { content: 'Done.', extra_content: { google: { thought_signature: 'proof-1' } } },
            finish_reason: 'stop',
          },
        ],
      },
    ],
  },
];

describe('a reply of text only', () => {
  for (const { format, part, events } of textReplies) {
    it(`has its signature sent back unless its text, question, place or model changed, in ${format}`, async () => {
      const bodies: string[] = [];
      const upstream = await startUpstream((request, res) => {
        bodies.push(request.body.toString());
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
      });
      const client = createGatewayClient({
        baseUrl: upstream.baseUrl.replace(/\/v1$/, ''),
        credential: async () => 'credential-of-this-test',
      });
      const memory = new VerbatimTurns({ add: async () => {}, find: async () => [] }, (error) =>
        assert.fail(String(error)),
      );
      const send = async (texts: readonly string[], model = 'm') => {
        const messages = texts.map((value, nth) => ({ role: nth % 2 === 0 ? 1 : 2, content: [{ value }] }));
        const sink = { text: () => {}, reasoning: () => {}, file: () => {} };
        const request = { gateway: 'g', model, format };
        const reply = await sendToModel(
          client,
          { turnModel: request, messages, options: {}, caching: {} },
          memory,
          sink,
          new AbortController().signal,
        );
        reply.storeTurn('Done.');
        return bodies.at(-1) ?? '';
      };
      const proof = JSON.stringify(part);
      try {
        await send(['Do it.']);
        assert.ok((await send(['Do it.', 'Done.\n', 'And now?'])).includes(proof));
        const others: readonly (readonly [string, readonly string[], string])[] = [
          ['another text', ['Do it.', 'Done!', 'And now?'], 'm'],
          ['another question', ['Do that.', 'Done.', 'And now?'], 'm'],
          ['another place', ['Hello', 'Hi', 'Do it.', 'Done.', 'And now?'], 'm'],
          ['another model', ['Do it.', 'Done.', 'And now?'], 'other'],
        ];
        for (const [what, texts, model] of others)
          assert.ok(!(await send(texts, model)).includes('proof-1'), what);
      } finally {
        await client.close();
        await upstream.close();
      }
    });
  }
});

describe('a reply with reasoning between tags in its text', () => {
  it('is sent back without its reasoning and tags, also before the result of a tool', async () => {
    const bodies: JsonObject[] = [];
    const call = { index: 0, id: 'call_own', type: 'function', function: { name: 'read', arguments: '{}' } };
    const deltas = [
      { content: '<think>\nHm.' },
      { content: '</think>\n\nI read it.' },
      { tool_calls: [call] },
    ];
    const upstream = await startUpstream((request, res) => {
      bodies.push(JSON.parse(request.body.toString()));
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const delta of deltas)
        res.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
      res.end(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] })}\n\n`,
      );
    });
    const client = createGatewayClient({
      baseUrl: upstream.baseUrl.replace(/\/v1$/, ''),
      credential: async () => 'credential-of-this-test',
    });
    const memory = new VerbatimTurns({ add: async () => {}, find: async () => [] }, (error) =>
      assert.fail(String(error)),
    );
    let [text, reasoning] = ['', ''];
    const send = (messages: readonly VsCodeMessage[], thinkTags: ThinkTags) =>
      sendToModel(
        client,
        {
          turnModel: { gateway: 'g', model: 'm', format: 'chatCompletions' },
          messages,
          options: { tools },
          thinkTags,
          caching: {},
        },
        memory,
        { text: (piece) => (text += piece), reasoning: (piece) => (reasoning += piece), file: () => {} },
        new AbortController().signal,
      );
    try {
      const question = { role: 1, content: [{ value: 'Read it.' }] };
      const { accepted, storeTurn } = await send([question], 'paired');
      assert.deepEqual([reasoning, text], ['Hm.', 'I read it.']);
      storeTurn(text);
      const [called] = accepted;
      assert.ok(called);
      const { id, outcome } = called;
      const { name, input } = outcome;
      await send(
        [
          question,
          { role: 2, content: [{ value: text }, { callId: id, name, input }] },
          { role: 1, content: [{ callId: id, content: [{ value: 'Empty.' }] }] },
        ],
        'none',
      );
      assert.deepEqual(bodies[1]?.messages, [
        { role: 'user', content: 'Read it.' },
        {
          role: 'assistant',
          content: 'I read it.',
          tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: id, content: 'Empty.' },
      ]);
      assert.ok(text.endsWith('<think>\nHm.</think>\n\nI read it.'), text);
    } finally {
      await client.close();
      await upstream.close();
    }
  });
});
