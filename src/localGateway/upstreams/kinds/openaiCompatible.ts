import * as z from 'zod';
import { createModelMatcher } from '../../../base/modelPattern.ts';
import { videoGenerationsForm } from '../../../wire/apis/convertedVideos/videoGenerations.ts';
import {
  createChatEndpoint,
  createMessagesEndpoint,
  createResponsesEndpoint,
  createStoredResponseEndpoints,
  encodePathSegment,
  type TaskEndpoints,
  type TextEndpoint,
  type TextEndpoints,
} from '../endpoint.ts';
import { createPlainListing } from '../modelLists.ts';
import type { ConvertedVideos } from '../upstream.ts';
import { createAddressField, createBearerHeader, defineHttpKind, removeAddressEnd } from '../upstreamKind.ts';

const endpoints = {
  chatCompletions: createChatEndpoint(''),
  responses: createResponsesEndpoint(''),
  messages: createMessagesEndpoint(''),
} as const satisfies Record<string, TextEndpoint>;

const format = z.enum(['chatCompletions', 'responses', 'messages']);

const formats = z.array(format).min(1);

const defaultFormats: z.infer<typeof formats> = ['chatCompletions'];

/** Chat completions and perhaps other formats: the OpenAI API, and most model servers. */
export const openaiCompatibleKind = defineHttpKind(
  'openai-compatible',
  {
    baseUrl: createAddressField(
      'The address before /chat/completions and /models, such as https://models.example/v1.',
    ),
    formats: formats
      .optional()
      .describe(
        'API formats that the upstream supports, in order of preference. Requests in other formats are converted. Default: only chatCompletions.',
      ),
    modelFormats: z
      .array(
        z.strictObject({
          models: z.string().min(1).describe('IDs of the models; * matches any text.'),
          formats: formats.describe('API formats of these models, in order of preference.'),
        }),
      )
      .optional()
      .describe('API formats of models that differ from the other models. The first matching entry applies.'),
    videos: z.boolean().optional().describe('Whether videos are generated at /videos. Default: false.'),
    videoGenerations: z
      .boolean()
      .optional()
      .describe('Whether videos are generated at /video/generations, as by new-api. Default: false.'),
  },
  ({ baseUrl, formats: commonFormats = defaultFormats, modelFormats = [], ...videoOptions }) => {
    const { videos = false, videoGenerations = false } = videoOptions;
    const commonEndpoints = selectEndpoints(commonFormats);
    const rules = modelFormats.map((rule) => ({
      matches: createModelMatcher(rule.models),
      endpoints: selectEndpoints(rule.formats),
    }));
    const hasResponses = [commonEndpoints, ...rules.map(({ endpoints }) => endpoints)].some(
      (each) => each.responses,
    );
    return {
      base: new URL(baseUrl),
      findTextEndpoints: (model) => rules.find(({ matches }) => matches(model))?.endpoints ?? commonEndpoints,
      tasks: {
        ...(hasResponses && { responses: createStoredResponseEndpoints('') }),
        ...(videos && { videos: createVideoEndpoints('') }),
        ...(videoGenerations && { videoGenerations: newApiTasks }),
      },
      ...(videoGenerations && { findConvertedVideos: () => newApiVideos }),
      models: createPlainListing('/models'),
      createCredentialHeaders: createBearerHeader,
    };
  },
);

function selectEndpoints(formats: readonly z.infer<typeof format>[]): TextEndpoints {
  return Object.fromEntries(formats.map((each) => [each, endpoints[each]]));
}

const version = '/v1';

const responsesEndpoints = { responses: createResponsesEndpoint(version) };

/** Only responses, also in the background. */
export const responsesKind = defineHttpKind(
  'responses',
  { baseUrl: createAddressField('The address before /v1/responses, such as https://api.openai.com.') },
  ({ baseUrl }) => ({
    base: removeAddressEnd(baseUrl, /\/v1$/),
    findTextEndpoints: () => responsesEndpoints,
    tasks: { responses: createStoredResponseEndpoints(version) },
    models: createPlainListing(`${version}/models`),
    createCredentialHeaders: createBearerHeader,
  }),
);

/** Only video jobs. */
export const videosKind = defineHttpKind(
  'videos',
  { baseUrl: createAddressField('The address before /v1/videos, such as https://api.openai.com.') },
  ({ baseUrl }) => ({
    base: removeAddressEnd(baseUrl, /\/v1$/),
    findTextEndpoints: () => ({}),
    tasks: { videos: createVideoEndpoints(version) },
    models: createPlainListing(`${version}/models`),
    createCredentialHeaders: createBearerHeader,
  }),
);

const newApiVideos: ConvertedVideos = { format: 'videoGenerations', form: videoGenerationsForm };

/** Video generations of new-api, which can neither be cancelled nor deleted. */
const newApiTasks: TaskEndpoints = {
  create: () => ({ path: '/video/generations' }),
  read: (task) => ({ method: 'GET', path: `/video/generations/${encodePathSegment(task)}` }),
  readContent: (task) => ({ method: 'GET', path: `/videos/${encodePathSegment(task)}/content` }),
};

/**
 * Creates the endpoints of video jobs. Their bytes are read separately from their record. They cannot be cancelled.
 */
function createVideoEndpoints(prefix: string): TaskEndpoints {
  const createVideoPath = (task: string) => `${prefix}/videos/${encodePathSegment(task)}`;
  return {
    create: () => ({ path: `${prefix}/videos` }),
    remix: (task) => ({ path: `${createVideoPath(task)}/remix` }),
    read: (task) => ({ method: 'GET', path: createVideoPath(task) }),
    remove: (task) => ({ method: 'DELETE', path: createVideoPath(task) }),
    readContent: (task) => ({ method: 'GET', path: `${createVideoPath(task)}/content` }),
  };
}
