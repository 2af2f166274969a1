import * as z from 'zod';
import { modelMatcher } from '../../../base/modelPattern.ts';
import type { TextEndpoint, TextEndpoints } from '../endpoint.ts';
import {
  chatCompletionsAt,
  messagesAt,
  responsesAt,
  storedResponsesAt,
  videosAt,
} from '../formatEndpoints.ts';
import { plainList } from '../modelLists.ts';
import { addressBefore, addressField, bearer, httpKind } from '../upstreamKind.ts';

const endpoints = {
  chatCompletions: chatCompletionsAt(''),
  responses: responsesAt(''),
  messages: messagesAt(''),
} as const satisfies Record<string, TextEndpoint>;

const format = z.enum(['chatCompletions', 'responses', 'messages']);

const formats = z.array(format).min(1);

const usualFormats: z.infer<typeof formats> = ['chatCompletions'];

/** What speaks chat completions, and perhaps other formats beside: the OpenAI API, and most model servers. */
export const openaiCompatibleKind = httpKind(
  'openai-compatible',
  {
    baseUrl: addressField(
      'The address before /chat/completions and /models, such as https://models.example/v1.',
    ),
    formats: formats
      .optional()
      .describe(
        'The API formats that it has, the best first. By default chatCompletions alone. Requests in other formats are converted.',
      ),
    modelFormats: z
      .array(
        z.strictObject({
          models: z.string().min(1).describe('Ids of models; * stands for any text.'),
          formats: formats.describe('The API formats of these models, the best first.'),
        }),
      )
      .optional()
      .describe('Models that have other API formats than the rest. The first that matches counts.'),
    videos: z.boolean().optional().describe('Whether it makes videos by /videos. By default it does not.'),
  },
  ({ baseUrl, formats: all = usualFormats, modelFormats = [], videos = false }) => {
    const usual = endpointsOf(all);
    const others = modelFormats.map((rule) => ({
      matches: modelMatcher(rule.models),
      endpoints: endpointsOf(rule.formats),
    }));
    const hasResponses = [usual, ...others.map(({ endpoints }) => endpoints)].some((each) => each.responses);
    return {
      base: new URL(baseUrl),
      texts: (model) => others.find(({ matches }) => matches(model))?.endpoints ?? usual,
      tasks: {
        ...(hasResponses && { responses: storedResponsesAt('') }),
        ...(videos && { videos: videosAt('') }),
      },
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

/** Responses alone, in the background too. */
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

/** Video jobs alone. */
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
