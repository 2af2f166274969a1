import * as z from 'zod';
import { pathSegment } from '../endpoint.ts';
import { contentGenerationAt, interactionsAt, storedInteractionsAt } from '../formatEndpoints.ts';
import { generationPages } from '../modelLists.ts';
import { addressBefore, addressField, httpKind } from '../upstreamKind.ts';

const version = '/v1beta';

/** Content generation by key: the Gemini API, which has interactions beside it. */
export const contentGenerationKind = httpKind(
  'content-generation',
  {
    baseUrl: addressField(
      'The address before /v1beta/models, such as https://generativelanguage.googleapis.com.',
    ),
    interactions: z
      .boolean()
      .optional()
      .describe('Whether it answers interactions too, at /v1beta/interactions. By default it does not.'),
  },
  ({ baseUrl, interactions = false }) => ({
    base: addressBefore(baseUrl, /\/v1(?:beta1?)?$/),
    texts: (model) => ({
      contentGeneration: contentGenerationAt(placeOf(model)),
      ...(interactions && { interactions: interactionsAt(version) }),
    }),
    tasks: interactions ? { interactions: storedInteractionsAt(version) } : {},
    models: generationPages(`${version}/models`),
    credential: vendorApiKey,
  }),
);

const interactionTexts = { interactions: interactionsAt(version) };

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
    texts: () => interactionTexts,
    tasks: { interactions: storedInteractionsAt(version) },
    models: generationPages(`${version}/models`),
    credential: vendorApiKey,
  }),
);

/** The key as this provider takes it. */
function vendorApiKey(key: string): Readonly<Record<string, string>> {
  return { 'x-goog-api-key': key };
}

/** Models that someone tuned have a collection of their own. */
function placeOf(model: string): string {
  const tuned = /^tunedModels\/(.+)$/.exec(model)?.[1];
  return tuned === undefined
    ? `${version}/models/${pathSegment(model)}`
    : `${version}/tunedModels/${pathSegment(tuned)}`;
}
