import assert from 'node:assert/strict';
import type { ConvertibleFormat } from '../../src/localGateway/conversion/conversion.ts';
import { playedCall, playedText } from '../support/playedModel.ts';
import { codex, geminiCli, note, type Program } from '../support/programs.ts';
import type { UpstreamRequest } from '../support/scriptedUpstream.ts';
import { upstreamsOfTest } from '../support/upstreamsOfTest.ts';

interface Served {
  readonly kind: string;
  readonly format: ConvertibleFormat;
}

const kinds: readonly Served[] = [
  { kind: 'openai-compatible', format: 'chatCompletions' },
  { kind: 'content-generation', format: 'contentGeneration' },
  { kind: 'messages', format: 'messages' },
  { kind: 'responses', format: 'responses' },
];

const model = 'team/some-model';
const error = { message: 'The teapot refuses.', type: 'invalid_request_error', code: 'teapot' };

describe('command-line programs through the local gateway, by what the extension copies for them', function () {
  this.timeout(120_000);
  const { upstreamThat, gatewayFor } = upstreamsOfTest();

  const gatewayBefore = async ({ kind }: Served, answer: Parameters<typeof upstreamThat>[0]) => {
    const upstream = await upstreamThat(answer);
    const baseUrl = kind === 'openai-compatible' ? upstream.baseUrl : new URL(upstream.baseUrl).origin;
    const gateway = await gatewayFor([{ name: 'one', kind, baseUrl, models: [model] }]);
    return { upstream, gateway };
  };

  /** The model asks for the file first, and tells when it has been given its content. */
  const answering =
    ({ format }: Served, program: Program) =>
    (request: UpstreamRequest, res: Res) => {
      const hasRead = String(request.body).includes(note.content);
      const turn = hasRead
        ? playedText(format, 'It says marmalade, clearly.')
        : playedCall(format, program.reads(note.name));
      res.writeHead(200, { 'content-type': 'text/event-stream' }).end(turn);
    };

  for (const program of [geminiCli, codex]) {
    describe(program.name, () => {
      for (const served of kinds) {
        it(`reads a file for a model behind ${served.kind}, and shows what that says of it`, async () => {
          const { upstream, gateway } = await gatewayBefore(served, answering(served, program));
          const { baseUrl, credential } = gateway;
          const run = await program.ask('What is the password?', { baseUrl, credential, model });
          assert.match(run.stdout, /It says marmalade, clearly\./, run.stderr + gateway.stderr());
          assert.equal(run.code, 0);
          assert.equal(upstream.requests.length, 2);
          const [asked = '', told = ''] = upstream.requests.map(({ body }) => String(body));
          assert.match(asked, /What is the password\?/);
          assert.equal(asked.includes(note.content), false);
          assert.match(told, /What is the password\?/);
          assert.ok(told.includes(note.content));
          for (const { headers, body } of upstream.requests)
            assert.equal((JSON.stringify(headers) + body).includes(credential), false);
        });
      }

      it('tells the upstream’s error', async () => {
        for (const served of kinds) {
          const { gateway } = await gatewayBefore(served, (_, res) => {
            res.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
          });
          const { baseUrl, credential } = gateway;
          const run = await program.ask('Hello', { baseUrl, credential, model });
          assert.notEqual(run.code, 0);
          assert.match(run.stderr, /The teapot refuses\./, served.kind);
        }
      });

      it('tells that the credential is wrong', async () => {
        const gateway = await gatewayFor([], { demo: true });
        const { baseUrl } = gateway;
        const run = await program.ask('Hello', { baseUrl, credential: 'canary-wrong', model: 'demo/chat' });
        assert.notEqual(run.code, 0);
        assert.match(run.stderr, /credential/);
      });
    });
  }
});

type Res = Parameters<Parameters<ReturnType<typeof upstreamsOfTest>['upstreamThat']>[0]>[1];
