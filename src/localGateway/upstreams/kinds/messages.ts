import { messagesAt } from '../endpoint.ts';
import { messagesPages } from '../modelLists.ts';
import { addressBefore, addressField, httpKind } from '../upstreamKind.ts';

const version = '/v1';

const texts = { messages: messagesAt(version) };

/** Messages at their provider. Headers for its version and its beta features are passed on. */
export const messagesKind = httpKind(
  'messages',
  { baseUrl: addressField('The address before /v1/messages, such as https://api.anthropic.com.') },
  ({ baseUrl }) => ({
    base: addressBefore(baseUrl, /\/v1$/),
    texts: () => texts,
    models: messagesPages(`${version}/models`),
    credential: (key) => ({ 'x-api-key': key }),
  }),
);
