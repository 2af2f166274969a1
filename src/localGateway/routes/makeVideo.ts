import { setTimeout as wait } from 'node:timers/promises';
import { abortSignalOf } from '../../base/cancellation.ts';
import type { VideoRequest } from '../../wire/apis/videoRoutes.ts';
import type { Catalogue } from '../models/catalogue.ts';
import type { ModelTarget } from '../models/modelTable.ts';
import type { GatewayRequest, HandlerResponse } from '../server/routeHandler.ts';
import type { TaskFile } from '../tasks/taskFile.ts';
import { createStoredTask, type StoredTask } from '../tasks/taskState.ts';
import type { UpstreamTaskActions } from '../tasks/upstreamTaskActions.ts';
import type { PlannedVideo, VideoUpstream } from '../upstreams/upstream.ts';
import { createRequestIdentity, reusedKeyError } from './requestIdentity.ts';

/** The services of the routes for tasks. */
export interface TaskRouteServices {
  readonly catalogue: Catalogue;
  readonly tasks: TaskFile;
  /** The tasks at upstreams. */
  readonly upstreamTasks: UpstreamTaskActions;
}

/** A checked request for a video. */
interface VideoCall {
  /** The model ID that the caller sent. */
  readonly model: string;
  readonly target: ModelTarget;
  readonly request: VideoRequest;
  /** Whether the video becomes a task that outlives the request. */
  readonly isStored: boolean;
}

interface MadeVideo {
  readonly task: StoredTask;
  readonly video: VideoUpstream;
}

/**
 * Starts a video and replies to the request. The task is on the disk before the reply. A repeated request with the
 * same Idempotency-Key gets the task of the first one.
 *
 * @param writeReply creates the body of the reply
 * @throws {HttpError} if the video is not started
 */
export async function makeVideo(
  { catalogue, tasks }: TaskRouteServices,
  call: VideoCall,
  request: GatewayRequest,
  writeReply: (made: MadeVideo) => Promise<object> | object,
): Promise<HandlerResponse> {
  const video = catalogue.requireVideo(call.target, call.model);
  const plannedVideo = video.plan(call.request);
  const draft = {
    upstream: call.target.upstream.name,
    model: call.model,
    requestId: request.id,
    plan: plannedVideo.plan,
  };
  const { task, repeats } = call.isStored
    ? await tasks.create((store) =>
        store.create({ ...draft, ...createRequestIdentity(call.request.format, request) }),
      )
    : { task: createStoredTask(draft, Date.now()) };
  if (repeats === 'other') throw reusedKeyError();

  if (!repeats && !(await delayReply(plannedVideo, abortSignalOf(request.signal)))) return { cut: true };
  return { json: await writeReply({ task, video }) };
}

/**
 * Waits while the reply is held back.
 *
 * @returns false if the connection has to end without a reply
 */
async function delayReply(
  { replyDelayMs, isReplyDropped }: PlannedVideo,
  signal: AbortSignal,
): Promise<boolean> {
  if (replyDelayMs > 0) await wait(replyDelayMs, undefined, { signal });
  return !isReplyDropped;
}
