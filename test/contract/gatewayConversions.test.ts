import assert from 'node:assert/strict';
import type { ConvertibleFormat } from '../support/convertibleFormat.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { createAiSdks } from '../support/sdks/ai.ts';
import { createMessagesSdk } from '../support/sdks/anthropic.ts';
import { createContentSdk } from '../support/sdks/genai.ts';
import { createChatSdk, createResponsesSdk } from '../support/sdks/openai.ts';
import type { Sdk, SdkTarget } from '../support/sdks/sdk.ts';

/** The libraries that use each format. */
const libraries: Readonly<Record<ConvertibleFormat, (target: SdkTarget) => readonly Sdk[]>> = {
  chatCompletions: (target) => [createChatSdk(target), ...createAiSdks(target).slice(0, 1)],
  contentGeneration: (target) => [createContentSdk(target), ...createAiSdks(target).slice(1, 2)],
  messages: (target) => [createMessagesSdk(target)],
  responses: (target) => [createResponsesSdk(target)],
};

const formats = Object.keys(libraries) as ConvertibleFormat[];

/** Upstreams that serve one format, and the ends of their addresses. */
const kinds: Readonly<Record<ConvertibleFormat, { readonly kind: string; readonly path: string }>> = {
  chatCompletions: { kind: 'openai-compatible', path: '/v1' },
  contentGeneration: { kind: 'content-generation', path: '' },
  messages: { kind: 'messages', path: '' },
  responses: { kind: 'responses', path: '' },
};

/** A gateway whose only upstream serves one format: another gateway. */
function startGatewayBefore(upstream: RunningGateway, to: ConvertibleFormat): Promise<RunningGateway> {
  const { kind, path } = kinds[to];
  const other = { name: 'other', kind, baseUrl: upstream.baseUrl + path, keyEnv: 'OTHER_KEY' };
  const env = { OTHER_KEY: upstream.credential };
  return startGateway({ demo: false, config: { upstreams: [other] }, env });
}

describe('the providers’ client libraries with an upstream of another format', function () {
  this.timeout(20_000);
  let upstream: RunningGateway;
  let gateways: ReadonlyMap<ConvertibleFormat, RunningGateway>;

  before(async () => {
    upstream = await startGateway();
    const started = formats.map(async (to) => [to, await startGatewayBefore(upstream, to)] as const);
    gateways = new Map(await Promise.all(started));
  });
  after(() => Promise.all([upstream, ...gateways.values()].map((gateway) => gateway.stop())));

  const joinPieces = async (stream: AsyncIterable<string>) => {
    let text = '';
    for await (const piece of stream) text += piece;
    return text;
  };

  for (const to of formats) {
    for (const from of formats.filter((each) => each !== to)) {
      describe(`with requests converted from ${from} to ${to}`, () => {
        const forEachSdk = (work: (sdk: Sdk) => Promise<void>) => async () => {
          const gateway = gateways.get(to);
          assert.ok(gateway);
          for (const sdk of libraries[from](gateway)) await work(sdk);
        };

        it(
          'chat, whole and streamed, with the same text',
          forEachSdk(async (sdk) => {
            const text = 'A table in 60 words, with 你好 👩‍👩‍👧';
            const reply = await sdk.sendQuestion({ text });
            assert.match(reply, /^\*Demo reply from the local gateway/);
            assert.equal(await joinPieces(sdk.stream({ text })), reply);
            assert.match(
              await joinPieces(sdk.stream({ text: 'Why?', model: 'demo/reasoning' })),
              /^\*Demo reply/,
            );
          }),
        );

        it(
          'let the model call a tool, and send back its result',
          forEachSdk(async (sdk) => {
            for (const streamed of [false, true]) {
              const question = 'Call the tool twice, for "Paris" and "Rome"';
              const { cities, text } = await sdk.useTool(question, streamed);
              assert.deepEqual(cities, ['Paris', 'Rome']);
              assert.match(text, /> .*sunny in Paris/);
              assert.match(text, /> .*sunny in Rome/);
            }
          }),
        );

        if (from !== 'messages' && to !== 'messages') {
          it(
            'return a picture',
            forEachSdk(async (sdk) => {
              for (const streamed of [false, true]) {
                const pictures = (await sdk.draw?.('Draw a cat', streamed)) ?? [];
                const starts = pictures.map((data) => Buffer.from(data, 'base64').toString('latin1', 1, 4));
                assert.deepEqual(starts, sdk.draw ? ['PNG'] : []);
              }
            }),
          );
        }

        it(
          'report a failure with the upstream’s message, before and within the reply',
          forEachSdk(async (sdk) => {
            const unknown = await sdk
              .sendQuestion({ text: 'hello', model: 'demo/nobody' })
              .then(String, String);
            assert.match(unknown, /no model/);
            // The library for responses returns this error as an event and does not throw.
            if (from === 'responses') return;
            const broken = await joinPieces(sdk.stream({ text: 'error in the middle' })).then(String, String);
            assert.match(broken, /The demo model broke off/);
          }),
        );
      });
    }
  }
});
