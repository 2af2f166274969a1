import { isObject, scalarText } from '../../../base/json.ts';
import { findVersionField, hasVersionField } from '../../headerNames.ts';
import { defineRoutes } from '../../routes.ts';
import type { ApiFormat, Destination, PrefixContext, PreparedRequest } from '../shared/apiFormat.ts';
import { type ErrorDetails, type ErrorNames, findErrorName } from '../shared/errorFormat.ts';
import { messagesCommon } from './commonParameters.ts';
import { canContinueReply, chooseOutputLimit } from './modelGenerations.ts';
import { MessagesDecoder, MessagesRecorder } from './readReply.ts';
import type { MessagesRequest, PartnerMessagesRequest } from './schema.ts';
import { encodeMessages, type MessagesConversation } from './writeRequest.ts';

const routes = defineRoutes({
  messages: { method: 'POST', path: '/v1/messages', credential: 'bearer', group: 'messages' },
});

export const messages = {
  id: 'messages',
  label: 'Messages (Anthropic)',
  shortLabel: 'Messages',
  route: routes.messages,
  routes: Object.values(routes),
  isModelInPath: false,
  ownFields: ['model', 'messages', 'stream', 'system'],
  defaults: (model) => ({ stream: true, max_tokens: chooseOutputLimit(model) }),
  common: messagesCommon,
  prefix: {
    isSupported: supportsPrefix,
    mark: (encoded) => dropTrailingSpace(encoded as MessagesConversation),
  },
  encode: encodeMessages,
  createDecoder: (parse) => new MessagesDecoder(parse),
  createRecorder: () => new MessagesRecorder(),
  prepare: prepareMessages,
  error: {
    paths: /^\/v1\/messages(?!.*:)/,
    body: writeMessagesError,
    event: (error, requestId) => ({ name: 'error', data: writeMessagesError(error, requestId) }),
  },
} as const satisfies ApiFormat;

/** A model that thinks does not continue a reply. */
function supportsPrefix({ model, acceptsPrefix, parameters: { thinking } }: PrefixContext): boolean {
  const isThinking = isObject(thinking) && thinking.type !== 'disabled';
  return !isThinking && (acceptsPrefix ?? canContinueReply(model));
}

/** Providers refuse white space at the end of the last message. */
function dropTrailingSpace(conversation: MessagesConversation): MessagesConversation {
  const { messages } = conversation;
  const last = messages.at(-1);
  const block = Array.isArray(last?.content) ? last.content.at(-1) : undefined;
  if (last?.role !== 'assistant' || !Array.isArray(last.content) || block?.type !== 'text')
    return conversation;
  const text = { ...block, text: (block.text ?? '').trimEnd() };
  return { ...conversation, messages: messages.with(-1, { ...last, content: last.content.with(-1, text) }) };
}

/** The protocol has only this version. */
const protocolVersion = '2023-06-01';

/**
 * Prepares a messages request. The body for a partner-model route contains the version under the gateway's name for
 * the field, and then the headers do not contain it. If the path contains the model, the body does not.
 */
export function prepareMessages(
  request: MessagesRequest | PartnerMessagesRequest,
  { path, headers, betas = [] }: Destination,
): PreparedRequest {
  const body = renameVersionField(request, findVersionField(headers));
  const { model, ...rest } = body;
  const isModelInPath = path.includes('{model}');
  return {
    ...(isModelInPath && { params: { model: scalarText(model) } }),
    vendorHeaders: {
      ...(!hasVersionField(request) && { vendorVersion: protocolVersion }),
      ...(betas.length > 0 && { vendorBeta: betas.join(',') }),
    },
    body: isModelInPath ? rest : body,
  };
}

/** A body that already has the field under the provider's own name is not changed. */
function renameVersionField(
  request: MessagesRequest | PartnerMessagesRequest,
  field: string,
): Readonly<Record<string, unknown>> {
  const { vendor_version, ...rest } = request as Readonly<Record<string, unknown>>;
  return vendor_version === undefined ? rest : { [field]: vendor_version, ...rest };
}

function writeMessagesError({ status, message, code }: ErrorDetails, requestId: string) {
  return {
    type: 'error',
    error: { type: findErrorName(errorNames, status), message, details: { error_code: code } },
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
