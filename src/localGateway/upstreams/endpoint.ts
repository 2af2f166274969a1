import { unescape as unescaped } from 'node:querystring';
import type { JsonObject } from '../../base/json.ts';
import type { TaskFormat } from '../../wire/apis/taskRecordFormats.ts';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';
import { HttpError } from '../http/httpError.ts';
import type { RequestBody } from '../http/requestBody.ts';
import type { BodyPieces } from '../json/bodyPieces.ts';
import type { ReplyFraming } from './upstream.ts';

/** An address of an upstream, and the changes to the caller's request before it is sent there. */
export interface Endpoint {
  /** POST if absent. */
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** The address before the path, if it is not the upstream's `baseUrl`. */
  readonly base?: URL;
  /** Relative to that address. It may depend on the framing of the reply, and contain a query. */
  readonly path: string | Readonly<Record<ReplyFraming, string>>;
  /** Whether it rejects query parameters that callers add. */
  readonly refusesQuery?: boolean;
  /** Headers that are always sent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that are sent if the caller does not send them. */
  readonly defaultHeaders?: Readonly<Record<string, string>>;
  /** Headers of the caller that are not sent. */
  readonly withheldHeaders?: readonly string[];
  /** The body of a request that the gateway itself makes. */
  readonly json?: JsonObject;
  /**
   * Creates the body from the body of the caller. By default, the caller's bytes are sent with the upstream's ID of
   * the model.
   */
  createBody?(body: RequestBody, model: string): Uint8Array | BodyPieces;
}

/** The endpoints for requests of one format. */
export interface TextEndpoint {
  readonly send: Endpoint;
  /** Counts tokens; absent if they cannot be counted. */
  readonly count?: Endpoint;
}

/** The endpoints for each format. The format that suits the model best is first. */
export type TextEndpoints = Readonly<Partial<Record<TextFormatId, TextEndpoint>>>;

/** The endpoints that create and read tasks, by the upstream's own IDs. */
export interface TaskEndpoints {
  /** @param model the ID at the upstream */
  create(model: string): Endpoint;
  read(task: string): Endpoint;
  /** Makes a new task from an existing one. */
  remix?(task: string): Endpoint;
  cancel?(task: string): Endpoint;
  /** Whether only queued tasks can be cancelled, so that a cancelled task is not billed. */
  readonly cancelsQueuedOnly?: boolean;
  /** Whether cancelling an ended task deletes it. */
  readonly cancelDeletesEnded?: boolean;
  remove?(task: string): Endpoint;
  readContent?(task: string): Endpoint;
  listInputItems?(task: string): Endpoint;
}

export type TasksByFormat = Readonly<Partial<Record<TaskFormat, TaskEndpoints>>>;

/**
 * Creates the path for one request, with the parameters that its caller added.
 *
 * @throws {HttpError} 404 if an ID in it is empty, `.` or `..`, or is too long for a path
 */
export function createPath(
  { path, refusesQuery = false }: Endpoint,
  framing: ReplyFraming,
  query: string | undefined,
): string {
  const endpointPath = typeof path === 'string' ? path : path[framing];
  if (endpointPath.length > maxPathLength || folderSegment.test(endpointPath)) throw invalidIdError();
  const addedQuery = query === undefined || refusesQuery ? '' : filterQuery(query);
  if (addedQuery === '') return endpointPath;
  return `${endpointPath}${endpointPath.includes('?') ? '&' : '?'}${addedQuery}`;
}

/** Servers do not accept longer paths. */
const maxPathLength = 8_000;

/** A segment that is empty, `.` or `..`. */
const folderSegment = /\/\.{0,2}(?=\/|\?|$)/;

/** Drops parameters with credentials, and parameters that the path itself has. */
function filterQuery(query: string): string {
  return query
    .split('&')
    .filter((parameter) => parameter !== '' && !isDroppedParameter(unescaped(parameter)))
    .join('&');
}

/** Cuts out the name first, because a pattern for name and value would take quadratic time. */
function isDroppedParameter(parameter: string): boolean {
  const name = parameter.slice(0, Math.max(0, parameter.indexOf('=')));
  return /^\$?alt$|key|token|secret|auth/i.test(name);
}

/** Encodes an ID as one segment of a path. `@` is not encoded, because clouds expect it before a version. */
export function encodePathSegment(id: string): string {
  return encodeURIComponent(id.toWellFormed()).replaceAll('%40', '@');
}

function invalidIdError(): HttpError {
  return new HttpError({
    status: 404,
    message: 'No upstream has an object with this id. Use an id from a list or from an earlier reply.',
    type: 'invalid_request_error',
    code: 'not_found',
  });
}

// The endpoints of each format, relative to the address of an upstream.

export function createChatEndpoint(prefix: string): TextEndpoint {
  return { send: { path: `${prefix}/chat/completions` } };
}

export function createResponsesEndpoint(prefix: string): TextEndpoint {
  return {
    send: { path: `${prefix}/responses` },
    count: { path: `${prefix}/responses/input_tokens` },
  };
}

/** The version of the messages API, which every request names. */
export const messagesVersion = '2023-06-01';

export function createMessagesEndpoint(prefix: string): TextEndpoint {
  const defaultHeaders = { 'anthropic-version': messagesVersion };
  return {
    send: { path: `${prefix}/messages`, defaultHeaders },
    count: { path: `${prefix}/messages/count_tokens`, defaultHeaders },
  };
}

/** @param modelPath the path of the model, without a method */
export function createGenerationEndpoint(modelPath: string): TextEndpoint {
  return {
    send: {
      path: {
        whole: `${modelPath}:generateContent`,
        events: `${modelPath}:streamGenerateContent?alt=sse`,
        array: `${modelPath}:streamGenerateContent`,
      },
    },
    count: { path: `${modelPath}:countTokens` },
  };
}

export function createInteractionsEndpoint(prefix: string): TextEndpoint {
  return { send: { path: `${prefix}/interactions` } };
}

/** Creates the endpoints of responses that are made in the background. */
export function createStoredResponseEndpoints(prefix: string): TaskEndpoints {
  const path = `${prefix}/responses`;
  return {
    ...createStoredEndpoints(path),
    listInputItems: (task) => ({ method: 'GET', path: `${path}/${encodePathSegment(task)}/input_items` }),
  };
}

/** Creates the endpoints of interactions that are made in the background. */
export function createStoredInteractionEndpoints(prefix: string): TaskEndpoints {
  return createStoredEndpoints(`${prefix}/interactions`);
}

function createStoredEndpoints(path: string): TaskEndpoints {
  const createTaskPath = (task: string) => `${path}/${encodePathSegment(task)}`;
  return {
    create: () => ({ path }),
    read: (task) => ({ method: 'GET', path: createTaskPath(task) }),
    cancel: (task) => ({ path: `${createTaskPath(task)}/cancel` }),
    remove: (task) => ({ method: 'DELETE', path: createTaskPath(task) }),
  };
}
