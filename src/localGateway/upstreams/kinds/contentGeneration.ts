import * as z from 'zod';
import { createLongRunningVideoForm, isVeo } from '../../../wire/apis/convertedVideos/longRunningVideo.ts';
import {
  createGenerationEndpoint,
  createInteractionsEndpoint,
  createStoredInteractionEndpoints,
  encodePathSegment,
  type TaskEndpoints,
} from '../endpoint.ts';
import { createGenerationListing } from '../modelLists.ts';
import type { ConvertedVideos } from '../upstream.ts';
import { createAddressField, defineHttpKind, removeAddressEnd } from '../upstreamKind.ts';

const version = '/v1beta';

/** Content generation with a key, as in the Gemini API, which also has interactions. */
export const contentGenerationKind = defineHttpKind(
  'content-generation',
  {
    baseUrl: createAddressField(
      'The address before /v1beta/models, such as https://generativelanguage.googleapis.com.',
    ),
    interactions: z
      .boolean()
      .optional()
      .describe('Whether the upstream also serves interactions, at /v1beta/interactions. Default: false.'),
  },
  ({ baseUrl, interactions = false }) => ({
    base: removeAddressEnd(baseUrl, /\/v1(?:beta1?)?$/),
    findTextEndpoints: (model) => ({
      contentGeneration: createGenerationEndpoint(createModelPath(model)),
      ...(interactions && { interactions: createInteractionsEndpoint(version) }),
    }),
    tasks: {
      ...(interactions && { interactions: createStoredInteractionEndpoints(version) }),
      longRunningVideos,
    },
    findConvertedVideos: (model) => (isVeo(model) ? veoVideos : undefined),
    models: createGenerationListing(`${version}/models`),
    createCredentialHeaders: createVendorKeyHeader,
  }),
);

const veoVideos: ConvertedVideos = { format: 'longRunningVideos', form: createLongRunningVideoForm(false) };

/** Long-running predictions, which can neither be cancelled nor deleted. */
const longRunningVideos: TaskEndpoints = {
  create: (model) => ({ path: `${createModelPath(model)}:predictLongRunning` }),
  read: (operation) => ({ method: 'GET', path: `${version}/${createOperationPath(operation)}` }),
};

/** Creates the path of an operation, which is its name. Any other name becomes one segment. */
function createOperationPath(name: string): string {
  return /^(?:[\w.@:-]+\/)*operations\/[\w.-]+$/.test(name) ? name : encodePathSegment(name);
}

const interactionEndpoints = { interactions: createInteractionsEndpoint(version) };

/** Only interactions: text, and videos as tasks. */
export const interactionsKind = defineHttpKind(
  'interactions',
  {
    baseUrl: createAddressField(
      'The address before /v1beta/interactions, such as https://generativelanguage.googleapis.com.',
    ),
  },
  ({ baseUrl }) => ({
    base: removeAddressEnd(baseUrl, /\/v1(?:beta1?)?$/),
    findTextEndpoints: () => interactionEndpoints,
    tasks: { interactions: createStoredInteractionEndpoints(version) },
    models: createGenerationListing(`${version}/models`),
    createCredentialHeaders: createVendorKeyHeader,
  }),
);

/** Creates the header that this provider expects. */
function createVendorKeyHeader(key: string): Readonly<Record<string, string>> {
  return { 'x-goog-api-key': key };
}

/** Creates the path of a model. Tuned models are in a separate collection. */
function createModelPath(model: string): string {
  const tunedModel = /^tunedModels\/(.+)$/.exec(model)?.[1];
  return tunedModel === undefined
    ? `${version}/models/${encodePathSegment(model)}`
    : `${version}/tunedModels/${encodePathSegment(tunedModel)}`;
}
