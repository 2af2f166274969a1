import { defineRoutes } from '../../routes.ts';
import type { ApiFormat } from '../shared/apiFormat.ts';
import { type ErrorDetails, type ErrorNames, findErrorName, upstreamCodes } from '../shared/errorFormat.ts';
import { contentGenerationCommon } from './commonParameters.ts';
import { ContentGenerationDecoder, ContentGenerationRecorder } from './readReply.ts';
import type { ContentGenerationError } from './schema.ts';
import { encodeContentGeneration } from './writeRequest.ts';

export const contentGenerationRoutes = defineRoutes({
  generateContent: {
    method: 'POST',
    path: '/v1beta/models/{model}:generateContent',
    credential: 'vendor-api-key',
    group: 'contentGeneration',
    isStreamed: false,
  },
  streamGenerateContent: {
    method: 'POST',
    path: '/v1beta/models/{model}:streamGenerateContent',
    credential: 'vendor-api-key',
    group: 'contentGeneration',
    isStreamed: true,
    // Without this parameter, the provider streams a JSON array, which can also be read.
    query: { alt: 'sse' },
  },
});

export const contentGeneration = {
  id: 'contentGeneration',
  label: 'Content Generation (Gemini)',
  shortLabel: 'Content',
  route: contentGenerationRoutes.streamGenerateContent,
  routes: Object.values(contentGenerationRoutes),
  isModelInPath: true,
  ownFields: ['contents', 'systemInstruction'],
  defaults: () => ({}),
  common: contentGenerationCommon,
  encode: encodeContentGeneration,
  createDecoder: (parse) => new ContentGenerationDecoder(parse),
  createRecorder: () => new ContentGenerationRecorder(),
  error: { paths: /^\/v1(?!(beta1?)?\/interactions)(beta1?\/|\/.*:)/, body: writeContentGenerationError },
} as const satisfies ApiFormat;

function writeContentGenerationError({ status, message, code }: ErrorDetails): ContentGenerationError {
  const reason = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code.toUpperCase() };
  return {
    error: {
      code: status,
      message,
      status: findErrorName(errorNames, status),
      ...(upstreamCodes.has(code) && { details: [reason] }),
    },
  };
}

const errorNames: ErrorNames = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
  refusal: 'INVALID_ARGUMENT',
  failure: 'INTERNAL',
};
