import * as z from 'zod';
import { contentGenerationAt, interactionsAt, pathSegment, storedInteractionsAt } from '../endpoint.ts';
import { generationPages } from '../modelLists.ts';
import { addressBefore, addressField, httpKind } from '../upstreamKind.ts';

const version = '/v1beta';

/** Content generation by key: the Gemini API, which also has interactions. */
export const contentGenerationKind = httpKind(
  'content-generation',
  {
    baseUrl: addressField(
      'The address before /v1beta/models, such as https://generativelanguage.googleapis.com.',
    ),
    interactions: z
      .boolean()
      .optional()
      .describe('Whether the upstream also serves interactions, at /v1beta/interactions. Default: false.'),
  },
  ({ baseUrl, interactions = false }) => ({
    base: addressBefore(baseUrl, /\/v1(?:beta1?)?$/),
    texts: (model) => ({
      contentGeneration: contentGenerationAt(modelPath(model)),
      ...(interactions && { interactions: interactionsAt(version) }),
    }),
    tasks: interactions ? { interactions: storedInteractionsAt(version) } : {},
    models: generationPages(`${version}/models`),
    credential: vendorApiKey,
  }),
);

const interactionTexts = { interactions: interactionsAt(version) };

/** Only interactions: text, and videos as tasks. */
export const interactionsKind = httpKind(
  'interactions',
  {
    baseUrl: addressField(
      'The address before /v1beta/interactions, such as https://generativelanguage.googleapis.com.',
    ),
  },
  ({ baseUrl }) => ({
    base: addressBefore(baseUrl, /\/v1(?:beta1?)?$/),
    texts: () => interactionTexts,
    tasks: { interactions: storedInteractionsAt(version) },
    models: generationPages(`${version}/models`),
    credential: vendorApiKey,
  }),
);

/** The key in the header that this provider expects. */
function vendorApiKey(key: string): Readonly<Record<string, string>> {
  return { 'x-goog-api-key': key };
}

/** Tuned models have their own collection. */
function modelPath(model: string): string {
  const tuned = /^tunedModels\/(.+)$/.exec(model)?.[1];
  return tuned === undefined
    ? `${version}/models/${pathSegment(model)}`
    : `${version}/tunedModels/${pathSegment(tuned)}`;
}
