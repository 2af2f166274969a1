import * as z from 'zod';
import { createLongRunningVideoForm, isVeo } from '../../../wire/apis/convertedVideos/longRunningVideo.ts';
import {
  contentGenerationAt,
  interactionsAt,
  pathSegment,
  storedInteractionsAt,
  type TaskEndpoints,
} from '../endpoint.ts';
import { generationPages } from '../modelLists.ts';
import type { ConvertedVideos } from '../upstream.ts';
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
    tasks: {
      ...(interactions && { interactions: storedInteractionsAt(version) }),
      longRunningVideos: longRunningVideosAt(version),
    },
    videosOf: (model) => (isVeo(model) ? veoVideos : undefined),
    models: generationPages(`${version}/models`),
    credential: vendorApiKey,
  }),
);

const veoVideos: ConvertedVideos = { format: 'longRunningVideos', form: createLongRunningVideoForm(false) };

/** Long-running predictions, which can neither be cancelled nor deleted. */
function longRunningVideosAt(prefix: string): TaskEndpoints {
  return {
    create: (model) => ({ path: `${modelPath(model)}:predictLongRunning` }),
    read: (operation) => ({ method: 'GET', path: `${prefix}/${operationPath(operation)}` }),
  };
}

/** The name of an operation is its path. Any other name stays one segment. */
function operationPath(name: string): string {
  return /^(?:[\w.@:-]+\/)*operations\/[\w.-]+$/.test(name) ? name : pathSegment(name);
}

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
