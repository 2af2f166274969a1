import assert from 'node:assert/strict';
import type { ConvertibleFormat } from '../support/convertibleFormat.ts';
import { streamText, streamToolCall } from '../support/modelStreams.ts';
import { codex, geminiCli, note, type Program } from '../support/programs.ts';
import type { UpstreamRequest } from '../support/scriptedUpstream.ts';
import { setUpUpstreams } from '../support/testUpstreams.ts';

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

/** Calls of tools with a text argument, and the text of their results. */
const knownModels = [
  {
    model: 'gpt-5.5',
    call: {
      name: 'apply_patch',
      arguments: {
        input: `*** Begin Patch\n*** Update File: ${note.name}\n@@\n-${note.content}\n+Plum.\n*** End Patch`,
      },
    },
    sees: 'Success. Updated the following files',
  },
  {
    model: 'gpt-6-sol',
    call: {
      name: 'functions__exec',
      arguments: { input: `text((await tools.exec_command({ cmd: 'cat ${note.name}' })).output)` },
    },
    sees: note.content,
  },
] as const;

const model = 'team/some-model';
const error = { message: 'The teapot refuses.', type: 'invalid_request_error', code: 'teapot' };

describe('command-line programs through the local gateway, with the settings that the extension copies', function () {
  this.timeout(120_000);
  const { startScriptedUpstream, startGatewayFor } = setUpUpstreams();

  const startGatewayBefore = async (
    { kind }: Served,
    respond: Parameters<typeof startScriptedUpstream>[0],
  ) => {
    const upstream = await startScriptedUpstream(respond);
    const baseUrl = kind === 'openai-compatible' ? upstream.baseUrl : new URL(upstream.baseUrl).origin;
    const gateway = await startGatewayFor([{ name: 'one', kind, baseUrl, models: [model] }]);
    return { upstream, gateway };
  };

  /** The model first calls a tool for the file, and replies with text when it has received the content. */
  const createResponder =
    ({ format }: Served, program: Program) =>
    (request: UpstreamRequest, res: Res) => {
      const hasRead = String(request.body).includes(note.content);
      const turn = hasRead
        ? streamText(format, 'It says marmalade, clearly.')
        : streamToolCall(format, program.createReadCall(note.name));
      res.writeHead(200, { 'content-type': 'text/event-stream' }).end(turn);
    };

  describe('Codex with a model that it knows by name and gives special tools', () => {
    for (const { model: known, call, sees } of knownModels) {
      for (const { kind, format } of kinds.filter((each) => each.format !== 'responses')) {
        it(`calls a tool for ${known} behind ${kind}`, async () => {
          const upstream = await startScriptedUpstream(({ body }, res) => {
            const turn = String(body).includes(sees)
              ? streamText(format, 'It is done.')
              : streamToolCall(format, call);
            res.writeHead(200, { 'content-type': 'text/event-stream' }).end(turn);
          });
          const origin = new URL(upstream.baseUrl).origin;
          const baseUrl = kind === 'openai-compatible' ? upstream.baseUrl : origin;
          const gateway = await startGatewayFor([{ name: 'one', kind, baseUrl, models: [known] }]);
          const { baseUrl: address, credential } = gateway;
          const run = await codex.runQuestion('Do it.', { baseUrl: address, credential, model: known });
          assert.match(run.stdout, /It is done\./, run.stderr + gateway.stderr());
          assert.equal(upstream.requests.length, 2);
        });
      }
    }
  });

  for (const program of [geminiCli, codex]) {
    describe(program.name, () => {
      for (const served of kinds) {
        it(`reads a file for a model behind ${served.kind}, and prints the model’s reply about it`, async () => {
          const { upstream, gateway } = await startGatewayBefore(served, createResponder(served, program));
          const { baseUrl, credential } = gateway;
          const run = await program.runQuestion('What is the password?', { baseUrl, credential, model });
          assert.match(run.stdout, /It says marmalade, clearly\./, run.stderr + gateway.stderr());
          assert.equal(run.code, 0);
          assert.equal(upstream.requests.length, 2);
          const [firstBody = '', secondBody = ''] = upstream.requests.map(({ body }) => String(body));
          assert.match(firstBody, /What is the password\?/);
          assert.equal(firstBody.includes(note.content), false);
          assert.match(secondBody, /What is the password\?/);
          assert.ok(secondBody.includes(note.content));
          for (const { headers, body } of upstream.requests)
            assert.equal((JSON.stringify(headers) + body).includes(credential), false);
        });
      }

      it('reports the upstream’s error', async () => {
        for (const served of kinds) {
          const { gateway } = await startGatewayBefore(served, (_, res) => {
            res.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
          });
          const { baseUrl, credential } = gateway;
          const run = await program.runQuestion('Hello', { baseUrl, credential, model });
          assert.notEqual(run.code, 0);
          assert.match(run.stderr, /The teapot refuses\./, served.kind);
        }
      });

      it('reports a wrong credential', async () => {
        const gateway = await startGatewayFor([], { demo: true });
        const { baseUrl } = gateway;
        const run = await program.runQuestion('Hello', {
          baseUrl,
          credential: 'canary-wrong',
          model: 'demo/chat',
        });
        assert.notEqual(run.code, 0);
        assert.match(run.stderr, /credential/);
      });
    });
  }
});

type Res = Parameters<Parameters<ReturnType<typeof setUpUpstreams>['startScriptedUpstream']>[0]>[1];
