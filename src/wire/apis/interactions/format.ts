import { defineRoutes } from '../../routes.ts';
import type { ApiFormat } from '../shared/apiFormat.ts';
import { type ErrorDetails, type ErrorNames, findErrorName, upstreamCodes } from '../shared/errorFormat.ts';
import { interactionsCommon } from './commonParameters.ts';
import { InteractionsDecoder, InteractionsRecorder } from './readReply.ts';
import { encodeInteractions } from './writeRequest.ts';

const routes = defineRoutes({
  interactions: {
    method: 'POST',
    path: '/v1beta/interactions',
    credential: 'vendor-api-key',
    group: 'interactions',
  },
});

export const interactions = {
  id: 'interactions',
  label: 'Interactions (Gemini)',
  shortLabel: 'Interactions',
  route: routes.interactions,
  routes: Object.values(routes),
  isModelInPath: false,
  ownFields: ['model', 'agent', 'input', 'stream', 'background', 'system_instruction'],
  defaults: () => ({ stream: true }),
  isSlow: true,
  common: interactionsCommon,
  encode: encodeInteractions,
  createDecoder: () => new InteractionsDecoder(),
  createRecorder: () => new InteractionsRecorder(),
  error: {
    paths: /^\/v1(beta1?)?\/interactions/,
    body: (error) => ({ error: writeInteractionsError(error) }),
    event: (error) => ({
      name: 'error',
      data: { event_type: 'error', error: writeInteractionsError(error) },
    }),
  },
} as const satisfies ApiFormat;

function writeInteractionsError({ status, message, code }: ErrorDetails) {
  const hasSpecificCode = code === 'model_not_found' || upstreamCodes.has(code);
  return { code: hasSpecificCode ? code : findErrorName(errorNames, status), message };
}

const errorNames: ErrorNames = {
  401: 'authentication',
  402: 'payment_required',
  403: 'permission_denied',
  404: 'not_found',
  429: 'rate_limit_exceeded',
  499: 'cancelled',
  refusal: 'invalid_request',
  failure: 'internal',
};
