import { interactionsAt, storedInteractionsAt } from '../formatEndpoints.ts';
import { generationPages } from '../modelLists.ts';
import { addressBefore, addressField, httpKind } from '../upstreamKind.ts';
import { vendorApiKey } from './contentGeneration.ts';

const version = '/v1beta';

const texts = { interactions: interactionsAt(version) };

/** Interactions alone: text, and videos as tasks. */
export const interactionsKind = httpKind(
  'interactions',
  {
    baseUrl: addressField(
      'The address before /v1beta/interactions, such as https://generativelanguage.googleapis.com.',
    ),
  },
  ({ baseUrl }) => ({
    base: addressBefore(baseUrl, /\/v1(?:beta1?)?$/),
    texts: () => texts,
    tasks: { interactions: storedInteractionsAt(version) },
    models: generationPages(`${version}/models`),
    credential: vendorApiKey,
  }),
);
