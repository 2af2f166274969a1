import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { VerbatimTurns } from '../../src/conversations/verbatim/verbatimTurns.ts';
import type { OfferedModel } from '../../src/host/agents/languageModels/list/offeredModel.ts';
import {
  fieldVersions,
  messageFields,
  thinkingPart,
  type UnpublishedOptions,
  usagePart,
} from '../../src/host/agents/languageModels/list/unpublishedFields.ts';
import { GatewayReplies } from '../../src/host/agents/languageModels/reply/gatewayReplies.ts';
import type { Services } from '../../src/host/app/services.ts';
import { getServices, useGateway } from '../support/extensionServices.ts';
import { createTextChunk, type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';

const listed = { id: 'gpt-5', pricing: { prompt: '0.000001', completion: '0.000002' } };
const token = new vscode.CancellationTokenSource().token;

describe('a model offered to a VS Code without unpublished fields', () => {
  let services: Services;
  let gateway: ScriptedGateway;
  let replies: GatewayReplies;
  let fails = false;

  before(async () => {
    services = await getServices();
    gateway = await startScriptedGateway([listed], (response) => {
      if (fails) return void response.writeHead(500).end('{"error":{"message":"Broken"}}');
      response.setHeader('content-type', 'text/event-stream');
      response.end(`${createTextChunk('A reply.', 'stop')}data: [DONE]\n\n`);
    });
    await useGateway(services, 'fields', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
    const turns = new VerbatimTurns({ add: async () => {}, find: async () => [] }, (error) =>
      assert.fail(String(error)),
    );
    replies = new GatewayReplies({ ...services, turns });
  });
  after(async () => {
    replies.dispose();
    await services.gateways.remove('fields');
    await gateway.close();
  });

  const findOffered = () => {
    const model = services.offeredModels.offered.find((each) => each.model === listed.id);
    assert.ok(model);
    return model;
  };
  const countSent = () => gateway.requests.filter(({ path }) => path !== '/v1/models').length;

  /** The text of a reply. */
  async function sendAndRead(
    model: OfferedModel,
    options: object,
    question = 'Hello',
    messages: readonly object[] = [vscode.LanguageModelChatMessage.User(question)],
  ): Promise<string> {
    const parts: unknown[] = [];
    const progress = { report: (part: unknown) => void parts.push(part) };
    const all = { toolMode: vscode.LanguageModelChatToolMode.Auto, ...options };
    await replies.respond(model, messages as never, all as never, progress as never, token);
    return parts.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
  }

  const options: Readonly<Record<keyof UnpublishedOptions, unknown>> = {
    modelConfiguration: { reasoningEffort: 'low' },
    requestInitiator: 'core',
    includeEncryptedThinking: true,
  };

  for (const name of Object.keys(options)) {
    it(`replies without the option ${name}`, async () => {
      const { [name as keyof typeof options]: _, ...others } = options;
      assert.equal(await sendAndRead(findOffered(), others), 'A reply.');
    });
  }

  /** A conversation with each unpublished field except this one. */
  const conversationWithout = (name?: string) => {
    const having = (field: keyof typeof fieldVersions.messages, ...values: readonly object[]) =>
      name === field ? [] : values;
    return [
      ...having('systemRole', { role: messageFields.systemRole, content: [{ value: 'Be brief.' }] }),
      {
        role: 1,
        content: [
          { value: 'Hello' },
          ...having('cacheMark', { mimeType: messageFields.cacheMark, data: new Uint8Array() }),
        ],
      },
      {
        role: 2,
        content: [
          ...having('isThinking', { value: 'Hm', id: 'thought', metadata: {} }),
          { callId: 'call', name: 'look', input: {} },
        ],
      },
      {
        role: 1,
        content: [
          { callId: 'call', content: [{ value: 'No' }], ...(name !== 'isError' && { isError: true }) },
        ],
      },
    ];
  };

  for (const name of [undefined, ...Object.keys(fieldVersions.messages)]) {
    it(`sends a conversation ${name ? `without ${name}` : 'with all fields'} in its messages`, async () => {
      assert.equal(await sendAndRead(findOffered(), options, '', conversationWithout(name)), 'A reply.');
      const { messages } = JSON.parse(gateway.requests.at(-1)?.body ?? '');
      assert.deepEqual(
        messages.map(({ role }: { readonly role: string }) => role),
        [...(name === 'systemRole' ? [] : ['system']), 'user', 'assistant', 'tool'],
      );
    });
  }

  it('omits reasoning if the class of its part does not exist or may not be used', () => {
    class Part {
      readonly value: string;
      constructor(value: string) {
        this.value = value;
      }
    }
    assert.deepEqual({ ...thinkingPart('Hm', { LanguageModelThinkingPart: Part }) }, { value: 'Hm' });
    assert.equal(thinkingPart('Hm', {}), undefined);
    const forbidden = Object.defineProperty({}, 'LanguageModelThinkingPart', {
      get: () => assert.fail('CANNOT use API proposal'),
    });
    assert.equal(thinkingPart('Hm', forbidden), undefined);
  });

  it('reports only the token counts that the gateway reported', () => {
    const read = (usage: Parameters<typeof usagePart>[0]) => {
      const part = usagePart(usage, vscode);
      return part && JSON.parse(new TextDecoder().decode(part.data));
    };
    assert.equal(read({ cachedTokens: 1 }), undefined);
    assert.deepEqual(read({ inputTokens: 3, outputTokens: 4, cachedTokens: 2, reasoningTokens: 1 }), {
      prompt_tokens: 3,
      completion_tokens: 4,
      total_tokens: 7,
      prompt_tokens_details: { cached_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 1 },
    });
  });

  it('P5 sends a failed request of the agent host once, although the agent host repeats it', async () => {
    fails = true;
    const before = countSent();
    const attempt = (question: string, others: object = options) =>
      assert.rejects(sendAndRead(findOffered(), others, question), /Broken/);
    for (let nth = 0; nth < 6; nth++) await attempt('Repeated');
    assert.equal(countSent(), before + 1);
    await attempt('Another question');
    assert.equal(countSent(), before + 2);
    await attempt('Repeated');
    assert.equal(countSent(), before + 3, 'the user tries again');
    for (let nth = 0; nth < 2; nth++) await attempt('By an extension', { requestInitiator: 'a.b' });
    assert.equal(countSent(), before + 5, 'other callers do not repeat by themselves');
    fails = false;
  });

  it('P5 sends a request of the agent host again after the user corrected the setup', async () => {
    fails = true;
    await assert.rejects(sendAndRead(findOffered(), options, 'Again'), /Broken/);
    fails = false;
    await assert.rejects(sendAndRead(findOffered(), options, 'Again'), /Broken/, 'a repeat');
    const corrected = { name: 'fields', baseUrl: gateway.baseUrl };
    await services.credentials.store(corrected, 'corrected-credential');
    assert.equal(await sendAndRead(findOffered(), options, 'Again'), 'A reply.');
  });

  it('sends a request of the agent host at once that a spending limit refused before', async () => {
    const settings = vscode.workspace.getConfiguration('modelGateway');
    const set = (limits: unknown) =>
      settings.update('spendingLimits', limits, vscode.ConfigurationTarget.Global);
    const before = countSent();
    try {
      await set([{ per: 'day', tokens: 1, gateway: 'fields' }]);
      await assert.rejects(sendAndRead(findOffered(), options, 'Limited'), /limit/);
      assert.equal(countSent(), before);
    } finally {
      await set(undefined);
    }
    assert.equal(await sendAndRead(findOffered(), options, 'Limited'), 'A reply.');
  });
});
