import { isObject, parseJson, scalarText } from '../../base/json.ts';
import { readDurationAndCost } from '../../wire/apis/taskRecord/durationAndCost.ts';
import { taskStatuses } from '../../wire/apis/taskRecord/taskRecordFormat.ts';
import type { VideoSynthesisRequest } from '../../wire/apis/videoSynthesis/schema.ts';
import { videoJobs } from '../../wire/apis/videos/tasks.ts';
import { type FormBody, isForm, readFormBody } from '../http/formBody.ts';
import { invalidRequestError } from '../http/httpError.ts';
import { invalidFieldError, type Query } from '../http/query.ts';
import { type RequestBody, readModelField, readRequestBody } from '../http/requestBody.ts';
import { limitCatalogue } from '../server/allowedModels.ts';
import type { GatewayRequest, HandlerResponse, ServedRoute } from '../server/routeHandler.ts';
import { providerRoutes } from '../server/servedRoutes.ts';
import { toSafeType } from '../tasks/resultStore.ts';
import { createServedTask } from '../tasks/servedTask.ts';
import { remixUnsupportedError } from '../tasks/taskFailures.ts';
import { isUpstreamTask, type StoredTask } from '../tasks/taskState.ts';
import type { TaskStore } from '../tasks/taskStore.ts';
import { findUpstreamOfTask } from '../tasks/upstreamOfTask.ts';
import { makeTask } from './makeTask.ts';
import { makeConvertedVideo, makeVideo, type TaskRouteServices } from './makeVideo.ts';
import { readTaskContent } from './taskContent.ts';
import { hasUpstreamRecord, refreshTask, removeTask, requireTask, writeOwnRecord } from './tasks.ts';

/** Serves video jobs, and all tasks in their format, regardless of the route that created them. */
export function createVideoJobRoutes(services: TaskRouteServices): readonly ServedRoute[] {
  const { createVideo, readVideo, readVideoContent, deleteVideo } = providerRoutes;
  return [
    { route: createVideo, handle: (request) => startVideo(services, request) },
    {
      route: readVideo,
      async handle(request) {
        const { task, headers } = await refreshTask(services, request);
        return { json: await writeVideo(services, task, request), headers };
      },
    },
    createVideoListRoute(services),
    { route: providerRoutes.remixVideo, handle: (request) => remixVideo(services, request) },
    ...refusedRoutes,
    { route: readVideoContent, handle: (request) => readContent(services, request) },
    {
      route: deleteVideo,
      async handle(request) {
        const { id } = await removeTask(services, request);
        return { json: { id, object: 'video.deleted', deleted: true } };
      },
    },
  ];
}

async function writeVideo(
  services: TaskRouteServices,
  task: StoredTask,
  request: GatewayRequest,
): Promise<object> {
  return hasUpstreamRecord(task, 'videos') ? writeOwnRecord(services, task, request) : writeJob(task);
}

function writeJob(task: StoredTask): object {
  return videoJobs.write(createServedTask(task, Date.now()));
}

/** Reads the bytes of the video, or of a variant such as a thumbnail. */
async function readContent(services: TaskRouteServices, request: GatewayRequest): Promise<HandlerResponse> {
  const { variant = 'video' } = request.query;
  if (variant === 'video') return readTaskContent(services, request);
  const { task } = await refreshTask(services, request);
  if (!isUpstreamTask(task) || typeof variant !== 'string') throw invalidFieldError('variant', 'video');
  const { headers, id: requestId, signal } = request;
  const reply = await services.upstreamTasks.readVariant(task, variant, { headers, requestId, signal });
  const [type = ''] = (reply.headers['content-type'] ?? '').split(';');
  // A refusal is JSON, which browsers do not run.
  if (reply.status >= 300) return { relayed: reply };
  return { relayed: { ...reply, headers: { ...reply.headers, 'content-type': toSafeType(type.trim()) } } };
}

async function startVideo(services: TaskRouteServices, request: GatewayRequest): Promise<HandlerResponse> {
  const { body, readField } = readFields(request);
  const model = readModelField(body);
  const [target] = (await limitCatalogue(services.catalogue, request).find(model)).takeTargets();
  const prompt = readText(readField, 'prompt') ?? '';
  const converted = makeConvertedVideo(services, { format: 'videos', model, target }, request, writeJob);
  if (converted) return converted;
  if (!target.upstream.video)
    return makeTask(services, { format: 'videos', model, target, body, prompt }, request);
  const videoCall = {
    model,
    target,
    request: { format: 'videoSynthesis', body: createDemoRequest(model, readField) },
    isStored: true,
  } as const;
  return makeVideo(services, videoCall, request, ({ task }) => writeJob(task));
}

/** Reads a field of a request by its name. */
type FieldReader = (name: string) => unknown;

function readFields({ body: bytes, headers }: GatewayRequest): {
  readonly body: RequestBody;
  readonly readField: FieldReader;
} {
  const type = headers['content-type'];
  if (isForm(type)) {
    const body: FormBody = readFormBody(bytes, type ?? '');
    return { body, readField: (name) => body.readText(name) };
  }
  const body = readRequestBody(bytes);
  const object = parseJson(Buffer.from(bytes).toString());
  return { body, readField: (name) => (isObject(object) ? object[name] : undefined) };
}

/** Converts a request to the format of video synthesis, for models of the demo. */
function createDemoRequest(model: string, readField: FieldReader): VideoSynthesisRequest {
  const prompt = readText(readField, 'prompt');
  if (prompt === undefined) throw invalidFieldError('prompt', 'what the video should show');
  const size = readText(readField, 'size');
  if (size !== undefined && !/^\d+x\d+$/.test(size))
    throw invalidFieldError('size', 'width x height in pixels, such as 1280x720');
  const seconds = readField('seconds') === undefined ? undefined : Number(scalarText(readField('seconds')));
  if (seconds !== undefined && !(Number.isInteger(seconds) && seconds > 0))
    throw invalidFieldError('seconds', 'a whole number from 1 up');
  const parameters = {
    ...(size !== undefined && { size: size.replace('x', '*') }),
    ...(seconds !== undefined && { duration: seconds }),
  };
  return { model, input: { prompt }, parameters };
}

function readText(readField: FieldReader, name: string): string | undefined {
  const value = readField(name);
  return typeof value === 'string' ? value : undefined;
}

/**
 * Makes a video from an earlier one, at the upstream of the earlier one.
 *
 * @throws {HttpError} 400 if the upstream does not support it
 */
async function remixVideo(services: TaskRouteServices, request: GatewayRequest): Promise<HandlerResponse> {
  const earlier = requireTask(services.tasks.open(), request);
  if (!isUpstreamTask(earlier)) throw remixUnsupportedError(earlier.upstream);
  const { upstream, tasks } = findUpstreamOfTask(services.catalogue, earlier);
  const { remix } = tasks;
  if (!remix) throw remixUnsupportedError(upstream.name);
  const { upstreamId: task, model, format, keyName } = earlier;
  if (task === undefined)
    throw invalidRequestError(
      'video_id: it is not known whether this was made.',
      'invalid_value',
      'video_id',
    );
  // A caller that may no longer use the model cannot remix its videos.
  const { targets } = await limitCatalogue(services.catalogue, request).find(model);
  const target = targets.find((each) => each.upstream.name === upstream.name);
  const { seconds } = readDurationAndCost(earlier.report.record);
  return makeTask(
    services,
    {
      format,
      model,
      target: { upstream, model: target?.model ?? model },
      body: readRequestBody(request.pieces),
      earlier: {
        id: earlier.id,
        ...(keyName !== undefined && { keyName }),
        send: (call) => remix({ ...call, task, seconds }),
      },
    },
    request,
  );
}

/** Routes that are refused. Their bodies do not name a model, so their upstream is unknown. */
const refusedRoutes: readonly ServedRoute[] = [
  createRefusedRoute(providerRoutes.editVideo, 'edits'),
  createRefusedRoute(providerRoutes.extendVideo, 'extensions'),
  createRefusedRoute(providerRoutes.createVideoCharacter, 'characters'),
];

function createRefusedRoute(route: ServedRoute['route'], feature: string): ServedRoute {
  return {
    route,
    handle() {
      throw invalidRequestError(
        `This local gateway does not pass on ${feature} of videos. Remix a video that it made with POST /v1/videos/{id}/remix, or send the request to the upstream itself.`,
        'unsupported_operation',
      );
    },
  };
}

/**
 * Serves the list of all videos, newest first by default, regardless of the route that created them. It does not
 * send requests to upstreams.
 */
function createVideoListRoute(services: TaskRouteServices): ServedRoute {
  return {
    route: providerRoutes.listVideos,
    async handle(request) {
      const store = services.tasks.open();
      const { limit, order, after } = request.query;
      const { name: owner } = request.access;
      const page = store.list({
        limit: readLimit(limit),
        oldestFirst: readOrder(order) === 'asc',
        videosOnly: true,
        statuses: taskStatuses,
        ...(after !== undefined && { after: requirePosition(store, after, request) }),
        ...(owner !== undefined && { owner }),
      });
      const data = await Promise.all(page.tasks.map((task) => writeVideo(services, task, request)));
      const [first] = page.tasks;
      const last = page.tasks.at(-1);
      const endIds = { first_id: first?.id ?? null, last_id: last?.id ?? null };
      return { json: { object: 'list', data, ...endIds, has_more: page.hasMore } };
    },
  };
}

function readLimit(limit: Query[string] = String(defaultLimit)): number {
  if (typeof limit === 'string' && /^\d{1,3}$/.test(limit) && Number(limit) <= 100) return Number(limit);
  throw invalidFieldError('limit', 'a whole number from 0 to 100');
}

const defaultLimit = 20;

function readOrder(order: Query[string] = 'desc'): 'asc' | 'desc' {
  if (order === 'asc' || order === 'desc') return order;
  throw invalidFieldError('order', 'asc or desc');
}

function requirePosition(
  store: TaskStore,
  after: Exclude<Query[string], undefined>,
  { access }: GatewayRequest,
): number {
  const task = typeof after === 'string' ? store.get(after) : undefined;
  const position = task && access.mayUseTasksOf(task.owner) ? store.findPosition(task.id) : undefined;
  if (position === undefined)
    throw invalidFieldError('after', 'the last_id of a page, whose video still exists');
  return position;
}
