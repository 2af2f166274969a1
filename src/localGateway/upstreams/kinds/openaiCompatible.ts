import * as z from 'zod';
import { modelMatcher } from '../../../base/modelPattern.ts';
import { videoGenerationsForm } from '../../../wire/apis/convertedVideos/videoGenerations.ts';
import {
  chatCompletionsAt,
  messagesAt,
  pathSegment,
  responsesAt,
  storedResponsesAt,
  type TaskEndpoints,
  type TextEndpoint,
  type TextEndpoints,
} from '../endpoint.ts';
import { plainList } from '../modelLists.ts';
import type { ConvertedVideos } from '../upstream.ts';
import { addressBefore, addressField, bearer, httpKind } from '../upstreamKind.ts';

const endpoints = {
  chatCompletions: chatCompletionsAt(''),
  responses: responsesAt(''),
  messages: messagesAt(''),
} as const satisfies Record<string, TextEndpoint>;

const format = z.enum(['chatCompletions', 'responses', 'messages']);

const formats = z.array(format).min(1);

const defaultFormats: z.infer<typeof formats> = ['chatCompletions'];

/** Chat completions and perhaps other formats: the OpenAI API, and most model servers. */
export const openaiCompatibleKind = httpKind(
  'openai-compatible',
  {
    baseUrl: addressField(
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
  ({ baseUrl, formats: commonFormats = defaultFormats, modelFormats = [], ...makes }) => {
    const { videos = false, videoGenerations = false } = makes;
    const commonEndpoints = endpointsOf(commonFormats);
    const rules = modelFormats.map((rule) => ({
      matches: modelMatcher(rule.models),
      endpoints: endpointsOf(rule.formats),
    }));
    const hasResponses = [commonEndpoints, ...rules.map(({ endpoints }) => endpoints)].some(
      (each) => each.responses,
    );
    return {
      base: new URL(baseUrl),
      texts: (model) => rules.find(({ matches }) => matches(model))?.endpoints ?? commonEndpoints,
      tasks: {
        ...(hasResponses && { responses: storedResponsesAt('') }),
        ...(videos && { videos: videosAt('') }),
        ...(videoGenerations && { videoGenerations: videoGenerationsAt('') }),
      },
      ...(videoGenerations && { videosOf: () => newApiVideos }),
      models: plainList('/models'),
      credential: bearer,
    };
  },
);

function endpointsOf(formats: readonly z.infer<typeof format>[]): TextEndpoints {
  return Object.fromEntries(formats.map((each) => [each, endpoints[each]]));
}

const version = '/v1';

const responsesTexts = { responses: responsesAt(version) };

/** Only responses, also in the background. */
export const responsesKind = httpKind(
  'responses',
  { baseUrl: addressField('The address before /v1/responses, such as https://api.openai.com.') },
  ({ baseUrl }) => ({
    base: addressBefore(baseUrl, /\/v1$/),
    texts: () => responsesTexts,
    tasks: { responses: storedResponsesAt(version) },
    models: plainList(`${version}/models`),
    credential: bearer,
  }),
);

/** Only video jobs. */
export const videosKind = httpKind(
  'videos',
  { baseUrl: addressField('The address before /v1/videos, such as https://api.openai.com.') },
  ({ baseUrl }) => ({
    base: addressBefore(baseUrl, /\/v1$/),
    texts: () => ({}),
    tasks: { videos: videosAt(version) },
    models: plainList(`${version}/models`),
    credential: bearer,
  }),
);

const newApiVideos: ConvertedVideos = { format: 'videoGenerations', form: videoGenerationsForm };

/** Video generations of new-api, which can neither be cancelled nor deleted. */
function videoGenerationsAt(prefix: string): TaskEndpoints {
  const path = `${prefix}/video/generations`;
  return {
    create: () => ({ path }),
    read: (task) => ({ method: 'GET', path: `${path}/${pathSegment(task)}` }),
    content: (task) => ({ method: 'GET', path: `${prefix}/videos/${pathSegment(task)}/content` }),
  };
}

/** Video jobs. Their bytes are read separately from their record. They cannot be cancelled. */
function videosAt(prefix: string): TaskEndpoints {
  const videoPath = (task: string) => `${prefix}/videos/${pathSegment(task)}`;
  return {
    create: () => ({ path: `${prefix}/videos` }),
    remix: (task) => ({ path: `${videoPath(task)}/remix` }),
    read: (task) => ({ method: 'GET', path: videoPath(task) }),
    remove: (task) => ({ method: 'DELETE', path: videoPath(task) }),
    content: (task) => ({ method: 'GET', path: `${videoPath(task)}/content` }),
  };
}
