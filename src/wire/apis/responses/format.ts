import { defineRoutes } from '../../routes.ts';
import { writeChatCompletionsError } from '../chatCompletions/format.ts';
import type { ApiFormat } from '../shared/apiFormat.ts';
import { responsesCommon } from './commonParameters.ts';
import { ResponsesDecoder, ResponsesRecorder } from './readReply.ts';
import { encodeResponses } from './writeRequest.ts';

const routes = defineRoutes({
  responses: { method: 'POST', path: '/v1/responses', credential: 'bearer', group: 'responses' },
});

/** Routes for stored responses, below the path of the route that creates them. Not every gateway has them. */
export const storedResponsesRoutes = defineRoutes({
  readResponse: {
    method: 'GET',
    path: '/v1/responses/{response_id}',
    credential: 'bearer',
    group: 'storedResponses',
  },
  cancelResponse: {
    method: 'POST',
    path: '/v1/responses/{response_id}/cancel',
    credential: 'bearer',
    group: 'storedResponses',
  },
});

export const responses = {
  id: 'responses',
  label: 'Responses (OpenAI)',
  shortLabel: 'Responses',
  route: routes.responses,
  routes: Object.values(routes),
  isModelInPath: false,
  ownFields: ['model', 'input', 'stream', 'background', 'instructions'],
  defaults: () => ({ stream: true }),
  minOutputLimit: 16,
  common: responsesCommon,
  encode: encodeResponses,
  createDecoder: () => new ResponsesDecoder(),
  createRecorder: () => new ResponsesRecorder(),
  error: {
    body: writeChatCompletionsError,
    event: (error) => ({ name: 'error', data: { type: 'error', ...writeChatCompletionsError(error) } }),
  },
} as const satisfies ApiFormat;
