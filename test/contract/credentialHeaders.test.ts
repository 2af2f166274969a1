import assert from 'node:assert/strict';
import type { GatewayClient } from '../../src/client/gatewayClient.ts';
import type { ClientOptions } from '../../src/client/types.ts';
import { chatCompletions } from '../../src/wire/apis/chatCompletions/format.ts';
import { contentGenerationRoutes } from '../../src/wire/apis/contentGeneration/format.ts';
import { interactions } from '../../src/wire/apis/interactions/format.ts';
import { messages as messagesFormat } from '../../src/wire/apis/messages/format.ts';
import { responses, storedResponsesRoutes } from '../../src/wire/apis/responses/format.ts';
import { videoSynthesisRoutes } from '../../src/wire/apis/videoSynthesis/videoRoute.ts';
import { litellmRoutes, routes } from '../../src/wire/routes.ts';
import { testCredential, withFaultServer } from '../support/faultServerCalls.ts';

const allRoutes = {
  ...routes,
  ...litellmRoutes,
  chatCompletions: chatCompletions.route,
  ...contentGenerationRoutes,
  interactions: interactions.route,
  ...videoSynthesisRoutes,
  messages: messagesFormat.route,
  responses: responses.route,
  ...storedResponsesRoutes,
};
const ignore = () => {};
const contents = [{ parts: [{ text: 'Hi' }] }];
const messages = [{ role: 'user' as const, content: 'Hi' }];
const callOf: Readonly<Record<keyof typeof allRoutes, (client: GatewayClient) => Promise<unknown>>> = {
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

/** The names of headers from which gateways may read a credential. */
const credentialHeaderNames = /authorization|api-?key|token|secret|cookie/;

async function readHeaders(
  name: keyof typeof callOf,
  options: Partial<ClientOptions>,
): Promise<Readonly<Record<string, string>>> {
  let headers: Readonly<Record<string, string>> = {};
  await withFaultServer(
    (connection) => connection.respond(200, {}, '{}'),
    async ({ server, client }) => {
      await callOf[name](client).catch(ignore);
      assert.equal(server.requests.length, 1);
      headers = server.requests[0]?.headers ?? {};
    },
    options,
  );
  return headers;
}

function findCredentialHeaders(headers: Readonly<Record<string, string>>): readonly string[] {
  const nameMatches = Object.keys(headers).filter((name) => credentialHeaderNames.test(name));
  const withCredential = Object.keys(headers).filter((name) => headers[name]?.includes(testCredential));
  return [...new Set([...nameMatches, ...withCredential])];
}

const spellings: readonly (readonly [name: string, options: Partial<ClientOptions>, vendorKey: string])[] = [
  ['of the specification', {}, 'x-vendor-api-key'],
  ['of the providers', { headers: { preset: 'provider' } }, 'x-goog-api-key'],
  [
    'of the settings',
    { headers: { preset: 'provider', overrides: { vendorApiKey: 'X-Own-Api-Key' } } },
    'x-own-api-key',
  ],
];

for (const [name, options, vendorKey] of spellings) {
  describe(`requests with the header names ${name}`, () => {
    for (const route of Object.keys(callOf) as (keyof typeof callOf)[]) {
      it(`send exactly one credential header on ${route}`, async () => {
        const headers = await readHeaders(route, options);
        const usesVendorKey = allRoutes[route].credential === 'vendor-api-key';
        const [header, ...others] = findCredentialHeaders(headers);
        assert.deepEqual(others, []);
        assert.equal(header, usesVendorKey ? vendorKey : 'authorization');
        assert.equal(headers[header ?? ''], usesVendorKey ? testCredential : `Bearer ${testCredential}`);
        assert.equal(headers['content-type'], 'application/json');
        assert.ok(headers['x-request-id']);
      });
    }

    it('do not send a credential header without a credential', async () => {
      for (const route of Object.keys(callOf) as (keyof typeof callOf)[]) {
        const headers = await readHeaders(route, { ...options, credential: async () => undefined });
        assert.deepEqual(findCredentialHeaders(headers), [], route);
      }
    });
  });
}
