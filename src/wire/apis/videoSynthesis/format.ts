import { defineRoutes } from '../../routes.ts';
import { type ErrorDetails, type ErrorFormat, type ErrorNames, errorName } from '../format/errorFormat.ts';
import type { VideoSynthesisError } from './request.ts';

export const videoSynthesisRoutes = defineRoutes({
  videoSynthesis: {
    method: 'POST',
    path: '/api/v1/services/aigc/video-generation/video-synthesis',
    credential: 'bearer',
    group: 'videoSynthesis',
  },
});

export const videoSynthesis = {
  id: 'videoSynthesis',
  label: 'Video Synthesis (DashScope)',
  shortLabel: 'Synthesis',
  route: videoSynthesisRoutes.videoSynthesis,
  error: { paths: /^\/api\/v1\//, body: videoSynthesisError } satisfies ErrorFormat,
} as const;

function videoSynthesisError(
  { status, message, code }: ErrorDetails,
  request_id: string,
): VideoSynthesisError {
  return { code: namesByCode[code] ?? errorName(errorNames, status), message, request_id };
}

const errorNames: ErrorNames = {
  401: 'InvalidApiKey',
  403: 'AccessDenied',
  404: 'ModelNotFound',
  429: 'Throttling',
  503: 'ServiceUnavailable',
  504: 'RequestTimeOut',
  refusal: 'InvalidParameter',
  failure: 'InternalError',
};

/** Names for errors of the task routes and of upstreams, by the code of the error. */
const namesByCode: Readonly<Record<string, string>> = {
  task_not_found: 'NotFound',
  task_not_cancellable: 'UnsupportedOperation',
  upstream_credential: 'UpstreamCredential',
  upstream_unusable: 'UpstreamUnusable',
  upstream_challenge: 'UpstreamChallenge',
  upstream_blocked: 'UpstreamBlocked',
  upstream_region: 'UpstreamRegion',
};
