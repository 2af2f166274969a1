import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGatewayClient } from '../../src/client/gatewayClient.ts';
import { SaidTurnStore } from '../../src/conversations/said/saidTurnStore.ts';
import { SaidTurns } from '../../src/conversations/said/saidTurns.ts';
import { askModel, type ModelReply } from '../../src/host/languageModels/reply/askModel.ts';
import type { HostMessage } from '../../src/host/languageModels/reply/hostMessages.ts';
import { textFormats } from '../../src/wire/apis/textFormats.ts';
import { startStrictUpstream } from '../support/strictUpstream.ts';

const turns = 50;
const tools = [{ name: 'read', description: 'Reads a file.', inputSchema: { type: 'object' } }];

/** A window with its own memory over the file that all windows share. */
function openWindow(folder: string) {
  const store = new SaidTurnStore(join(folder, 'saidTurns.sqlite'));
  const memory = new SaidTurns(
    { keep: async (turn) => store.keep(turn, Date.now()), find: async (ids) => store.find(ids) },
    (error) => assert.fail(String(error)),
  );
  return {
    memory,
    async close() {
      await memory.settled();
      store.close();
    },
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
      const how = keepsThinking ? 'keeps' : 'drops';

      it(`gives back what the model said unchanged, over restarts, in ${label}, whose host ${how} reasoning`, async () => {
        const upstream = await startStrictUpstream(format, turns);
        const client = createGatewayClient({
          baseUrl: upstream.baseUrl.replace(/\/v1$/, ''),
          credential: async () => 'credential-of-this-test',
        });
        const messages: HostMessage[] = [
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
            const { result, made }: ModelReply = await askModel(
              client,
              { asked: { gateway: 'g', model: 'm', format }, messages, options: { tools } },
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
            assert.equal(made.length, nth === turns - 1 ? 0 : 2);
            for (const { outcome: call } of made) assert.equal(call.input.path, `src/${nth}.ts`);
            const thinking = keepsThinking ? [{ value: reasoning, id: 'thinking', metadata: undefined }] : [];
            const calls = made.map(({ id, outcome: { name, input } }) => ({ callId: id, name, input }));
            messages.push({ role: 2, content: [...thinking, { value: text }, ...calls] });
            // Parallel tools end in any order, each in a message of its own.
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
