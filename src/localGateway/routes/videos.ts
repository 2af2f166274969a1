import { isObject, parseJson } from '../../base/json.ts';
import type { VideoSynthesisRequest } from '../../wire/apis/videoSynthesis/request.ts';
import { type FormBody, isForm, readFormBody } from '../http/formBody.ts';
import { invalidRequest } from '../http/httpError.ts';
import { invalidField, type Query } from '../http/query.ts';
import { modelField, type RequestBody, readRequestBody } from '../http/requestBody.ts';
import { catalogueFor } from '../server/allowedModels.ts';
import type { Answer, GatewayRequest, ServedRoute } from '../server/handler.ts';
import { providerRoutes } from '../server/providerRoutes.ts';
import { safeType } from '../tasks/keptResults.ts';
import { makesNoRemix } from '../tasks/taskFailures.ts';
import { taskStatuses } from '../tasks/taskIdentity.ts';
import { isRemote, type StoredTask } from '../tasks/taskState.ts';
import type { TaskStore } from '../tasks/taskStore.ts';
import { taskUpstream } from '../tasks/taskUpstream.ts';
import { videoOf } from '../tasks/videoRecord.ts';
import { makeTask } from './makeTask.ts';
import { makeVideo, type VideoService } from './makeVideo.ts';
import { contentOf } from './taskContent.ts';
import { hasOwnRecord, ownForm } from './taskForm.ts';
import { findTask, freshTask, removeTask } from './tasks.ts';

/** Serves video jobs, and all tasks in their format, whichever route made them. */
export function videoJobRoutes(service: VideoService): readonly ServedRoute[] {
  const { createVideo, readVideo, readVideoContent, deleteVideo } = providerRoutes;
  return [
    { route: createVideo, answer: (request) => create(service, request) },
    {
      route: readVideo,
      async answer(request) {
        const { task, headers } = await freshTask(service, request);
        return { json: await videoForm(service, task, request), headers };
      },
    },
    videoListRoute(service, (task, request) => videoForm(service, task, request)),
    { route: providerRoutes.remixVideo, answer: (request) => remixVideo(service, request) },
    ...notOffered,
    { route: readVideoContent, answer: (request) => videoContent(service, request) },
    {
      route: deleteVideo,
      async answer(request) {
        const { id } = await removeTask(service, request);
        return { json: { id, object: 'video.deleted', deleted: true } };
      },
    },
  ];
}

async function videoForm(service: VideoService, task: StoredTask, request: GatewayRequest): Promise<object> {
  return hasOwnRecord(task, 'videos') ? ownForm(service, task, request) : videoOf(task);
}

/** The bytes of the video, or what else its upstream gives for it, such as a thumbnail. */
async function videoContent(service: VideoService, request: GatewayRequest): Promise<Answer> {
  const { variant = 'video' } = request.query;
  if (variant === 'video') return contentOf(service, request);
  const { task } = await freshTask(service, request);
  if (!isRemote(task) || typeof variant !== 'string') throw invalidField('variant', 'video');
  const { headers, id: requestId, signal } = request;
  const reply = await service.remote.variant(task, variant, { headers, requestId, signal });
  const [type = ''] = (reply.headers['content-type'] ?? '').split(';');
  // A refusal is JSON, of which nothing is run.
  if (reply.status >= 300) return { relayed: reply };
  return { relayed: { ...reply, headers: { ...reply.headers, 'content-type': safeType(type.trim()) } } };
}

async function create(service: VideoService, request: GatewayRequest): Promise<Answer> {
  const { body, values } = read(request);
  const model = modelField(body);
  const [place] = (await catalogueFor(service.catalogue, request).find(model)).take();
  const prompt = text(values, 'prompt') ?? '';
  if (!place.upstream.video)
    return makeTask(service, { format: 'videos', model, place, body, prompt }, request);
  const asked = {
    ...{ model, place },
    request: { format: 'videoSynthesis', body: spec(model, values) },
    isKept: true,
  } as const;
  return makeVideo(service, asked, request, ({ task }) => videoOf(task));
}

/** The fields of a request by their names. */
type Values = (name: string) => unknown;

function read({ body: bytes, headers }: GatewayRequest): {
  readonly body: RequestBody;
  readonly values: Values;
} {
  const type = headers['content-type'];
  if (isForm(type)) {
    const body: FormBody = readFormBody(bytes, type ?? '');
    return { body, values: (name) => body.text(name) };
  }
  const body = readRequestBody(bytes);
  const object = parseJson(Buffer.from(bytes).toString());
  return { body, values: (name) => (isObject(object) ? object[name] : undefined) };
}

/** The same order as other routes spell it, for models of the demo. */
function spec(model: string, values: Values): VideoSynthesisRequest {
  const prompt = text(values, 'prompt');
  if (prompt === undefined) throw invalidField('prompt', 'what the video should show');
  const size = text(values, 'size');
  if (size !== undefined && !/^\d+x\d+$/.test(size))
    throw invalidField('size', 'width x height in pixels, such as 1280x720');
  const seconds = values('seconds') === undefined ? undefined : Number(values('seconds'));
  if (seconds !== undefined && !(Number.isInteger(seconds) && seconds > 0))
    throw invalidField('seconds', 'a whole number from 1 up');
  const parameters = {
    ...(size !== undefined && { size: size.replace('x', '*') }),
    ...(seconds !== undefined && { duration: seconds }),
  };
  return { model, input: { prompt }, parameters };
}

function text(values: Values, name: string): string | undefined {
  const value = values(name);
  return typeof value === 'string' ? value : undefined;
}

/**
 * Makes a video from an earlier one, at the upstream that has that one.
 *
 * @throws {HttpError} 400 where the upstream has no way to do so
 */
async function remixVideo(service: VideoService, request: GatewayRequest): Promise<Answer> {
  const earlier = findTask(service.tasks.open(), request);
  if (!isRemote(earlier)) throw makesNoRemix(earlier.upstream);
  const { upstream, tasks } = taskUpstream(service.catalogue, earlier);
  const { remix } = tasks;
  if (!remix) throw makesNoRemix(upstream.name);
  const { upstreamId: task, model, format } = earlier;
  if (task === undefined)
    throw invalidRequest('video_id: nobody knows whether this was made.', 'invalid_value', 'video_id');
  // Whoever may not ask the model any more makes nothing with it.
  await catalogueFor(service.catalogue, request).find(model);
  return makeTask(
    service,
    {
      ...{ format, model, place: { upstream, model }, body: readRequestBody(request.pieces) },
      from: { id: earlier.id, ask: (call) => remix({ ...call, task }) },
    },
    request,
  );
}

/** What the format has, too, and this gateway passes on to nobody: their bodies name no model, and so no upstream. */
const notOffered: readonly ServedRoute[] = [
  notPassedOn(providerRoutes.editVideo, 'edits'),
  notPassedOn(providerRoutes.extendVideo, 'extensions'),
  notPassedOn(providerRoutes.createVideoCharacter, 'characters'),
];

function notPassedOn(route: ServedRoute['route'], what: string): ServedRoute {
  return {
    route,
    answer() {
      throw invalidRequest(
        `This local gateway passes on no ${what} of videos. Remix a video that it made, POST /v1/videos/{id}/remix, or ask the upstream itself.`,
        'unsupported_operation',
      );
    },
  };
}

/**
 * Serves the list of all videos, newest first unless asked otherwise, whichever route made them. It asks no
 * upstream.
 *
 * @param videoForm a task as a video job
 */
function videoListRoute(
  { tasks }: VideoService,
  videoForm: (task: StoredTask, request: GatewayRequest) => Promise<object> | object,
): ServedRoute {
  return {
    route: providerRoutes.listVideos,
    async answer(request) {
      const store = tasks.open();
      const { limit, order, after } = request.query;
      const { name: owner } = request.access;
      const page = store.list({
        limit: readLimit(limit),
        oldestFirst: readOrder(order) === 'asc',
        videosOnly: true,
        statuses: taskStatuses,
        ...(after !== undefined && { after: placeOf(store, after, request) }),
        ...(owner !== undefined && { owner }),
      });
      const data = await Promise.all(page.tasks.map((task) => videoForm(task, request)));
      const [first] = page.tasks;
      const last = page.tasks.at(-1);
      const ends = { first_id: first?.id ?? null, last_id: last?.id ?? null };
      return { json: { object: 'list', data, ...ends, has_more: page.hasMore } };
    },
  };
}

function readLimit(limit: Query[string] = String(defaultLimit)): number {
  if (typeof limit === 'string' && /^\d{1,3}$/.test(limit) && Number(limit) <= 100) return Number(limit);
  throw invalidField('limit', 'a whole number from 0 to 100');
}

const defaultLimit = 20;

function readOrder(order: Query[string] = 'desc'): 'asc' | 'desc' {
  if (order === 'asc' || order === 'desc') return order;
  throw invalidField('order', 'asc or desc');
}

function placeOf(
  store: TaskStore,
  after: Exclude<Query[string], undefined>,
  { access }: GatewayRequest,
): number {
  const task = typeof after === 'string' ? store.get(after) : undefined;
  const place = task && access.mayUse(task.owner) ? store.placeOf(task.id) : undefined;
  if (place === undefined) throw invalidField('after', 'the last_id of a page, of a video that still exists');
  return place;
}
