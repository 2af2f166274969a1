import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { type TextFormatId, textFormats } from '../../src/wire/apis/textFormats.ts';
import { getServices, useGateway } from '../support/extensionServices.ts';
import {
  createTextChunk,
  type ReceivedChat,
  type ScriptedGateway,
  startScriptedGateway,
} from '../support/scriptedGateway.ts';
import { createStrictProvider } from '../support/strictUpstream.ts';
import { type JsonToolCall, streamToolCalls } from '../support/toolCallStreams.ts';

/** VS Code inspects pictures before it passes them on. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const done = 'data: [DONE]\n\n';
const tools = ['read', 'run'].map((name) => ({ name, description: 'D', inputSchema: { type: 'object' } }));

describe('replies in VS Code’s own chat', () => {
  let services: Services;
  let gateway: ScriptedGateway;
  let respond: (response: ServerResponse, request: ReceivedChat) => void = () => {};

  before(async () => {
    services = await getServices();
    const ids = textFormats.map(({ id }) => id.toLowerCase());
    gateway = await startScriptedGateway(ids, (response, request) => respond(response, request));
    const rules = textFormats.map(({ id }) => ({ models: id.toLowerCase(), format: id }));
    await setting('models', rules);
    await useGateway(services, 'replying', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
  });

  after(async () => {
    await setting('models', undefined);
    await services.gateways.remove('replying');
    await gateway.close();
  });

  const setting = (name: string, value: unknown) =>
    vscode.workspace.getConfiguration('modelGateway').update(name, value, vscode.ConfigurationTarget.Global);

  async function findModel(id: string): Promise<vscode.LanguageModelChat> {
    const models = await vscode.lm.selectChatModels({ vendor: 'model-gateway' });
    const model = models.find((each) => each.id.endsWith(`/${id}`));
    assert.ok(model, `${id} is offered among ${models.map((each) => each.id)}`);
    return model;
  }

  async function readParts(
    messages: vscode.LanguageModelChatMessage[],
    options: vscode.LanguageModelChatRequestOptions = {},
    id = 'chatcompletions',
    token?: vscode.CancellationToken,
  ): Promise<readonly unknown[]> {
    const response = await (await findModel(id)).sendRequest(messages, options, token);
    const parts: unknown[] = [];
    for await (const part of response.stream) parts.push(part);
    return parts;
  }

  const user = (content: string | (vscode.LanguageModelTextPart | vscode.LanguageModelDataPart)[]) =>
    vscode.LanguageModelChatMessage.User(content);
  const joinText = (parts: readonly unknown[]) =>
    parts.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
  const stream = (...pieces: readonly string[]) => {
    respond = (response) => response.setHeader('content-type', 'text/event-stream').end(pieces.join(''));
  };
  const refuse = (status: number, message: string, headers: Record<string, string> = {}) => {
    respond = (response) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify({ error: { message } }));
  };
  const createChunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const catchFailure = async (replying: Promise<unknown>): Promise<vscode.LanguageModelError> =>
    replying.then(
      () => assert.fail('it was answered'),
      (error: vscode.LanguageModelError) => error,
    );
  const failToReply = (options: vscode.LanguageModelChatRequestOptions = {}, id?: string) =>
    catchFailure(readParts([user('Go')], options, id));

  for (const { id, label } of textFormats) {
    it(`call tools, and continue from their results, in ${label}`, async () => {
      const provider = createStrictProvider(id, 3);
      const refusals: string[] = [];
      respond = (response, { body }) => {
        const { status, body: reply } = provider(body);
        if (status !== 200) refusals.push(reply);
        const type = status === 200 ? 'text/event-stream' : 'application/json';
        response.writeHead(status, { 'content-type': type }).end(reply);
      };
      const picture = vscode.LanguageModelDataPart.image(Buffer.from(pixel, 'base64'), 'image/png');
      const messages = [user([new vscode.LanguageModelTextPart('Go'), picture])];
      for (let nth = 0; nth < 3; nth++) {
        const mode = vscode.LanguageModelChatToolMode.Auto;
        const parts = await readParts(messages, { tools, toolMode: mode }, id.toLowerCase());
        assert.deepEqual(refusals, []);
        assert.equal(joinText(parts), `Turn ${nth}`);
        const calls = parts.filter((part) => part instanceof vscode.LanguageModelToolCallPart);
        assert.deepEqual(
          calls.map(({ name, input }) => [name, (input as { path: string }).path]),
          nth === 2 ? [] : [0, 1].map(() => ['read', `src/${nth}.ts`]),
        );
        const usage = parts.findLast((part) => part instanceof vscode.LanguageModelDataPart);
        assert.equal(usage?.mimeType, 'usage');
        const counts = JSON.parse(new TextDecoder().decode(usage.data));
        assert.deepEqual(
          [counts.prompt_tokens, counts.completion_tokens, counts.total_tokens],
          [1000, 20, 1020],
        );
        messages.push(
          vscode.LanguageModelChatMessage.Assistant([
            new vscode.LanguageModelTextPart(joinText(parts)),
            ...calls,
          ]),
          ...calls.map(({ callId }) =>
            vscode.LanguageModelChatMessage.User([
              new vscode.LanguageModelToolResultPart(callId, [
                new vscode.LanguageModelTextPart('done'),
                picture,
              ]),
            ]),
          ),
        );
      }
      const sentBody = gateway.requests.at(-1)?.body ?? '';
      assert.ok(
        sentBody.split('image/png').length > 4,
        'the pictures of the question and of the results were sent',
      );
    });
  }

  it('call a tool if one is required, with known options only', async () => {
    stream(
      createChunk(
        { tool_calls: [{ index: 0, id: 'c', function: { name: 'run', arguments: '{}' } }] },
        'tool_calls',
      ),
      done,
    );
    const parts = await readParts([user('Go')], {
      tools,
      toolMode: vscode.LanguageModelChatToolMode.Required,
      modelOptions: { temperature: 0.5, _otelTraceContext: { id: 1 }, model: 'other' },
    });
    assert.ok(parts[0] instanceof vscode.LanguageModelToolCallPart);
    const { model, temperature, tool_choice, ...body } = JSON.parse(gateway.requests.at(-1)?.body ?? '');
    assert.deepEqual([model, temperature, tool_choice], ['chatcompletions', 0.5, 'required']);
    assert.ok(!('_otelTraceContext' in body));
  });

  it('never make a broken, unknown or mixed-up tool call, and report it', async () => {
    const broken = { index: 0, id: 'a', function: { name: 'read', arguments: '{"path": "x' } };
    const unknown = { index: 1, id: 'b', function: { name: 'write', arguments: '{}' } };
    const fine = { index: 2, id: 'c', function: { name: 'run', arguments: '{}' } };
    stream(createChunk({ tool_calls: [broken, unknown, fine] }, 'tool_calls'), done);
    const parts = await readParts([user('Go')], { tools });
    assert.match(
      joinText(parts),
      /called read with arguments that are not valid JSON[\s\S]*not offered, write/,
    );
    const calls = parts.filter((part) => part instanceof vscode.LanguageModelToolCallPart);
    assert.deepEqual(
      calls.map(({ name }) => name),
      ['run'],
    );
    const result = new vscode.LanguageModelToolResultPart(calls[0]?.callId ?? '', [
      new vscode.LanguageModelTextPart('ok'),
    ]);
    stream(createTextChunk('Fine', 'stop'), done);
    await readParts(
      [
        user('Go'),
        vscode.LanguageModelChatMessage.Assistant(calls),
        vscode.LanguageModelChatMessage.User([result]),
      ],
      { tools },
    );
    const body = gateway.requests.at(-1)?.body ?? '';
    assert.match(body, /There is no tool [^.]*write/);
    assert.doesNotMatch(body, /"id":"a"|"id":"b"/);
  });

  for (const { id, label } of textFormats) {
    it(`continue after an invalid call, and after a credential that expired during a call, in ${label}`, async () => {
      const model = id.toLowerCase();
      const reply = (...calls: readonly JsonToolCall[]) => stream(streamToolCalls(id, calls));
      const ask = async (...turns: readonly string[]) =>
        readParts(
          turns.map((words, nth) =>
            nth % 2 === 0 ? user(words) : vscode.LanguageModelChatMessage.Assistant(words),
          ),
          { tools },
          model,
        );
      const listCalls = (parts: readonly unknown[]) =>
        parts.filter((part) => part instanceof vscode.LanguageModelToolCallPart);

      const bad: readonly (readonly [JsonToolCall, RegExp])[] = [
        [{ name: 'read', json: '{"path": "x' }, /arguments that are not valid JSON, so it was not run/],
        [{ name: 'read', json: '["x"]' }, /arguments that are not valid JSON, so it was not run/],
        [{ name: 'erase', json: '{}' }, /called a tool that was not offered, erase/],
      ];
      for (const [call, words] of bad) {
        // Content generation sends whole objects, and itself ends a reply whose call it cannot read.
        if (id === 'contentGeneration' && call.name === 'read') continue;
        reply(call);
        const parts = await ask('Go');
        assert.match(joinText(parts), words);
        assert.deepEqual(listCalls(parts), []);
        reply({ name: 'read', json: '{"path":"a"}' });
        const [again, ...more] = listCalls(await ask('Go', joinText(parts), 'Try again'));
        assert.deepEqual([again?.name, again?.input, more.length], ['read', { path: 'a' }, 0]);
        assert.doesNotMatch(gateway.requests.at(-1)?.body ?? '', /"tool_calls"|tool_use|function_?call"/i);
      }

      reply({ name: 'read', json: '{"path":"a"}' }, { name: 'run', json: '{}' });
      const parts = await ask('Go');
      const calls = listCalls(parts);
      assert.equal(joinText(parts), '', 'calls alone need no words');
      assert.deepEqual(
        calls.map(({ name }) => name),
        ['read', 'run'],
      );
      const goOn = () =>
        readParts(
          [
            user('Go'),
            vscode.LanguageModelChatMessage.Assistant(calls),
            ...calls.map(({ callId }) =>
              vscode.LanguageModelChatMessage.User([
                new vscode.LanguageModelToolResultPart(callId, [new vscode.LanguageModelTextPart('ok')]),
              ]),
            ),
          ],
          { tools },
          model,
        );
      refuse(401, 'expired');
      const refused = await catchFailure(goOn());
      assert.equal(refused.code, 'NoPermissions');
      assert.match(refused.message, /“Model Gateway: Set Credential…”/);
      reply({ name: 'run', json: '{}' });
      assert.equal(listCalls(await goOn()).length, 1, 'the same turn continues with another credential');
    });
  }

  it('report that a provider could not read the model’s own call', async () => {
    const malformed = { candidates: [{ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL', index: 0 }] };
    stream(`data: ${JSON.stringify(malformed)}\n\n`);
    assert.match(
      joinText(await readParts([user('Go')], { tools }, 'contentgeneration')),
      /^The provider could not read the tool call of the model/,
    );
    stream(`data: ${JSON.stringify({ candidates: [{ index: 0, finishReason: 'LANGUAGE' }] })}\n\n`);
    assert.match(
      joinText(await readParts([user('Go')], {}, 'contentgeneration')),
      /for the reason “LANGUAGE”/,
    );
  });

  it('are never empty, and report why they were cut', async () => {
    stream(createChunk({}, 'stop'), done);
    assert.match(joinText(await readParts([user('Go')])), /ended its reply without any text/);
    stream(createTextChunk('Half', 'length'), done);
    assert.match(joinText(await readParts([user('Go')])), /^Half\n\nThe reply was cut off/);
    stream(createTextChunk('Half', 'content_filter'), done);
    assert.match(joinText(await readParts([user('Go')])), /^Half\n\nThe provider’s content filter/);
  });

  it('report the class of a failure, its cause and a remedy', async () => {
    refuse(401, 'bad key');
    const refused = await failToReply();
    assert.match(refused.message, /refused the credential[\s\S]*“Model Gateway: Set Credential…”/);
    assert.equal(refused.code, 'NoPermissions');
    refuse(429, 'slow down', { 'retry-after': '20' });
    assert.match((await failToReply()).message, /\n\nYou can try again at .+\.\n\nWhat you can do: /);
    refuse(400, "Invalid schema for function 'run': no");
    assert.match((await failToReply({ tools })).message, /It refuses the tool “run”/);
    refuse(400, 'This model’s maximum context length is 10 tokens');
    assert.match((await failToReply()).message, /start a new chat/);
  });

  it('show the gateway’s message as plain text, and report a refused key of an upstream', async () => {
    const error = { message: 'No [x](command:y) \u202e$(zap) here', code: 'upstream_credential' };
    respond = (response) =>
      response.writeHead(424, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    assert.match(
      (await failToReply()).message,
      /^The key of an upstream was refused\. .*“No \[x\] \(command:y\) \$ \(zap\) here”.*“Model Gateway: Set Upstream Key…”/s,
    );
  });

  it('name the refused tool of 200 with schemas of 100 KB, in every API format', async () => {
    const many = (length: number) =>
      Array.from({ length: 200 }, (_, nth) => ({
        name: `tool_${nth}`,
        description: 'D',
        inputSchema: { type: 'object', properties: { path: { description: 'x'.repeat(length) } } },
      }));
    const refusals: Readonly<Record<TextFormatId, object>> = {
      chatCompletions: { error: { message: 'schema too long', param: 'tools[37].function.parameters' } },
      contentGeneration: {
        error: { code: 400, message: "Invalid value at 'tools[0].function_declarations[37].parameters'" },
      },
      messages: { type: 'error', error: { message: 'tools.37.custom.input_schema: too long' } },
      responses: { error: { message: 'schema too long', param: 'tools[37].parameters' } },
      interactions: { error: { code: 400, message: "Invalid schema for function 'tool_37'" } },
    };
    for (const { id } of textFormats) {
      respond = (response) =>
        response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(refusals[id]));
      // Only one API format uses long schemas, because VS Code takes seconds to pass them on.
      const options = { tools: many(id === 'chatCompletions' ? 100 * 1024 : 100) };
      const { message } = await failToReply(options, id.toLowerCase());
      assert.match(message, /It refuses the tool “tool_37”\. Turn off tools with Configure Tools…/, id);
    }
  });

  it('close their socket when they are cancelled, and are sent once', async () => {
    const before = gateway.requests.length;
    const cancelling = new vscode.CancellationTokenSource();
    const closed = new Promise<unknown>((resolve) => {
      respond = (response) => {
        response.setHeader('content-type', 'text/event-stream').write(createTextChunk('Word'));
        resolve(once(response, 'close'));
        cancelling.cancel();
      };
    });
    await readParts([user('Go')], {}, 'chatcompletions', cancelling.token).catch(() => {});
    await closed;
    assert.equal(gateway.requests.length, before + 1);
  });

  it('are counted in Show Usage by requester, with unreported tokens as unknown', async () => {
    const sums = async () => {
      const all = await services.conversations.change(({ usage }) =>
        usage.sum({ by: ['initiator', 'model'] }),
      );
      const own = all.filter(({ initiator, model }) => initiator !== 'chats' && model === 'chatcompletions');
      return own.reduce(
        (sum, { replies, withoutTokens, inputTokens = 0 }) => ({
          replyCount: sum.replyCount + replies,
          inputTokens: sum.inputTokens + inputTokens,
          withoutTokens: sum.withoutTokens + withoutTokens,
        }),
        { replyCount: 0, inputTokens: 0, withoutTokens: 0 },
      );
    };
    const before = await sums();
    const usage = `data: ${JSON.stringify({ id: 'c', choices: [], usage: { prompt_tokens: 7, completion_tokens: 2 } })}\n\n`;
    stream(createTextChunk('Counted', 'stop'), usage, done);
    await readParts([user('Go')]);
    stream(createTextChunk('Uncounted', 'stop'), done);
    await readParts([user('Go')]);
    refuse(400, 'no');
    await failToReply();
    const expected = {
      replyCount: before.replyCount + 2,
      inputTokens: before.inputTokens + 7,
      withoutTokens: before.withoutTokens + 1,
    };
    const deadline = AbortSignal.timeout(20_000);
    while (!isDeepStrictEqual(await sums(), expected)) {
      assert.ok(!deadline.aborted, JSON.stringify([await sums(), expected]));
      await setImmediate();
    }
    await vscode.commands.executeCommand('modelGateway.showUsage');
    const uri = vscode.Uri.from({ scheme: 'model-gateway-usage', path: '/Usage.md' });
    const report = (await vscode.workspace.openTextDocument(uri)).getText();
    assert.match(report, /## Requested By[\s\S]*\| (?:VS Code’s chat|Other extensions) /);
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  });

  it('are listed in the Requests view when they fail', async () => {
    refuse(500, 'broken');
    await failToReply();
    assert.equal(services.requests.recent[0]?.status, 500);
  });

  it('have their tokens counted at once, without a request', async () => {
    const before = gateway.requests.length;
    const model = await findModel('chatcompletions');
    assert.ok((await model.countTokens('word '.repeat(100))) > 50);
    assert.equal(gateway.requests.length, before);
  });
});
