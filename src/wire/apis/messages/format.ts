import { defineRoutes } from '../../routes.ts';
import type { ApiFormat } from '../apiFormat.ts';
import { type ErrorDetails, type ErrorNames, errorName } from '../errorFormat.ts';
import { messagesCommon } from './common.ts';
import { MessagesDecoder } from './decode.ts';
import { decodeMessages, encodeMessages } from './encode.ts';
import { outputLimitFor } from './generations.ts';
import { messagesPrefix } from './prefix.ts';
import { prepareMessages } from './prepare.ts';
import { MessagesSaid } from './said.ts';

export const messagesRoutes = defineRoutes({
  messages: { method: 'POST', path: '/v1/messages', credential: 'bearer', group: 'messages' },
});

export const messages = {
  id: 'messages',
  label: 'Messages (Anthropic)',
  shortLabel: 'Messages',
  route: messagesRoutes.messages,
  routes: Object.values(messagesRoutes),
  isModelInPath: false,
  ownFields: ['model', 'messages', 'stream', 'system'],
  defaults: (model) => ({ stream: true, max_tokens: outputLimitFor(model) }),
  common: messagesCommon,
  prefix: messagesPrefix,
  encode: encodeMessages,
  decode: decodeMessages,
  createDecoder: (parse) => new MessagesDecoder(parse),
  createRecorder: () => new MessagesSaid(),
  prepare: prepareMessages,
  error: {
    paths: /^\/v1\/messages(?!.*:)/,
    body: messagesError,
    event: (error, requestId) => ({ name: 'error', data: messagesError(error, requestId) }),
  },
} as const satisfies ApiFormat;

function messagesError({ status, message, code }: ErrorDetails, requestId: string) {
  return {
    type: 'error',
    error: { type: errorName(errorNames, status), message, details: { error_code: code } },
    request_id: requestId,
  };
}

const errorNames: ErrorNames = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
  refusal: 'invalid_request_error',
  failure: 'api_error',
};
