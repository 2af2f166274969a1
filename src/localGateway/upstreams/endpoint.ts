import { unescape as unescaped } from 'node:querystring';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';
import { HttpError } from '../http/httpError.ts';
import type { RequestBody } from '../http/requestBody.ts';
import type { Pieces } from '../json/pieces.ts';
import type { ReplyFraming, TaskFormat } from './upstream.ts';

/** One place of an upstream that takes requests, and in what these differ from the caller's own. */
export interface Endpoint {
  /** POST where absent. */
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** The address before the path, where it is not the upstream's `baseUrl`. */
  readonly base?: URL;
  /** Below that address; by the form of the reply where that decides it. */
  readonly path: string | Readonly<Record<ReplyFraming, string>>;
  /** Whether it refuses parameters of the query that callers add. */
  readonly refusesQuery?: boolean;
  /** Headers that it has to have, whatever the caller sends. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that it has to have where the caller sends none of their names. */
  readonly defaultHeaders?: Readonly<Record<string, string>>;
  /** Headers of the caller that it must not have. */
  readonly withheld?: readonly string[];
  /** The body for it; by default the caller's bytes with the upstream's id of the model. */
  body?(body: RequestBody, model: string): Uint8Array | Pieces;
}

/** Where the requests of one format go. */
export interface TextEndpoint {
  readonly send: Endpoint;
  /** Where tokens are counted; absent where they cannot be. */
  readonly count?: Endpoint;
}

/** Where the requests of each format go, the format first that suits the model best. */
export type TextEndpoints = Readonly<Partial<Record<TextFormatId, TextEndpoint>>>;

/** Where tasks are made and asked for, by the upstream's own ids of them. */
export interface TaskEndpoints {
  readonly create: Endpoint;
  read(task: string): Endpoint;
  /** Where another task is made from one. */
  remix?(task: string): Endpoint;
  cancel?(task: string): Endpoint;
  remove?(task: string): Endpoint;
  content?(task: string): Endpoint;
  inputItems?(task: string): Endpoint;
}

export type TasksByFormat = Readonly<Partial<Record<TaskFormat, TaskEndpoints>>>;

/**
 * The path for one request, with the parameters that its caller added.
 *
 * @throws {HttpError} 404 where an id in it would mean a folder, or is too long for a path
 */
export function pathOf(
  { path, refusesQuery = false }: Endpoint,
  framing: ReplyFraming,
  query: string | undefined,
): string {
  const own = typeof path === 'string' ? path : path[framing];
  if (own.length > maxPathLength || namesFolder.test(own)) throw noPath();
  const added = query === undefined || refusesQuery ? '' : passedQuery(query);
  if (added === '') return own;
  return `${own}${own.includes('?') ? '&' : '?'}${added}`;
}

/** Longer paths go through no server. */
const maxPathLength = 8_000;

const namesFolder = /\/\.{0,2}(?=\/|\?|$)/;

/** What the path says itself, or what is a credential, is not passed on. */
function passedQuery(query: string): string {
  return query
    .split('&')
    .filter(
      (parameter) =>
        parameter !== '' && !/^\$?alt=|^[^=]*(?:key|token|secret|auth)[^=]*=/i.test(unescaped(parameter)),
    )
    .join('&');
}

/** An id as one segment of a path. The sign before a version, as in `name@date`, stays as clouds spell it. */
export function pathSegment(id: string): string {
  return encodeURIComponent(id.toWellFormed()).replaceAll('%40', '@');
}

function noPath(): HttpError {
  return new HttpError({
    status: 404,
    message: 'No upstream has anything with this id. Use an id that a list or an earlier reply gave.',
    type: 'invalid_request_error',
    code: 'not_found',
  });
}
