import assert from 'node:assert/strict';
import { createGatewayClient } from '../../src/client/gatewayClient.ts';
import { type ModelVerification, verifyModels } from '../../src/client/verifyModels.ts';
import type { TextFormatId } from '../../src/wire/apis/textFormats.ts';
import { GatewayError } from '../../src/wire/failures/gatewayError.ts';
import {
  type ConnectionScript,
  type FaultConnection,
  type ReceivedRequest,
  startFaultServer,
} from '../support/faultServer.ts';
import { testCredential } from '../support/faultServerCalls.ts';

type TriedModel = Parameters<typeof verifyModels>[1][number];

/** Replies that end at the limit, as each format writes them. */
const limited: Readonly<Record<string, unknown>> = {
  '/v1/chat/completions': {
    choices: [{ index: 0, message: { role: 'assistant', content: 'H' }, finish_reason: 'length' }],
  },
  generateContent: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'H' }] }, finishReason: 'MAX_TOKENS' }],
  },
  '/v1/messages': {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'H' }],
    stop_reason: 'max_tokens',
  },
  '/v1/responses': {
    id: 'r',
    object: 'response',
    status: 'incomplete',
    output: [],
    incomplete_details: { reason: 'max_output_tokens' },
  },
};

const findBody = (path: string) => {
  const [, body] = Object.entries(limited).find(([part]) => path.includes(part)) ?? [];
  return JSON.stringify(body ?? {});
};

const respond = (connection: FaultConnection, { path }: ReceivedRequest) =>
  connection.respond(200, { 'content-type': 'application/json' }, findBody(path));

const refuse = (connection: FaultConnection, status: number, message: string, code = '') =>
  connection.respond(status, {}, JSON.stringify({ error: { message, code } }));

const chats = (...models: readonly string[]): readonly TriedModel[] =>
  models.map((model) => ({ model, format: 'chatCompletions' }));

describe('verifying models', () => {
  async function verify(
    script: ConnectionScript,
    models: readonly TriedModel[],
    signal = new AbortController().signal,
  ) {
    const server = await startFaultServer(script);
    const client = createGatewayClient({
      baseUrl: server.baseUrl,
      credential: async () => testCredential,
    });
    const verified: ModelVerification[] = [];
    const onVerified = (verification: ModelVerification) => void verified.push(verification);
    try {
      const error = await verifyModels(client, models, { signal, onVerified }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      return { verified, error, requests: [...server.requests] };
    } finally {
      await client.close();
      await server.close();
    }
  }

  const smallest: Readonly<Record<Exclude<TextFormatId, 'interactions'>, readonly [string, object]>> = {
    chatCompletions: [
      '/v1/chat/completions',
      { model: 'm', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 },
    ],
    contentGeneration: [
      '/v1beta/models/m:generateContent',
      { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], generationConfig: { maxOutputTokens: 1 } },
    ],
    messages: [
      '/v1/messages',
      {
        model: 'm',
        max_tokens: 1,
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      },
    ],
    responses: ['/v1/responses', { model: 'm', input: 'Hi', max_output_tokens: 16 }],
  };
  for (const [format, [path, body]] of Object.entries(smallest)) {
    it(`sends the smallest request of ${format}, and accepts a reply that ends at the limit`, async () => {
      const models = [{ model: 'm', format: format as TextFormatId }];
      const { verified, error, requests } = await verify(respond, models);
      assert.equal(error, undefined);
      assert.equal(requests.length, 1);
      assert.equal(requests[0]?.path, path);
      const { input, ...sent } = JSON.parse(requests[0]?.body ?? '');
      const { input: expectedInput, ...rest } = body as { readonly input?: string };
      assert.deepEqual(sent, rest);
      assert.equal(input === undefined, expectedInput === undefined);
      const [{ trial, onlyFormat } = { trial: undefined }] = verified;
      assert.equal(trial?.error, undefined);
      assert.equal(onlyFormat, undefined);
      assert.equal(trial?.requestId, requests[0]?.headers['x-request-id']);
    });
  }

  it('sends max_completion_tokens to OpenAI’s reasoning models, and accepts the error that it was too low', async () => {
    const words = 'Could not finish the message because max_tokens or model output limit was reached.';
    const { verified, requests } = await verify(
      (connection) => refuse(connection, 400, words),
      chats('gpt-5-mini'),
    );
    assert.equal(JSON.parse(requests[0]?.body ?? '').max_completion_tokens, 1);
    assert.equal(verified[0]?.trial.error, undefined);
  });

  it('does not wait for the retry time if there is no further model', async () => {
    const { verified } = await verify(
      (connection) => connection.respond(429, { 'retry-after': '30' }, '{}'),
      chats('last'),
    );
    assert.equal(verified[0]?.trial.error?.retryAfterMs, 30_000);
  });

  it('tries each model once, at most 4 at the same time', async () => {
    const four = Promise.withResolvers<void>();
    let atOnce = 0;
    let most = 0;
    const models = Array.from({ length: 23 }, (_, nth) => `model-${nth}`);
    const { verified, requests } = await verify(
      async (connection, request) => {
        most = Math.max(most, ++atOnce);
        if (atOnce === 4) setImmediate(four.resolve);
        await four.promise;
        atOnce--;
        await respond(connection, request);
      },
      chats(...models),
    );
    assert.equal(most, 4);
    assert.deepEqual(verified.map(({ model }) => model).sort(), models.sort());
    assert.equal(requests.length, models.length);
  });

  it('reports a model that replies only in another format', async () => {
    const { verified, requests } = await verify((connection, request) => {
      if (request.path === '/v1/messages') return respond(connection, request);
      return refuse(connection, 404, 'The model `m` does not exist', 'model_not_found');
    }, chats('m'));
    assert.equal(verified[0]?.onlyFormat, 'messages');
    assert.equal(verified[0]?.trial.error, undefined);
    assert.deepEqual(
      requests.map(({ path }) => path),
      ['/v1/chat/completions', '/v1beta/models/m:generateContent', '/v1/messages'],
    );
  });

  it('never looks for a model on the route that makes videos', async () => {
    const { verified, requests } = await verify(
      (connection) => refuse(connection, 404, 'The model `m` does not exist', 'model_not_found'),
      chats('m'),
    );
    assert.equal(verified[0]?.trial.error?.kind, 'model-unavailable');
    assert.equal(verified[0]?.format, 'chatCompletions');
    assert.ok(requests.length > 1);
    assert.ok(requests.every(({ path }) => !/interactions|video/.test(path)));
  });

  it('reports why a model failed, and continues with the others', async () => {
    const { verified, error } = await verify(
      (connection, request) => {
        if (request.body.includes('"bad"')) return refuse(connection, 400, 'No.');
        return respond(connection, request);
      },
      chats('bad', 'good'),
    );
    assert.equal(error, undefined);
    const byModel = new Map(verified.map(({ model, trial }) => [model, trial.error?.kind]));
    assert.deepEqual([byModel.get('bad'), byModel.get('good')], ['invalid-parameters', undefined]);
  });

  it('continues with the others when the gateway breaks off without a reply', async () => {
    const { verified, error } = await verify(
      (connection, request) =>
        request.body.includes('"bad"') ? connection.reset() : respond(connection, request),
      chats('bad', 'good'),
    );
    assert.equal(error, undefined);
    const byModel = new Map(verified.map(({ model, trial }) => [model, trial.error?.reason]));
    assert.deepEqual([byModel.get('bad'), byModel.get('good')], ['reset', undefined]);
  });

  it('stops for all models when the credential is refused', async () => {
    const models = Array.from({ length: 20 }, (_, nth) => `model-${nth}`);
    const { verified, error, requests } = await verify(
      (connection) => refuse(connection, 401, 'Incorrect key'),
      chats(...models),
    );
    assert.ok(GatewayError.is(error, 'authentication'));
    assert.deepEqual(verified, []);
    // Four were refused, and three more had been sent by then.
    assert.ok(requests.length <= 7, `${requests.length} requests`);
  });

  it('attributes a refused credential to one model if another model replies', async () => {
    const { verified, error } = await verify(
      (connection, request) =>
        /"(?:first|third)"/.test(request.body)
          ? refuse(connection, 401, 'Incorrect key of the provider')
          : respond(connection, request),
      chats('first', 'second', 'third', 'fourth', 'fifth'),
    );
    assert.equal(error, undefined);
    const byModel = Object.fromEntries(
      verified.map(({ model, trial }) => [model, trial.error?.kind ?? 'ok']),
    );
    assert.deepEqual(byModel, {
      first: 'authentication',
      second: 'ok',
      third: 'authentication',
      fourth: 'ok',
      fifth: 'ok',
    });
  });

  it('stops at once when it is cancelled, returns the results so far, and does not send further requests', async () => {
    const controller = new AbortController();
    const { verified, error, requests } = await verify(
      async (connection, request) => {
        if (request.body.includes('model-0"')) await respond(connection, request);
        else setImmediate(() => controller.abort());
      },
      chats('model-0', 'model-1', 'model-2', 'model-3', 'model-4', 'model-5', 'model-6'),
      controller.signal,
    );
    assert.ok(GatewayError.is(error, 'cancelled'));
    assert.ok(verified.every(({ model }) => model === 'model-0'));
    assert.ok(requests.length <= 5);
  });
});
