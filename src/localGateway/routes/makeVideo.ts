import { setTimeout as wait } from 'node:timers/promises';
import { abortSignalOf } from '../../base/cancellation.ts';
import type { VideoRequest } from '../../wire/apis/videoRoutes.ts';
import type { Catalogue } from '../models/catalogue.ts';
import type { ModelPlace } from '../models/modelTable.ts';
import type { Answer, GatewayRequest } from '../server/handler.ts';
import type { RemoteTasks } from '../tasks/remoteTasks.ts';
import type { TaskFile } from '../tasks/taskFile.ts';
import { newTask, type StoredTask } from '../tasks/taskState.ts';
import type { PlannedVideo, VideoUpstream } from '../upstreams/upstream.ts';
import { requestIdentity, reusedKey } from './requestIdentity.ts';

/** What the routes for videos share. */
export interface VideoService {
  readonly catalogue: Catalogue;
  readonly tasks: TaskFile;
  /** The tasks that upstreams make. */
  readonly remote: RemoteTasks;
}

/** A checked request for a video. */
export interface VideoCall {
  /** The model id as the caller wrote it. */
  readonly model: string;
  readonly place: ModelPlace;
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
  const video = catalogue.requireVideo(asked.place, asked.model);
  const planned = video.plan(asked.request);
  const draft = {
    upstream: asked.place.upstream.name,
    model: asked.model,
    requestId: request.id,
    plan: planned.plan,
  };
  const { task, repeats } = asked.isKept
    ? await tasks.create((store) =>
        store.create({ ...draft, ...requestIdentity(asked.request.format, request) }),
      )
    : { task: newTask(draft, Date.now()) };
  if (repeats === 'other') throw reusedKey();

  if (!repeats && !(await isAnswered(planned, abortSignalOf(request.signal)))) return { cut: true };
  return { json: await answer({ task, video }) };
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
