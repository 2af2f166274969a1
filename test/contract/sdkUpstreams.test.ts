import assert from 'node:assert/strict';
import type { ConvertibleFormat } from '../../src/localGateway/conversion/conversion.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { longRuns } from '../support/longRuns.ts';
import { playedText } from '../support/playedModel.ts';
import { type ScriptedUpstream, startUpstream } from '../support/scriptedUpstream.ts';
import { aiSdks } from '../support/sdks/ai.ts';
import { anthropicMessages } from '../support/sdks/anthropic.ts';
import { genaiContent } from '../support/sdks/genai.ts';
import { openaiChat, openaiClient, openaiResponses } from '../support/sdks/openai.ts';
import type { Sdk, SdkTarget } from '../support/sdks/sdk.ts';

const kinds: Readonly<Record<ConvertibleFormat, string>> = {
  chatCompletions: 'openai-compatible',
  contentGeneration: 'content-generation',
  messages: 'messages',
  responses: 'responses',
};

const formats = Object.keys(kinds) as ConvertibleFormat[];

const said = 'Hello to the wide world, 你好 👋.';

/** Every byte in a long run, otherwise some of them. */
const step = longRuns ? 1 : 61;

function sdksOf(target: SdkTarget): readonly Sdk[] {
  return [
    ...[openaiChat(target), openaiResponses(target), anthropicMessages(target), genaiContent(target)],
    ...aiSdks(target).filter(({ name }) => !name.includes('interactions')),
  ];
}

describe('upstreams that stream as their providers do, before the providers’ own client libraries', function () {
  this.timeout(longRuns ? 600_000 : 60_000);
  let upstream: ScriptedUpstream;
  let gateway: RunningGateway;
  let answered: Buffer;
  /** How many bytes of it come before the connection breaks. */
  let cutAt: number;

  before(async () => {
    upstream = await startUpstream((_, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      if (cutAt >= answered.length) res.end(answered);
      else res.write(answered.subarray(0, cutAt), () => res.destroy());
    });
    const { origin } = new URL(upstream.baseUrl);
    const upstreams = formats.map((format) => {
      const baseUrl = format === 'chatCompletions' ? upstream.baseUrl : origin;
      return { name: kinds[format], kind: kinds[format], baseUrl, models: ['m'] };
    });
    gateway = await startGateway({ demo: false, config: { upstreams } });
  });
  after(async () => {
    await gateway.stop();
    await upstream.close();
  });

  /** What came of a stream before its end or its failure. */
  const read = async (sdk: Sdk, model: string) => {
    let text = '';
    try {
      for await (const piece of sdk.stream({ text: 'Hi', model })) text += piece;
      return { text };
    } catch (error) {
      return { text, error };
    }
  };

  sdksOf({ baseUrl: 'http://127.0.0.1:1', credential: 'canary-credential' }).forEach(({ name }, i) => {
    for (const format of formats) {
      it(`P7 F51 never pass for whole where they are cut: ${name}, of ${kinds[format]}`, async () => {
        const sdk = sdksOf(gateway)[i];
        assert.ok(sdk);
        answered = Buffer.from(playedText(format, said));
        const model = `${kinds[format]}/m`;
        cutAt = answered.length;
        assert.deepEqual(await read(sdk, model), { text: said });
        for (cutAt = 0; cutAt < answered.length; cutAt += step) {
          const { text, error } = await read(sdk, model);
          assert.ok(said.startsWith(text), `after ${cutAt}: ${text}`);
          assert.ok(error !== undefined || text === said, `after ${cutAt}: ${text}`);
        }
      });
    }
  });
});

describe('responses in the background', function () {
  this.timeout(20_000);

  it('are made, read, cancelled and deleted by openai, at an upstream that makes them', async () => {
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
      const { responses } = openaiClient(gateway);
      const made = await responses.create({ model: 'm', input: 'Hi', background: true });
      assert.equal(made.status, 'queued');
      assert.equal((await responses.retrieve(made.id)).status, 'queued');
      assert.equal((await responses.cancel(made.id)).status, 'cancelled');
      await responses.delete(made.id);
      await assert.rejects(responses.retrieve(made.id), { status: 404 });
    } finally {
      await gateway.stop();
      await upstream.close();
    }
  });
});
