import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GoogleGenAI } from '@google/genai';
import { generateText, streamText } from 'ai';
import { clientPrograms } from '../../src/host/gateway/local/clientSettings.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { createAiSdks, createGoogleProvider } from '../support/sdks/ai.ts';
import { createMessagesSdk } from '../support/sdks/anthropic.ts';
import { createContentSdk, createGenaiClient, createInteractionsSdk } from '../support/sdks/genai.ts';
import { createChatSdk, createOpenaiClient, createResponsesSdk } from '../support/sdks/openai.ts';
import type { Sdk, SdkTarget } from '../support/sdks/sdk.ts';

function createSdks(target: SdkTarget): readonly Sdk[] {
  return [
    createChatSdk(target),
    createResponsesSdk(target),
    createMessagesSdk(target),
    createContentSdk(target),
    createInteractionsSdk(target),
    ...createAiSdks(target),
  ];
}

/** The SDKs under test, created before a gateway exists. */
const known = createSdks({ baseUrl: 'http://127.0.0.1:1', credential: 'canary-credential' });

describe('the demo, used with the providers’ client libraries', function () {
  this.timeout(20_000);
  let gateway: RunningGateway;
  let sdks: readonly Sdk[];
  let strangers: readonly Sdk[];

  before(async () => {
    gateway = await startGateway();
    sdks = createSdks(gateway);
    strangers = createSdks({ baseUrl: gateway.baseUrl, credential: 'canary-credential' });
  });
  after(() => gateway.stop());

  const readPieces = async (stream: AsyncIterable<string>) => {
    const all: string[] = [];
    for await (const piece of stream) if (piece !== '') all.push(piece);
    return all;
  };
  const findSdk = (from: readonly Sdk[], name: string): Sdk => {
    const sdk = from.find((each) => each.name === name);
    assert.ok(sdk);
    return sdk;
  };
  /** A failure of any library: its status, and the gateway's error message. */
  const catchFailure = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => assert.fail('it should have failed'),
      (failure: unknown) => failure as Record<string, unknown>,
    );
    return `${error.status ?? error.statusCode} ${error.message} ${error.responseBody ?? ''}`;
  };

  for (const { id, name, settings } of clientPrograms.filter(
    ({ pasteTarget }) => pasteTarget === 'javascript',
  )) {
    it(`replies to the code that the extension copies for the ${name}`, async () => {
      const folder = await mkdtemp(join(import.meta.dirname, '../node_modules/.copied-'));
      try {
        const file = join(folder, `${id}.mjs`);
        await writeFile(file, settings({ ...gateway, model: 'demo/chat' }));
        const { stdout } = await promisify(execFile)(process.execPath, [file]);
        assert.match(stdout, /Demo reply/, stdout);
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  }

  describe('videos', () => {
    const quick = 'A cat, queue for 0 seconds, take 0 seconds';
    const createVideoRequest = (input: string) => ({
      model: 'demo/video',
      input,
      response_format: { type: 'video' as const },
    });
    const isVideo = (data: string | undefined) =>
      Buffer.from(data ?? '', 'base64').toString('latin1', 4, 8) === 'ftyp';

    it('are returned to @google/genai, directly and in the background', async () => {
      const { interactions } = createGenaiClient(gateway);
      const interaction = await interactions.create(createVideoRequest(quick));
      assert.ok(isVideo(interaction.output_video?.data));
      const { id, status } = await interactions.create({ ...createVideoRequest(quick), background: true });
      assert.ok(['in_progress', 'completed'].includes(String(status)));
      for (;;) {
        const current = await interactions.get(String(id));
        if (current.status !== 'completed') continue;
        assert.ok(isVideo(current.output_video?.data));
        break;
      }
    });

    it('are read as a stream, cancelled and deleted by @google/genai', async () => {
      const { interactions } = createGenaiClient(gateway);
      const endless = { ...createVideoRequest('A cat, never finish'), background: true };
      const { id = '' } = await interactions.create(endless);
      const events: string[] = [];
      const read = (async () => {
        for await (const { event_type } of await interactions.get(id, { stream: true }))
          events.push(event_type);
      })();
      assert.equal((await interactions.cancel(id)).status, 'cancelled');
      await read;
      assert.deepEqual(events, ['interaction.created', 'interaction.completed']);
      await interactions.delete(id);
      assert.match(await catchFailure(interactions.get(id)), /404 .*no such task/);
    });

    it('are created as jobs by openai, polled, downloaded, listed and deleted', async () => {
      const { videos } = createOpenaiClient(gateway);
      const { id, object, model } = await videos.create({ model: 'demo/video', prompt: quick });
      assert.deepEqual([object, model], ['video', 'demo/video']);
      while ((await videos.retrieve(id)).status !== 'completed');
      const bytes = Buffer.from(await (await videos.downloadContent(id)).arrayBuffer());
      assert.equal(bytes.toString('latin1', 4, 8), 'ftyp');
      const listed: string[] = [];
      for await (const each of videos.list()) listed.push(each.id);
      assert.ok(listed.includes(id));
      assert.equal((await videos.delete(id)).deleted, true);
      assert.match(await catchFailure(videos.retrieve(id)), /404 .*no such task/);
    });

    it('are returned to `ai` by @ai-sdk/google, whole and streamed, directly and in the background', async () => {
      const model = createGoogleProvider(gateway).interactions('demo/video');
      for (const background of [false, true]) {
        const google = { background, responseFormat: [{ type: 'video' as const }] };
        const request = { model, prompt: quick, maxRetries: 0, providerOptions: { google } };
        const { files } = await generateText(request);
        assert.deepEqual(
          files.map(({ base64, mediaType }) => [isVideo(base64), mediaType]),
          [[true, 'video/mp4']],
        );
        if (!background) continue;
        const streamed = await streamText(request).files;
        assert.deepEqual(
          streamed.map(({ base64 }) => isVideo(base64)),
          [true],
        );
      }
    });
  });

  it('replies to @google/genai in enterprise mode, which sends the publisher separately', async () => {
    const { baseUrl, credential: apiKey } = gateway;
    const { models } = new GoogleGenAI({ enterprise: true, apiKey, httpOptions: { baseUrl } });
    const request = { model: 'demo/chat', contents: 'hello' };
    assert.match((await models.generateContent(request)).text ?? '', /^\*Demo reply/);
    assert.ok((await models.countTokens(request)).totalTokens);
    assert.equal((await models.get({ model: 'demo/chat' })).name, 'models/demo/chat');
    const names: unknown[] = [];
    for await (const { name } of await models.list()) names.push(name);
    assert.deepEqual(names, ['models/demo/chat', 'models/demo/reasoning', 'models/demo/video']);
  });

  for (const { name, list, read, draw, countTokens } of known) {
    describe(name, () => {
      const sdk = () => findSdk(sdks, name);

      if (list) {
        it('lists the models', async () => {
          assert.deepEqual(await sdk().list?.(), ['demo/chat', 'demo/reasoning', 'demo/video']);
        });
      }

      if (read) {
        it('reads a model whose id has a slash', async () => {
          assert.equal(await sdk().read?.('demo/reasoning'), 'demo/reasoning');
        });
      }

      it('chats, whole and streamed, with the same text', async () => {
        const text = 'A table in 200 words';
        const reply = await sdk().sendQuestion({ text });
        assert.match(reply, /^\*Demo reply from the local gateway/);
        const streamed = await readPieces(sdk().stream({ text }));
        assert.ok(streamed.length > 100);
        assert.equal(streamed.join(''), reply);
      });

      it('reads a reply that begins with reasoning', async () => {
        const streamed = await readPieces(sdk().stream({ text: 'Why?', model: 'demo/reasoning' }));
        assert.match(streamed.join(''), /^\*Demo reply/);
      });

      for (const streamed of [false, true]) {
        const mode = streamed ? 'streamed' : 'whole';

        it(`lets the model call a tool, and sends back its result, ${mode}`, async () => {
          const { cities, text } = await sdk().useTool(
            'Call the tool twice, for "Paris" and "Rome"',
            streamed,
          );
          assert.deepEqual(cities, ['Paris', 'Rome']);
          assert.match(text, /> .*sunny in Paris/);
          assert.match(text, /> .*sunny in Rome/);
        });

        if (!draw) continue;
        it(`returns a picture, ${mode}`, async () => {
          const pictures = (await sdk().draw?.('Draw a cat', streamed)) ?? [];
          assert.deepEqual(
            pictures.map((data) => Buffer.from(data, 'base64').toString('latin1', 1, 4)),
            ['PNG'],
          );
        });
      }

      if (countTokens) {
        it('counts tokens', async () => {
          assert.equal(await sdk().countTokens?.('x'.repeat(400)), 104);
        });
      }

      it('ends the request at the gateway when it stops a reply', async () => {
        const before = gateway.stderr().length;
        const caller = new AbortController();
        const silence = sdk().stream({ text: 'go silent', signal: caller.signal });
        let came = '';
        const read = async () => {
          for await (const piece of silence) {
            came += piece;
            if (came !== '') caller.abort();
          }
        };
        // Some libraries end such a stream, others throw.
        await read().catch((error: unknown) => assert.match(String(error), /abort/i));
        assert.ok(came.length > 0);
        while (!/cut off/.test(gateway.stderr().slice(before)))
          await once(gateway.process.stderr ?? process.stderr, 'data');
      });

      it('chats twenty times at once', async () => {
        const caller = new AbortController();
        const firsts = await Promise.all(
          Array.from({ length: 20 }, async () => {
            const stream = sdk().stream({ text: 'go silent', signal: caller.signal })[Symbol.asyncIterator]();
            // All streams are open until each has started.
            return { first: await stream.next(), stream };
          }),
        );
        assert.ok(firsts.every(({ first }) => first.done !== true));
        const ends = Promise.allSettled(
          firsts.map(({ stream }) => readPieces({ [Symbol.asyncIterator]: () => stream })),
        );
        caller.abort();
        await ends;
        const replies = await Promise.all(
          Array.from({ length: 20 }, (_, i) => sdk().sendQuestion({ text: `Question ${i}` })),
        );
        for (const [i, reply] of replies.entries()) assert.match(reply, new RegExp(`> Question ${i}\\n`));
      });

      const createCalls = (of: Sdk, model?: string): readonly (() => Promise<unknown>)[] => [
        () => of.sendQuestion({ text: 'hi', model }),
        () => readPieces(of.stream({ text: 'hi', model })),
      ];

      it('reports a wrong credential with the gateway’s message', async () => {
        const stranger = findSdk(strangers, name);
        const lists = stranger.list ? [stranger.list] : [];
        for (const way of [...createCalls(stranger), ...lists])
          assert.match(await catchFailure(way()), /401.*credential/is);
      });

      it('reports an unknown model with the gateway’s message', async () => {
        for (const way of createCalls(sdk(), 'demo/none'))
          assert.match(await catchFailure(way()), /404.*no model [\\"]*demo\/none/s);
      });
    });
  }
});
