import { setTimeout as wait } from 'node:timers/promises';
import type * as z from 'zod';
import { toAbortSignal } from '../../base/cancellation.ts';
import { isObject, type JsonObject, parseJson } from '../../base/json.ts';
import { readPromptText } from '../../wire/apis/taskRecord/taskRecordFormat.ts';
import type { VideoRequest } from '../../wire/apis/videoRoutes.ts';
import { convertError, hyphenate } from '../conversion/conversion.ts';
import { ConversionNotes } from '../conversion/conversionNotes.ts';
import { checkDepth, iterateBytes, maxErrorBytes } from '../conversion/convertedExchange.ts';
import { type CallerVideoFormat, readVideoOrder } from '../conversion/readVideoOrder.ts';
import { isForm, readFormParts } from '../http/formBody.ts';
import type { HttpError } from '../http/httpError.ts';
import { readBody, readRequestBody } from '../http/requestBody.ts';
import type { Catalogue } from '../models/catalogue.ts';
import type { ModelTarget } from '../models/modelTable.ts';
import type { GatewayRequest, HandlerResponse } from '../server/routeHandler.ts';
import type { TaskFile } from '../tasks/taskFile.ts';
import { createPlannedTask, type StoredTask } from '../tasks/taskState.ts';
import type { UpstreamTask } from '../tasks/upstreamTask.ts';
import type { UpstreamTaskActions } from '../tasks/upstreamTaskActions.ts';
import type {
  ConvertedVideos,
  PlannedVideo,
  UpstreamReply,
  UpstreamTaskApi,
  VideoUpstream,
} from '../upstreams/upstream.ts';
import { readCapped } from '../upstreams/upstreamFailure.ts';
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
    : { task: createPlannedTask(draft, Date.now()) };
  if (repeats === 'other') throw reusedKeyError();

  if (!repeats && !(await delayReply(plannedVideo, toAbortSignal(request.signal)))) return { cut: true };
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

/** A request for a video whose upstream uses another format. */
interface ConvertedVideoCall {
  /** The format of the caller. */
  readonly format: CallerVideoFormat;
  /** Checks the body; absent if it was checked. */
  readonly schema?: z.ZodObject;
  /** The model ID that the caller sent. */
  readonly model: string;
  readonly target: ModelTarget;
}

/**
 * Creates a task for a video in the upstream's own format, and replies in the caller's format.
 *
 * @param writeReply creates the body of the reply
 * @returns undefined if the model does not make videos in a format that no caller uses
 * @throws {HttpError} as `makeTask`, and 400 for a field that cannot be converted
 */
export function makeConvertedVideo(
  services: TaskRouteServices,
  call: ConvertedVideoCall,
  request: GatewayRequest,
  writeReply: (task: UpstreamTask) => Promise<object> | object,
): Promise<HandlerResponse> | undefined {
  const { upstream, model } = call.target;
  const videos = upstream.findConvertedVideos?.(model);
  const tasks = videos && upstream.tasks[videos.format];
  if (!tasks) return undefined;

  async function createVideoTask({ create: send }: UpstreamTaskApi, { format, form }: ConvertedVideos) {
    if (call.schema) readBody(request.body, call.schema);
    const notes = new ConversionNotes(form.label, call.model);
    const order = readVideoOrder(call.format, readFields(request), notes);
    const body = form.write(order, model, notes);
    const { 'idempotency-key': key } = request.headers;
    const outcome = await services.upstreamTasks.creator.create({
      upstream,
      send,
      format,
      servedModel: call.model,
      model,
      body: readRequestBody(Buffer.from(JSON.stringify(body))),
      prompt: readPromptText(order.prompt),
      // All other headers belong to the format of the caller.
      headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
      requestId: request.id,
      callerSignal: toAbortSignal(request.signal),
      spending: request.spending,
      noteKey: (used) => {
        request.notes.key = used;
      },
      identity: createRequestIdentity(call.format, request),
    });
    if ('reply' in outcome) throw await createRefusalError(outcome.reply);
    if (!('task' in outcome)) throw reusedKeyError();
    const { dropped } = notes;
    const headers = {
      ...outcome.headers,
      'x-gateway-conversion': `${hyphenate(call.format)}->${hyphenate(format)}`,
      ...(dropped.length > 0 && { 'x-gateway-dropped': dropped.join(', ') }),
    };
    return { json: await writeReply(outcome.task), headers };
  }

  return createVideoTask(tasks, videos);
}

/** Reads the fields of a request. Files of a form become data URLs. */
function readFields({ body: bytes, headers }: GatewayRequest): JsonObject {
  const type = headers['content-type'];
  if (isForm(type)) {
    const fields = readFormParts(bytes, type ?? '').map(({ name, file, value }) => {
      const data = Buffer.from(value);
      return [name, file ? `data:${file.type};base64,${data.toString('base64')}` : data.toString()] as const;
    });
    return Object.fromEntries(fields);
  }
  checkDepth(readRequestBody(bytes));
  const body = parseJson(Buffer.from(bytes).toString());
  return isObject(body) ? body : {};
}

/** Converts the upstream's refusal to an error, which the server writes in the caller's format. */
async function createRefusalError({ status, headers, body }: UpstreamReply): Promise<HttpError> {
  const bytes = await readCapped(iterateBytes(body), maxErrorBytes).catch(() => undefined);
  const { 'content-type': _, 'content-length': __, 'content-encoding': ___, ...others } = headers;
  return convertError(status, bytes?.toString() ?? '').withHeaders(others);
}
