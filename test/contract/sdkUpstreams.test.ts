import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { ConvertibleFormat } from '../support/convertibleFormat.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { longRuns } from '../support/longRuns.ts';
import { streamText } from '../support/modelStreams.ts';
import { type ScriptedUpstream, startUpstream } from '../support/scriptedUpstream.ts';
import { createAiSdks } from '../support/sdks/ai.ts';
import { createMessagesSdk } from '../support/sdks/anthropic.ts';
import { createContentSdk } from '../support/sdks/genai.ts';
import { createChatSdk, createOpenaiClient, createResponsesSdk } from '../support/sdks/openai.ts';
import type { Sdk, SdkTarget } from '../support/sdks/sdk.ts';

const kinds: Readonly<Record<ConvertibleFormat, string>> = {
  chatCompletions: 'openai-compatible',
  contentGeneration: 'content-generation',
  messages: 'messages',
  responses: 'responses',
};

const formats = Object.keys(kinds) as ConvertibleFormat[];

const greeting = 'Hello to the wide world, 你好 👋.';

/** Every byte in a long run, otherwise a selection. */
const step = longRuns ? 1 : 61;

/** An upstream of each format, all at one address. */
function createUpstreams({ baseUrl }: ScriptedUpstream) {
  const { origin } = new URL(baseUrl);
  return formats.map((format) => {
    const url = format === 'chatCompletions' ? baseUrl : origin;
    return { name: kinds[format], kind: kinds[format], baseUrl: url, models: ['m'] };
  });
}

function createSdks(target: SdkTarget): readonly Sdk[] {
  return [
    createChatSdk(target),
    createResponsesSdk(target),
    createMessagesSdk(target),
    createContentSdk(target),
    ...createAiSdks(target).filter(({ name }) => !name.includes('interactions')),
  ];
}

describe('streams of upstreams, read by the providers’ client libraries', function () {
  this.timeout(longRuns ? 600_000 : 60_000);
  let upstream: ScriptedUpstream;
  let gateway: RunningGateway;
  let sent: Buffer;
  /** The number of bytes before the connection breaks. */
  let cutAt: number;

  before(async () => {
    upstream = await startUpstream((_, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      if (cutAt >= sent.length) res.end(sent);
      else res.write(sent.subarray(0, cutAt), () => res.destroy());
    });
    gateway = await startGateway({ demo: false, config: { upstreams: createUpstreams(upstream) } });
  });
  after(async () => {
    await gateway.stop();
    await upstream.close();
  });

  /** The part of a stream before its end or its failure. */
  const read = async (sdk: Sdk, model: string) => {
    let text = '';
    try {
      for await (const piece of sdk.stream({ text: 'Hi', model })) text += piece;
      return { text };
    } catch (error) {
      return { text, error };
    }
  };

  createSdks({ baseUrl: 'http://127.0.0.1:1', credential: 'canary-credential' }).forEach(({ name }, i) => {
    for (const format of formats) {
      it(`P7 F51 never seem complete when they are cut: ${name}, from ${kinds[format]}`, async () => {
        const sdk = createSdks(gateway)[i];
        assert.ok(sdk);
        sent = Buffer.from(streamText(format, greeting));
        const model = `${kinds[format]}/m`;
        cutAt = sent.length;
        assert.deepEqual(await read(sdk, model), { text: greeting });
        for (cutAt = 0; cutAt < sent.length; cutAt += step) {
          const { text, error } = await read(sdk, model);
          assert.ok(greeting.startsWith(text), `after ${cutAt}: ${text}`);
          assert.ok(error !== undefined || text === greeting, `after ${cutAt}: ${text}`);
        }
      });
    }
  });
});

/** A reply of each kind that is useless for its caller. */
const useless: Readonly<Record<string, (res: ServerResponse, isStreamed: boolean) => void>> = {
  'that is cut before its first byte': (res, isStreamed) => {
    const jsonHeaders = { 'content-type': 'application/json', 'content-length': '100' };
    res.writeHead(200, isStreamed ? { 'content-type': 'text/event-stream' } : jsonHeaders);
    res.flushHeaders();
    setImmediate(() => res.destroy());
  },
  'that is cut at once': (res, isStreamed) => {
    res.writeHead(200, { 'content-type': isStreamed ? 'text/event-stream' : 'application/json' });
    res.write(isStreamed ? ': wait\n\n' : '{"id":', () => res.destroy());
  },
  'that is empty': (res) => res.writeHead(200, { 'content-type': 'application/json' }).end(),
  'that is a web page': (res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>'),
  'that is not JSON': (res) => res.writeHead(200, { 'content-type': 'application/json' }).end('{"id":'),
};

/** Adds replies that only a converting gateway can detect. The libraries retry them if they come from a provider. */
const unconvertible: typeof useless = {
  ...useless,
  'that is an error': (res) => {
    const error = { message: 'Slower.', type: 'rate_limit_error', code: 'rate_limit_exceeded' };
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
  },
  'that begins with an error': (res, isStreamed) => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const json = JSON.stringify(error);
    res.writeHead(200, { 'content-type': isStreamed ? 'text/event-stream' : 'application/json' });
    res.end(isStreamed ? `event: error\ndata: ${json}\n\n` : json);
  },
};

describe('a request whose upstream replied with status 200', function () {
  this.timeout(60_000);
  let upstream: ScriptedUpstream;
  let gateway: RunningGateway;
  let respond: (res: ServerResponse, isStreamed: boolean) => void;

  before(async () => {
    upstream = await startUpstream(({ path, body }, res) =>
      respond(res, path.includes('streamGenerate') || JSON.parse(String(body)).stream === true),
    );
    gateway = await startGateway({ demo: false, config: { upstreams: createUpstreams(upstream) } });
  });
  after(async () => {
    await gateway.stop();
    await upstream.close();
  });

  const sendPlainChat = async (format: ConvertibleFormat) => {
    const body = JSON.stringify({ model: `${kinds[format]}/m`, messages: [{ role: 'user', content: 'Hi' }] });
    const headers = { authorization: `Bearer ${gateway.credential}`, 'content-type': 'application/json' };
    const url = `${gateway.baseUrl}/v1/chat/completions`;
    await (await fetch(url, { method: 'POST', headers, body })).arrayBuffer();
  };

  createSdks({ baseUrl: 'http://127.0.0.1:1', credential: 'canary-credential' }).forEach(({ name }, i) => {
    it(`F10 is not sent again by ${name} after a faulty reply`, async () => {
      const sdk = createSdks({ ...gateway, retries: 2 })[i];
      assert.ok(sdk);
      for (const format of formats)
        for (const [what, each] of Object.entries(usesFormat(name, format) ? useless : unconvertible))
          for (const streamed of [false, true]) {
            // After several failures the gateway would pause the upstream for a while.
            respond = (res) => res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
            await sendPlainChat(format);
            respond = each;
            const before = upstream.requests.length;
            const question = { text: 'Hi', model: `${kinds[format]}/m` };
            await (streamed ? joinPieces(sdk.stream(question)) : sdk.sendQuestion(question)).catch(
              () => undefined,
            );
            const times = upstream.requests.length - before;
            assert.equal(times, 1, `${format}, ${streamed ? 'streamed' : 'whole'}, a reply ${what}`);
          }
    });
  });
});

/** Whether a library uses the format itself, so that the gateway passes replies on. */
function usesFormat(name: string, format: ConvertibleFormat): boolean {
  const words = {
    chatCompletions: /chat|compatible/,
    contentGeneration: /google/,
    messages: /anthropic/,
    responses: /responses|-sdk\/openai$/,
  };
  return words[format].test(name);
}

async function joinPieces(stream: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of stream) text += piece;
  return text;
}

describe('responses in the background', function () {
  this.timeout(20_000);

  it('are created, read, cancelled and deleted by openai, at an upstream that supports them', async () => {
    const response = { object: 'response', created_at: 1, model: 'm', output: [], error: null };
    let status = 'queued';
    const upstream = await startUpstream(({ method, path }, res) => {
      if (path.endsWith('/cancel')) status = 'cancelled';
      const body =
        method === 'DELETE'
          ? { id: 'resp_1', object: 'response', deleted: true }
          : { ...response, id: 'resp_1', status, background: true };
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    const { origin } = new URL(upstream.baseUrl);
    const upstreams = [{ name: 'one', kind: 'responses', baseUrl: origin, models: ['m'] }];
    const gateway = await startGateway({ demo: false, config: { upstreams } });
    try {
      const { responses } = createOpenaiClient(gateway);
      const created = await responses.create({ model: 'm', input: 'Hi', background: true });
      assert.equal(created.status, 'queued');
      assert.equal((await responses.retrieve(created.id)).status, 'queued');
      assert.equal((await responses.cancel(created.id)).status, 'cancelled');
      await responses.delete(created.id);
      await assert.rejects(responses.retrieve(created.id), { status: 404 });
    } finally {
      await gateway.stop();
      await upstream.close();
    }
  });
});
