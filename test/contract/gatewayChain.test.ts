import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { createAiSdks } from '../support/sdks/ai.ts';
import { createMessagesSdk } from '../support/sdks/anthropic.ts';
import { createContentSdk, createInteractionsSdk } from '../support/sdks/genai.ts';
import { createChatSdk, createResponsesSdk } from '../support/sdks/openai.ts';
import type { Sdk, SdkTarget } from '../support/sdks/sdk.ts';

/** The client libraries that can call each kind of upstream. */
const chains: readonly {
  readonly upstream: object;
  readonly path: string;
  sdks(target: SdkTarget): readonly Sdk[];
}[] = [
  {
    upstream: { kind: 'openai-compatible', formats: ['chatCompletions', 'responses', 'messages'] },
    path: '/v1',
    sdks: (target) => [
      createChatSdk(target),
      createResponsesSdk(target),
      createMessagesSdk(target),
      ...createAiSdks(target).slice(0, 1),
    ],
  },
  {
    upstream: { kind: 'content-generation', interactions: true },
    path: '',
    sdks: (target) => [
      createContentSdk(target),
      createInteractionsSdk(target),
      ...createAiSdks(target).slice(1),
    ],
  },
  { upstream: { kind: 'messages' }, path: '', sdks: (target) => [createMessagesSdk(target)] },
  { upstream: { kind: 'responses' }, path: '', sdks: (target) => [createResponsesSdk(target)] },
];

/** The demo of one gateway is the upstream of another, so that every byte crosses two. */
describe('a gateway whose upstream is another gateway', function () {
  this.timeout(20_000);
  let demo: RunningGateway;

  before(async () => {
    demo = await startGateway();
  });
  after(() => demo.stop());

  for (const { upstream, path, sdks } of chains) {
    describe(`configured as ${JSON.stringify(upstream)}`, () => {
      let gateway: RunningGateway;
      const known = sdks({ baseUrl: 'http://127.0.0.1:1', credential: 'canary-credential' });

      before(async () => {
        const baseUrl = demo.baseUrl + path;
        gateway = await startGateway({
          demo: false,
          config: { upstreams: [{ name: 'demo-behind', ...upstream, baseUrl, keyEnv: 'DEMO_KEY' }] },
          env: { DEMO_KEY: demo.credential },
        });
      });
      after(() => gateway.stop());

      known.forEach(({ name, list, read, countTokens }, i) => {
        const through = () => at(sdks(gateway), i);
        const direct = () => at(sdks(demo), i);

        it(`replies to ${name} as the demo itself does`, async () => {
          const question = { text: 'A table in 50 words' };
          const reply = await direct().sendQuestion(question);
          assert.equal(await through().sendQuestion(question), reply);
          let streamed = '';
          for await (const piece of through().stream(question)) streamed += piece;
          assert.equal(streamed, reply);
          for (const isStreamed of [false, true]) {
            const { cities } = await through().useTool('Call the tool for "Paris"', isStreamed);
            assert.deepEqual(cities, ['Paris']);
          }
          if (list) assert.deepEqual(await through().list?.(), await direct().list?.());
          if (read) assert.equal(await through().read?.('demo/chat'), 'demo/chat');
          if (countTokens)
            assert.equal(await through().countTokens?.('hello'), await direct().countTokens?.('hello'));
          assert.match(
            await catchFailure(through().sendQuestion({ text: 'hi', model: 'demo/none' })),
            /^404.*no model/s,
          );
          assert.match(await catchFailure(through().sendQuestion({ text: 'fail with 400' })), /^400/);
        });

        it(`ends the request to the demo when ${name} stops a reply`, async () => {
          const before = demo.stderr().length;
          const caller = new AbortController();
          const read = async () => {
            for await (const piece of through().stream({ text: 'go silent', signal: caller.signal })) {
              if (piece !== '') caller.abort();
            }
          };
          await read().catch((error: unknown) => assert.match(String(error), /abort/i));
          while (!/cut off/.test(demo.stderr().slice(before)))
            await once(demo.process.stderr ?? process.stderr, 'data');
        });
      });
    });
  }
});

/** A failure of any library: its status, and the error message of the upstream or gateway. */
async function catchFailure(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => assert.fail('it should have failed'),
    (failure: unknown) => failure as Record<string, unknown>,
  );
  return `${error.status ?? error.statusCode} ${error.message} ${error.responseBody ?? ''}`;
}

function at(sdks: readonly Sdk[], i: number): Sdk {
  const sdk = sdks[i];
  assert.ok(sdk);
  return sdk;
}
