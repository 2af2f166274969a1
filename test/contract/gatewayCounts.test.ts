import assert from 'node:assert/strict';
import type { ConvertibleFormat } from '../support/convertibleFormat.ts';
import { post } from '../support/formatCallers.ts';
import type { RunningGateway } from '../support/gatewayProcess.ts';
import type { ScriptedUpstream } from '../support/scriptedUpstream.ts';
import { setUpUpstreams } from '../support/testUpstreams.ts';

type Counting = Exclude<ConvertibleFormat, 'chatCompletions'>;

const parameters = { type: 'object', properties: { city: { type: 'string' } } };

/** The same request in each format, as its clients count it, and the expected reply. */
const callers: Readonly<Record<Counting, { path: string; body: object; reply: object }>> = {
  contentGeneration: {
    path: '/v1beta/models/m:countTokens',
    body: {
      generateContentRequest: {
        model: 'models/m',
        contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        tools: [{ functionDeclarations: [{ name: 'look', parametersJsonSchema: parameters }] }],
      },
    },
    reply: { totalTokens: 31, promptTokensDetails: [{ modality: 'TEXT', tokenCount: 31 }] },
  },
  messages: {
    path: '/v1/messages/count_tokens',
    body: {
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      system: 'Be brief.',
      tools: [{ name: 'look', input_schema: parameters }],
    },
    reply: { input_tokens: 31 },
  },
  responses: {
    path: '/v1/responses/input_tokens',
    body: {
      model: 'm',
      input: 'Hi',
      instructions: 'Be brief.',
      tools: [{ type: 'function', name: 'look', parameters, strict: false }],
    },
    reply: { object: 'response.input_tokens', input_tokens: 31 },
  },
};

/** For each kind of upstream: the path for counting, the expected request, and its reply. */
const upstreams: Readonly<Record<Counting, { kind: string; path: string; body: object; reply: object }>> = {
  contentGeneration: {
    kind: 'content-generation',
    path: '/v1beta/models/m:countTokens',
    body: {
      generateContentRequest: {
        model: 'models/m',
        contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        tools: [{ functionDeclarations: [{ name: 'look', parametersJsonSchema: parameters }] }],
      },
    },
    reply: { totalTokens: 31, totalBillableCharacters: 8 },
  },
  messages: {
    kind: 'messages',
    path: '/v1/messages/count_tokens',
    body: {
      model: 'm',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      system: 'Be brief.',
      tools: [{ name: 'look', input_schema: parameters }],
    },
    reply: { input_tokens: 31 },
  },
  responses: {
    kind: 'responses',
    path: '/v1/responses/input_tokens',
    body: {
      model: 'm',
      instructions: 'Be brief.',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
      tools: [{ type: 'function', strict: false, name: 'look', parameters }],
    },
    reply: { object: 'response.input_tokens', input_tokens: 31 },
  },
};

const formats = Object.keys(callers) as Counting[];

describe('the token count of a request for an upstream with another format', function () {
  this.timeout(20_000);
  const { startScriptedUpstream, startGatewayFor } = setUpUpstreams();

  const startWithUpstream = async (
    kind: string,
    reply: { readonly status?: number; readonly body: string },
  ): Promise<{ readonly upstream: ScriptedUpstream; readonly gateway: RunningGateway }> => {
    const upstream = await startScriptedUpstream((_, res) => {
      res.writeHead(reply.status ?? 200, { 'content-type': 'application/json' }).end(reply.body);
    });
    const { origin } = new URL(upstream.baseUrl);
    return {
      upstream,
      gateway: await startGatewayFor([{ name: 'one', kind, baseUrl: origin, models: ['m'] }]),
    };
  };

  for (const to of formats) {
    it(`is requested from ${to} and converted to every other format`, async () => {
      const { kind, path, body, reply: upstreamReply } = upstreams[to];
      const { upstream, gateway } = await startWithUpstream(kind, { body: JSON.stringify(upstreamReply) });
      for (const from of formats.filter((each) => each !== to)) {
        const caller = callers[from];
        const reply = await post(gateway, caller);
        assert.deepEqual(await reply.json(), caller.reply, from);
        assert.match(reply.headers.get('x-gateway-conversion') ?? '', /->/);
        const sent = upstream.requests.at(-1);
        assert.equal(sent?.path, path);
        const sentBody = JSON.parse(String(sent?.body));
        // Instructions may be a text or a list with one.
        if (Array.isArray(sentBody.system)) sentBody.system = sentBody.system[0].text;
        assert.deepEqual(sentBody, body, from);
      }
    });
  }

  it('is estimated if the upstream cannot count, and a header reports this', async () => {
    const { gateway, upstream } = await startWithUpstream('openai-compatible', { body: '{}' });
    const { path, body } = callers.messages;
    const data = 'A'.repeat(400_000);
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
    const countTokens = async (content: unknown) => {
      const reply = await post(gateway, { path, body: { ...body, messages: [{ role: 'user', content }] } });
      assert.equal(reply.headers.get('x-gateway-token-count'), 'estimated');
      return ((await reply.json()) as { input_tokens: number }).input_tokens;
    };
    const [text, drawn] = [
      await countTokens('four words of text '.repeat(1_000)),
      await countTokens([picture]),
    ];
    assert.ok(text > 3_500 && text < 6_000, String(text));
    assert.ok(drawn > 1_000 && drawn < 1_500, String(drawn));
    assert.equal(upstream.requests.length, 0);
  });

  it('is estimated if the upstream has no route for counts, and other refusals are passed on', async () => {
    const noRoute = [
      { status: 404, body: '{"detail":"Not Found"}' },
      { status: 404, body: '{"error":{"message":"Invalid URL (POST /v1/messages/count_tokens)"}}' },
      { status: 405, body: '{"detail":"Method Not Allowed"}' },
    ];
    for (const reply of noRoute) {
      const { gateway } = await startWithUpstream('messages', reply);
      for (const { path, body } of Object.values(callers)) {
        const reply = await post(gateway, { path, body });
        assert.equal(reply.status, 200, path);
        assert.equal(reply.headers.get('x-gateway-token-count'), 'estimated');
      }
    }
    const missing = { error: { message: 'The model m does not exist.', code: 'model_not_found' } };
    const { gateway } = await startWithUpstream('messages', { status: 404, body: JSON.stringify(missing) });
    for (const { path, body } of Object.values(callers)) {
      const reply = await post(gateway, { path, body });
      assert.equal(reply.status, 404, path);
      assert.match(await reply.text(), /The model m does not exist/);
    }
  });

  it('is requested with the upstream’s model id, also inside the request', async () => {
    const { upstream, gateway } = await startWithUpstream('content-generation', {
      body: '{"totalTokens":31}',
    });
    const { body } = callers.contentGeneration;
    const reply = await post(gateway, { path: '/v1beta/models/one%2Fm:countTokens', body });
    assert.equal(reply.status, 200);
    assert.deepEqual(JSON.parse(String(upstream.requests.at(-1)?.body)), body);
    const { generateContentRequest } = body as { generateContentRequest: object };
    const withModel = { generateContentRequest: { ...generateContentRequest, model: 'models/one/m' } };
    await post(gateway, { path: '/v1beta/models/one%2Fm:countTokens', body: withModel });
    assert.deepEqual(JSON.parse(String(upstream.requests.at(-1)?.body)), body);
  });

  it('is refused if a field would be lost, and the error names the field', async () => {
    const { path, body } = callers.messages;
    const other = await startWithUpstream('responses', { body: '{}' });
    const lost = await post(other.gateway, { path, body: { ...body, container: 'c' } });
    assert.match(await lost.text(), /container: the model/);
    assert.equal(other.upstream.requests.length, 0);
  });

  it('fails with the upstream’s error, or with 424 if the upstream does not send a count', async () => {
    const { path, body } = callers.messages;
    const error = JSON.stringify({ error: { message: 'Slower, please.', code: 'rate_limit_exceeded' } });
    const slow = await startWithUpstream('responses', { status: 429, body: error });
    const response = await post(slow.gateway, { path, body });
    assert.equal(response.status, 429);
    assert.match(await response.text(), /"rate_limit_error".*Slower, please\./);
    const strange = await startWithUpstream('responses', { body: '{"object":"list","data":[]}' });
    const failed = await post(strange.gateway, { path, body });
    assert.equal(failed.status, 424);
    assert.match(await failed.text(), /did not return a token count/);
  });
});
