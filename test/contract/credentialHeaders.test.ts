import assert from 'node:assert/strict';
import type { GatewayClient } from '../../src/client/gatewayClient.ts';
import type { ClientOptions } from '../../src/client/types.ts';
import { chatCompletionsRoutes } from '../../src/wire/apis/chatCompletions/format.ts';
import { contentGenerationRoutes } from '../../src/wire/apis/contentGeneration/format.ts';
import { interactionsRoutes } from '../../src/wire/apis/interactions/format.ts';
import { messagesRoutes } from '../../src/wire/apis/messages/format.ts';
import { responsesRoutes, storedResponsesRoutes } from '../../src/wire/apis/responses/format.ts';
import { videoSynthesisRoutes } from '../../src/wire/apis/videoSynthesis/videoRoute.ts';
import { litellmRoutes, routes } from '../../src/wire/routes.ts';
import { testCredential, withFaultServer } from '../support/faultServerCalls.ts';

const all = {
  ...routes,
  ...litellmRoutes,
  ...chatCompletionsRoutes,
  ...contentGenerationRoutes,
  ...interactionsRoutes,
  ...videoSynthesisRoutes,
  ...messagesRoutes,
  ...responsesRoutes,
  ...storedResponsesRoutes,
};
const ignore = () => {};
const contents = [{ parts: [{ text: 'Hi' }] }];
const messages = [{ role: 'user' as const, content: 'Hi' }];
const call: Readonly<Record<keyof typeof all, (client: GatewayClient) => Promise<unknown>>> = {
  listModels: (client) => client.listModels(),
  readModelInfo: (client) => client.readTokenPrices(),
  chatCompletions: (client) => client.chatCompletions({ model: 'm', messages }, ignore),
  generateContent: (client) => client.generateContent('m', { contents }, ignore),
  streamGenerateContent: (client) => client.streamGenerateContent('m', { contents }, ignore),
  interactions: (client) => client.interactions({ model: 'm', input: 'Hi' }, ignore),
  videoSynthesis: (client) => client.videoSynthesis({ model: 'm', input: { prompt: 'Hi' } }),
  listTasks: (client) => client.listTasks(5),
  readTask: (client) => client.readTask('t'),
  cancelTask: (client) => client.cancelTask('t'),
  deleteTask: (client) => client.deleteTask('t'),
  messages: (client) => client.messages({ model: 'm', messages, max_tokens: 1 }, ignore),
  responses: (client) => client.responses({ model: 'm', input: 'Hi' }, ignore),
  readResponse: (client) => client.readResponse('r', ignore),
  cancelResponse: (client) => client.cancelResponse('r', ignore),
};

/** Headers that some gateway reads a credential from. */
const credentialHeaderNames = /authorization|api-?key|token|secret|cookie/;

async function headersOf(
  name: keyof typeof call,
  options: Partial<ClientOptions>,
): Promise<Readonly<Record<string, string>>> {
  let headers: Readonly<Record<string, string>> = {};
  await withFaultServer(
    (connection) => connection.respond(200, {}, '{}'),
    async ({ server, client }) => {
      await call[name](client).catch(ignore);
      assert.equal(server.requests.length, 1);
      headers = server.requests[0]?.headers ?? {};
    },
    options,
  );
  return headers;
}

function carriers(headers: Readonly<Record<string, string>>): readonly string[] {
  const named = Object.keys(headers).filter((name) => credentialHeaderNames.test(name));
  const holding = Object.keys(headers).filter((name) => headers[name]?.includes(testCredential));
  return [...new Set([...named, ...holding])];
}

const spellings: readonly (readonly [name: string, options: Partial<ClientOptions>, vendorKey: string])[] = [
  ['of the interface', {}, 'x-vendor-api-key'],
  ['of the providers', { headers: { preset: 'provider' } }, 'x-goog-api-key'],
  [
    'of the gateway',
    { headers: { preset: 'provider', overrides: { vendorApiKey: 'X-Own-Api-Key' } } },
    'x-own-api-key',
  ],
];

for (const [name, options, vendorKey] of spellings) {
  describe(`requests with the header names ${name}`, () => {
    for (const route of Object.keys(call) as (keyof typeof call)[]) {
      it(`send exactly one credential header on ${route}`, async () => {
        const headers = await headersOf(route, options);
        const vendor = all[route].credential === 'vendor-api-key';
        const [carrier, ...others] = carriers(headers);
        assert.deepEqual(others, []);
        assert.equal(carrier, vendor ? vendorKey : 'authorization');
        assert.equal(headers[carrier ?? ''], vendor ? testCredential : `Bearer ${testCredential}`);
        assert.equal(headers['content-type'], 'application/json');
        assert.ok(headers['x-request-id']);
      });
    }

    it('send no credential header without a credential', async () => {
      for (const route of Object.keys(call) as (keyof typeof call)[]) {
        const headers = await headersOf(route, { ...options, credential: async () => undefined });
        assert.deepEqual(carriers(headers), [], route);
      }
    });
  });
}
