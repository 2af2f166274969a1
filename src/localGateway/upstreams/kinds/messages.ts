import { createMessagesEndpoint } from '../endpoint.ts';
import { createMessagesListing } from '../modelLists.ts';
import { createAddressField, defineHttpKind, removeAddressEnd } from '../upstreamKind.ts';

const version = '/v1';

const textEndpoints = { messages: createMessagesEndpoint(version) };

/** The messages API of its provider. The caller's headers for its version and its beta features are passed on. */
export const messagesKind = defineHttpKind(
  'messages',
  { baseUrl: createAddressField('The address before /v1/messages, such as https://api.anthropic.com.') },
  ({ baseUrl }) => ({
    base: removeAddressEnd(baseUrl, /\/v1$/),
    findTextEndpoints: () => textEndpoints,
    models: createMessagesListing(`${version}/models`),
    createCredentialHeaders: (key) => ({ 'x-api-key': key }),
  }),
);
