import { isObject, parseJson } from '../../base/json.ts';
import type { VideoSynthesisRequest } from '../../wire/apis/videoSynthesis/request.ts';
import { catalogueFor } from '../config/allowedModels.ts';
import { type FormBody, isForm, readFormBody } from '../formBody.ts';
import { providerRoutes } from '../providerRoutes.ts';
import { invalidField } from '../query.ts';
import { modelField, type RequestBody, readRequestBody } from '../requestBody.ts';
import type { Answer, GatewayRequest, ServedRoute } from '../server/handler.ts';
import { safeType } from '../tasks/keptResults.ts';
import { isRemote, type StoredTask } from '../tasks/taskState.ts';
import { videoOf } from '../tasks/videoRecord.ts';
import { makeTask } from './makeTask.ts';
import { makeVideo, type VideoService } from './makeVideo.ts';
import { notOffered, remixVideo } from './remixVideo.ts';
import { contentOf } from './taskContent.ts';
import { hasOwnRecord, ownForm } from './taskForm.ts';
import { freshTask, removeTask } from './tasks.ts';
import { videoListRoute } from './videoList.ts';

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
