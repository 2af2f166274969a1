import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { StorageError } from '../../storage/database.ts';
import type { VideoRequest } from '../../wire/apis/videoRoutes.ts';
import type { Catalogue } from '../catalogue.ts';
import { catalogueFor } from '../config/allowedModels.ts';
import { HttpError, invalidRequest } from '../httpError.ts';
import { NothingMadeError } from '../nothingMade.ts';
import type { Answer, GatewayRequest } from '../server/handler.ts';
import type { TaskFile } from '../tasks/taskFile.ts';
import { newTask, type StoredTask } from '../tasks/taskState.ts';
import type { TaskDraft } from '../tasks/taskStore.ts';
import type { PlannedVideo, VideoUpstream } from '../upstreams/upstream.ts';

/** What the routes for videos share. */
export interface VideoService {
  readonly catalogue: Catalogue;
  readonly tasks: TaskFile;
}

/** A checked request for a video. */
export interface VideoCall {
  readonly model: string;
  readonly request: VideoRequest;
  /** Whether the video becomes a task that outlives the request. */
  readonly isKept: boolean;
}

/** A task for the video, and the upstream that makes it. */
export interface MadeVideo {
  readonly task: StoredTask;
  readonly video: VideoUpstream;
}

/**
 * Starts a video and answers the request. A task is on the disk before the answer. A repeated request with
 * the same Idempotency-Key gets the task of the first one.
 *
 * @param answer makes the body of the answer
 * @throws {HttpError} when nothing is made
 */
export async function makeVideo(
  { catalogue, tasks }: VideoService,
  asked: VideoCall,
  request: GatewayRequest,
  answer: (made: MadeVideo) => Promise<object> | object,
): Promise<Answer> {
  const { upstream, video } = catalogueFor(catalogue, request).findVideo(asked.model);
  const planned = video.plan(asked.request);
  const draft = { upstream, model: asked.model, requestId: request.id, plan: planned.plan };
  const { task, repeats } = asked.isKept
    ? createTask(tasks, { ...draft, ...identityOf(asked.request, request) })
    : { task: newTask(draft, Date.now()) };
  if (repeats === 'other') throw reusedKey();

  if (!repeats && !(await isAnswered(planned, request.signal))) return { cut: true };
  return { json: await answer({ task, video }) };
}

/** No upstream has received anything yet, so a task that cannot be stored is not made. */
function createTask(tasks: TaskFile, draft: TaskDraft) {
  try {
    return tasks.open().create(draft);
  } catch (error) {
    throw error instanceof StorageError ? new NothingMadeError(error) : error;
  }
}

/**
 * Waits while the answer is held back.
 *
 * @returns false when the connection is to end without an answer
 */
async function isAnswered(
  { answerAfterMs, losesAnswer }: PlannedVideo,
  signal: AbortSignal,
): Promise<boolean> {
  if (answerAfterMs > 0) await wait(answerAfterMs, undefined, { signal });
  return !losesAnswer;
}

/** What fingerprints that are on the disk already call a format that has another id now. */
const keptName: Readonly<Partial<Record<VideoRequest['format'], string>>> = {
  videoSynthesis: 'video-synthesis',
};

function identityOf({ format }: VideoRequest, { body, headers }: GatewayRequest) {
  const fingerprint = createHash('sha256')
    .update(keptName[format] ?? format)
    .update('\0')
    .update(body)
    .digest('base64url');
  const key = headers['idempotency-key'];
  if (key === undefined) return { fingerprint };
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    const problem = 'expected 1 to 255 printable ASCII characters without spaces';
    throw invalidRequest(`Idempotency-Key: ${problem}.`, 'invalid_value', 'Idempotency-Key');
  }
  return { fingerprint, idempotencyKey: key };
}

function reusedKey(): HttpError {
  return new HttpError({
    status: 422,
    message: 'Idempotency-Key: it was used for another request before. Make up a new one for each request.',
    type: 'invalid_request_error',
    param: 'Idempotency-Key',
    code: 'idempotency_key_reused',
  });
}
