import type * as z from 'zod';
import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { Route } from '../../routes.ts';
import type { ErrorDetails } from '../shared/errorFormat.ts';
import { findIdProblem } from './taskId.ts';

/**
 * The states of a task of the local gateway. Completed, failed and cancelled are final. A task is unknown if its
 * upstream received the request and did not reply: it may have been created.
 */
export const taskStatuses = ['queued', 'running', 'completed', 'failed', 'cancelled', 'unknown'] as const;

export type ServedTaskStatus = (typeof taskStatuses)[number];

/** The state of a task at one moment. Times are in milliseconds since 1970. */
export interface TaskState {
  readonly status: ServedTaskStatus;
  /** Percent. */
  readonly progress: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  /** When its results expire, if it has any. */
  readonly expiresAt?: number;
}

export interface TaskFailure {
  readonly code: string;
  readonly message: string;
}

/** A task of the local gateway at one moment. Records in all formats are written from it. */
export interface ServedTask extends TaskState {
  readonly id: string;
  /** The model id as the caller wrote it. */
  readonly model: string;
  readonly createdAt: number;
  readonly type: 'video' | 'response' | 'interaction';
  readonly prompt: string;
  readonly failure?: TaskFailure;
  /** Empty until it has completed. */
  readonly results: readonly ServedResult[];
}

export interface ServedResult {
  /** A path of the gateway, or an address elsewhere that does not need a key. `resolveResultUrl` makes it absolute. */
  readonly url: string;
  readonly mimeType?: string;
  readonly width?: number;
  readonly height?: number;
  readonly seconds?: number;
  /** In milliseconds since 1970. */
  readonly expiresAt?: number;
}

/** A request whose reply is a task record. */
interface RecordRequest {
  /** The gateway's address from the caller's point of view. */
  readonly address: string;
  readonly requestId: string;
}

export function resolveResultUrl(url: string, gatewayAddress: string): string {
  return url.startsWith('/') ? gatewayAddress + url : url;
}

/** How to read and write the task records of one API format. */
export interface TaskRecordFormat {
  /** The type of the tasks. */
  readonly type: ServedTask['type'];
  /** The name of a task in messages, after an article. */
  readonly label: string;
  /** The provider's id in a record or in the reply to a create. */
  readId(record: JsonObject): string | undefined;
  /** A copy of the record with another id, both in `id` and in the provider's own member. */
  replaceId(record: JsonObject, id: string): JsonObject;
  /** The prompt of a request as text; empty if there is no readable prompt. */
  readPrompt(body: JsonObject): string;
  /** The field with the id of an earlier request that this request continues. */
  readonly continuesRequestField?: 'previous_response_id' | 'previous_interaction_id';
  /** The member of a record with the id of the task that it continues; `continuesRequestField` if absent. */
  readonly continuesRecordField?: string;
  /** The member of the events of a stream that contains the record. */
  readonly eventMember?: 'response' | 'interaction';
  /** Whether a request that creates a task may stream its events immediately. */
  readonly streamsOnCreate?: boolean;
  /** Whether callers read the bytes of a result at a route of their own, because the record has no address. */
  readonly hasContentRoute: boolean;
  /** How long results can be downloaded if the record does not report it, in milliseconds. */
  readonly resultLifetimeMs?: number;
  /** Addresses of results at the content route of the provider, which may have another host. */
  readonly contentAddress?: RegExp;
  /** The code of a refusal for a task that does not exist, if the provider does not use 404 for it. */
  readonly missingCode?: string;
  /** The code of a failure, if the record does not name it or has only a number. */
  readFailureCode?(record: JsonObject): string | undefined;
  /** Writes the record of a task without an upstream record. */
  write(task: ServedTask, request: RecordRequest): object;
}

/** The requested properties of a video. */
interface RequestedVideo {
  readonly prompt: string;
  /** The size in pixels, such as 1280*720, or the aspect ratio, such as 16:9. */
  readonly sizeOrRatio?: string | null | undefined;
  readonly seconds?: number | null | undefined;
}

/** A refusal of the local gateway with `invalid_request_error` as its type. */
export type TaskRefusal = Omit<ErrorDetails, 'type'>;

/** How the local gateway serves a route that only makes videos, always as tasks. */
export interface VideoTaskRecordFormat extends TaskRecordFormat {
  /** The routes for tasks, each with a `{task_id}` in its path. */
  readonly routes: { readonly read: Route; readonly cancel: Route };
  readonly schema: z.ZodObject;
  /** The refusal of a request without the headers of the route. */
  readonly missingHeadersRefusal: TaskRefusal;
  /** The refusal to cancel a task that has ended. */
  readonly cancelEndedRefusal: TaskRefusal;
  /** @param request matches the schema */
  readRequestedVideo(request: object): RequestedVideo;
  writeCreated(task: ServedTask, requestId: string): object;
  writeRead(task: ServedTask, request: RecordRequest): object;
  /** The reply to a request for a task that does not exist. */
  writeUnknown(id: string, requestId: string): object;
  writeCancelled(requestId: string): object;
}

/** For records that contain the id in the member `id`. */
export const idAtTop: Pick<TaskRecordFormat, 'readId' | 'replaceId'> = {
  readId: ({ id }) => readUsableId(id),
  replaceId: (record, id) => ({ ...record, id }),
};

/** An id that can be a segment of an address. Some servers use numbers as task ids. */
export function readUsableId(value: unknown): string | undefined {
  const id = Number.isSafeInteger(value) ? String(value) : nonEmptyString(value);
  return id === undefined || findIdProblem(id) !== undefined || /^\.{1,2}$/.test(id) ? undefined : id;
}

const maxPromptCharacters = 2_000;
const maxDepth = 8;

/** The text of an input, or of its last turn. */
export function readPromptText(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value.slice(0, maxPromptCharacters).toWellFormed();
  if (depth > maxDepth) return '';
  if (Array.isArray(value)) {
    for (const each of value.toReversed()) {
      const text = readPromptText(each, depth + 1);
      if (text !== '') return text;
    }
    return '';
  }
  return isObject(value) ? readPromptText(value.text ?? value.content ?? value.parts, depth + 1) : '';
}
