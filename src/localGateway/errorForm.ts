import type { ChatCompletionsError } from '../wire/apis/chatCompletions/request.ts';
import type { ContentGenerationError } from '../wire/apis/contentGeneration/request.ts';
import type { VideoSynthesisError } from '../wire/apis/videoSynthesis/request.ts';
import type { RouteGroup } from '../wire/routes.ts';
import type { HttpError } from './httpError.ts';
import { serverSentEvent } from './serverSentEvent.ts';

/** The body of an error in the form of a group of routes. */
export function errorBody(error: HttpError, group: RouteGroup, requestId: string): object {
  switch (group) {
    case 'content-generation':
      return contentGenerationError(error);
    case 'interactions':
      return { error: interactionsError(error) };
    case 'messages':
      return messagesError(error, requestId);
    case 'video-synthesis':
      return videoSynthesisError(error, requestId);
    default:
      return chatCompletionsError(error);
  }
}

/** The error as one whole event, for a stream that has begun. */
export function errorEvent(error: HttpError, group: RouteGroup, requestId: string): string {
  switch (group) {
    case 'interactions':
      return serverSentEvent({ event_type: 'error', error: interactionsError(error) }, 'error');
    case 'messages':
      return serverSentEvent(messagesError(error, requestId), 'error');
    case 'responses':
      return serverSentEvent({ type: 'error', ...chatCompletionsError(error) }, 'error');
    default:
      return serverSentEvent(errorBody(error, group, requestId));
  }
}

/** The group of routes that an unknown path most likely belongs to. */
export function groupNear(target: string): RouteGroup {
  if (/^\/v1(beta1?)?\/interactions/.test(target)) return 'interactions';
  if (/^\/v1(beta1?\/|\/.*:)/.test(target)) return 'content-generation';
  if (target.startsWith('/api/v1/')) return 'video-synthesis';
  return target.startsWith('/v1/messages') ? 'messages' : 'chat';
}

function chatCompletionsError({ message, type, param, code }: HttpError): ChatCompletionsError {
  return { error: { message, type, param: param ?? null, code } };
}

function contentGenerationError({ status, message }: HttpError): ContentGenerationError {
  return { error: { code: status, message, status: wordFor(rpcWords, status) } };
}

function interactionsError({ status, message, code }: HttpError) {
  return { code: code === 'model_not_found' ? code : wordFor(interactionsWords, status), message };
}

function messagesError({ status, message }: HttpError, requestId: string) {
  return { type: 'error', error: { type: wordFor(messagesWords, status), message }, request_id: requestId };
}

function videoSynthesisError({ status, message, code }: HttpError, request_id: string): VideoSynthesisError {
  return { code: synthesisTaskWords[code] ?? wordFor(synthesisWords, status), message, request_id };
}

/** Words by status, with one for all other 4xx and one for all other 5xx. */
interface Words {
  readonly [status: number]: string;
  readonly refusal: string;
  readonly failure: string;
}

function wordFor(words: Words, status: number): string {
  return words[status] ?? (status < 500 ? words.refusal : words.failure);
}

const rpcWords: Words = {
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

const interactionsWords: Words = {
  401: 'authentication',
  402: 'payment_required',
  403: 'permission_denied',
  404: 'not_found',
  429: 'rate_limit_exceeded',
  499: 'cancelled',
  refusal: 'invalid_request',
  failure: 'internal',
};

const messagesWords: Words = {
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

const synthesisWords: Words = {
  401: 'InvalidApiKey',
  403: 'AccessDenied',
  404: 'ModelNotFound',
  429: 'Throttling',
  503: 'ServiceUnavailable',
  504: 'RequestTimeOut',
  refusal: 'InvalidParameter',
  failure: 'InternalError',
};

/** Words of the task routes by the code of the error. */
const synthesisTaskWords: Readonly<Record<string, string>> = {
  task_not_found: 'NotFound',
  task_not_cancellable: 'UnsupportedOperation',
};
