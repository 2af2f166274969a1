import { setTimeout as wait } from 'node:timers/promises';
import { toAbortSignal } from '../../base/cancellation.ts';
import {
  type Interaction,
  type InteractionContent,
  type InteractionsRequest,
  interactionsRequest,
} from '../../wire/apis/interactions/schema.ts';
import {
  isOwnEvent,
  listLinkedContent,
  streamInteractionEvents,
  writeInteraction,
  writeInteractionHead,
} from '../../wire/apis/interactions/tasks.ts';
import { requestsVideo } from '../../wire/apis/interactions/videoRoute.ts';
import { eventStreamType } from '../../wire/stream/sse.ts';
import { unsupportedError } from '../http/httpError.ts';
import { normalizeModelId, type RequestBody, readBody, readModelField } from '../http/requestBody.ts';
import type { GatewayRequest, HandlerResponse, ServedRoute } from '../server/routeHandler.ts';
import { providerRoutes } from '../server/servedRoutes.ts';
import { createResultPath, createServedTask } from '../tasks/servedTask.ts';
import { isUpstreamTask, type PlannedTask, readTaskState, type StoredTask } from '../tasks/taskState.ts';
import type { VideoUpstream } from '../upstreams/upstream.ts';
import { makeTask, resolveEarlierTask } from './makeTask.ts';
import { makeConvertedVideo, makeVideo, type TaskRouteServices } from './makeVideo.ts';
import {
  cancelServedTask,
  hasUpstreamRecord,
  readGatewayAddress,
  refreshTask,
  removeTask,
  requireTask,
  writeOwnRecord,
} from './tasks.ts';
import type { RouteExtras, TextRouteCall } from './textRoute.ts';

/** Handles interactions that request videos or run in the background. Both become tasks. */
export function createInteractionExtras(services: TaskRouteServices): RouteExtras {
  return {
    readModel,
    needsOneUpstream: (body) =>
      body.readField('background') === true ||
      (body.readField('previous_interaction_id') ?? undefined) !== undefined ||
      requestsVideo(body.readField('response_format')),
    resolveContinuation({ target, body }, request) {
      const { name: upstream } = target.upstream;
      return resolveEarlierTask(services, { format: 'interactions', body, upstream }, request);
    },
    handleNonText({ model, target, body }, request) {
      const { upstream } = target;
      const isForVideo = requestsVideo(body.readField('response_format'));
      if (upstream.video && isForVideo)
        return makeVideoInteraction(services, { model, target, body }, request);
      const isConverted = isForVideo && upstream.findConvertedVideos?.(target.model) !== undefined;
      if (isConverted) return makeConvertedInteraction(services, { model, target, body }, request);
      if (body.readField('background') === true && upstream.tasks.interactions)
        return makeTask(services, { format: 'interactions', model, target, body }, request);
      // An upstream that serves interactions returns the video in its reply. Other upstreams cannot make it.
      if (isForVideo && !upstream.listFormats(target.model).includes('interactions'))
        services.catalogue.requireVideo(target, model);
      return undefined;
    },
  };
}

interface InteractionOptions {
  /** The upstream that made the results; undefined if it is not served now. The results then have only addresses. */
  readonly video: VideoUpstream | undefined;
  /** The gateway's address as the caller knows it; absent if results cannot be fetched there later. */
  readonly address?: string;
  /** Whether to omit expired results. */
  readonly omitsExpired?: boolean;
  /** Whether to include the request as a step. */
  readonly echoesInput?: boolean;
}

/** Writes a task as an interaction, with its results. */
async function createInteraction(task: StoredTask, options: InteractionOptions): Promise<Interaction> {
  const view = createServedTask(task, Date.now());
  const { echoesInput = false, address = '' } = options;
  const content = isUpstreamTask(task)
    ? listLinkedContent(view, address)
    : await readPlannedContent(task, options);
  return writeInteraction(view, { content, echoesInput });
}

/** Reads the results of a task of the demo, as data unless the caller requested addresses. */
async function readPlannedContent(
  task: PlannedTask,
  { video, address, omitsExpired }: InteractionOptions,
): Promise<readonly InteractionContent[]> {
  const { results, isLinked } = task.plan;
  const { status, expiresAt = 0 } = readTaskState(task, Date.now());
  if (status !== 'completed' || (omitsExpired && Date.now() >= expiresAt)) return [];
  return Promise.all(
    results.map(async (result, index): Promise<InteractionContent> => {
      const dataOrUri =
        video && (!isLinked || address === undefined)
          ? { data: (await video.read(result)).toString('base64') }
          : { uri: (address ?? '') + createResultPath(task.id, index) };
      return { type: 'video', mime_type: result.mimeType, ...dataOrUri };
    }),
  );
}

interface RefreshedTask {
  readonly task: StoredTask;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Serves all tasks as interactions, regardless of the route that created them. */
export function createInteractionTaskRoutes(services: TaskRouteServices): readonly ServedRoute[] {
  const { catalogue, tasks, upstreamTasks } = services;
  const { readInteraction, cancelInteraction, deleteInteraction } = providerRoutes;

  function createOptions(task: StoredTask, request: GatewayRequest): InteractionOptions {
    return {
      video: catalogue.findVideo(task.upstream),
      address: readGatewayAddress(request),
      omitsExpired: true,
      echoesInput: request.query.include_input === 'true',
    };
  }

  async function writeTask(task: StoredTask, request: GatewayRequest): Promise<Interaction> {
    if (hasUpstreamRecord(task, 'interactions'))
      return (await writeOwnRecord(services, task, request)) as Interaction;
    return createInteraction(task, createOptions(task, request));
  }

  async function replyAtOnce(
    { task, headers }: RefreshedTask,
    request: GatewayRequest,
  ): Promise<HandlerResponse> {
    return { json: await writeTask(task, request), ...(headers && { headers }) };
  }

  function replyWithOwnEvents(task: StoredTask, request: GatewayRequest): HandlerResponse {
    const readCurrent = async () =>
      (await upstreamTasks.readings.refresh(requireTask(tasks.open(), request))).task;
    const done = waitUntilEnded(readCurrent, toAbortSignal(request.signal)).then((ended) =>
      writeTask(ended, request),
    );
    const body = streamInteractionEvents(
      writeInteractionHead(createServedTask(task, Date.now())),
      done,
      request.query.last_event_id,
    );
    return { relayed: { status: 200, headers: { 'content-type': eventStreamType }, body } };
  }

  /**
   * Replies with the upstream's own events; undefined if it does not support them, or if the caller received the
   * gateway's events before.
   */
  async function replyWithUpstreamEvents(
    task: StoredTask,
    request: GatewayRequest,
  ): Promise<HandlerResponse | undefined> {
    const { headers, id: requestId, signal, rawQuery: query } = request;
    const last = request.query.last_event_id;
    if (!isUpstreamTask(task) || task.format !== 'interactions' || isOwnEvent(task.id, last))
      return undefined;
    const events = await upstreamTasks.streamEvents(
      task,
      { headers, requestId, signal, query },
      readGatewayAddress(request),
    );
    if (!events || (events.status >= 300 && last === undefined)) return undefined;
    return { relayed: events };
  }

  return [
    {
      route: readInteraction,
      async handle(request) {
        const refreshedTask = await refreshTask(services, request);
        if (request.query.stream !== 'true') return replyAtOnce(refreshedTask, request);
        return (
          (await replyWithUpstreamEvents(refreshedTask.task, request)) ??
          replyWithOwnEvents(refreshedTask.task, request)
        );
      },
    },
    {
      route: cancelInteraction,
      handle: async (request) => replyAtOnce(await cancelServedTask(services, request), request),
    },
    {
      route: deleteInteraction,
      async handle(request) {
        await removeTask(services, request);
        return { json: {} };
      },
    },
  ];
}

function readModel(body: RequestBody): string {
  if (body.readField('model') === undefined && body.readField('agent') !== undefined)
    throw unsupportedError('agent', 'this local gateway has no agents; send model instead');
  return normalizeModelId(readModelField(body));
}

/**
 * The interval at which a task is read while a caller waits for it, in milliseconds. Another request may cancel the
 * task.
 */
const checkIntervalMs = 250;

/**
 * Makes a video. The reply to a background request is a running interaction with the ID of the task. The reply to
 * any other request is the finished interaction with its video. Unless `store` is false, such a request also
 * creates a task, so that the video is not lost if the caller disconnects.
 */
function makeVideoInteraction(
  services: TaskRouteServices,
  { model, target, body: { bytes } }: Pick<TextRouteCall, 'model' | 'target' | 'body'>,
  request: GatewayRequest,
): Promise<HandlerResponse> {
  services.catalogue.requireVideo(target, model);
  const body = readBody(bytes, interactionsRequest);
  refuseCombinations(body);
  const isStored = body.store !== false;
  const videoCall = { model, target, request: { format: 'interactions', body }, isStored } as const;
  return makeVideo(services, videoCall, request, async ({ task, video }) => {
    const readCurrent = () => (isStored ? services.tasks.open().get(task.id) : undefined) ?? task;
    const options = { video, address: readGatewayAddress(request) };
    // The reply contains even the result of an ended task, because clients do not read a finished interaction again.
    if (body.background) return createInteraction(readCurrent(), options);
    const endedTask = await waitUntilEnded(readCurrent, toAbortSignal(request.signal));
    if (isStored) return createInteraction(endedTask, options);
    const { id: _, ...interaction } = await createInteraction(endedTask, { video });
    return interaction;
  });
}

/** Makes a video at an upstream that uses another format. It is always a task. */
function makeConvertedInteraction(
  services: TaskRouteServices,
  { model, target, body: { bytes } }: Pick<TextRouteCall, 'model' | 'target' | 'body'>,
  request: GatewayRequest,
): Promise<HandlerResponse> | undefined {
  const body = readBody(bytes, interactionsRequest);
  refuseCombinations(body);
  const videoCall = { format: 'interactions', model, target } as const;
  return makeConvertedVideo(services, videoCall, request, async (task) => {
    const options = { video: undefined, address: readGatewayAddress(request) };
    if (body.background) return createInteraction(task, options);
    const taskRequest = { params: { task_id: task.id }, access: request.access };
    const readCurrent = async () => (await refreshTask(services, taskRequest)).task;
    return createInteraction(await waitUntilEnded(readCurrent, toAbortSignal(request.signal)), options);
  });
}

function refuseCombinations(body: InteractionsRequest): void {
  if ([body.response_format ?? []].flat().some(({ type }) => type !== 'video'))
    throw unsupportedError(
      'response_format',
      'a video cannot be combined with other output; request only a video',
    );
  if (body.stream)
    throw unsupportedError('stream', 'a video cannot be streamed; leave it out, or set background');
  if (body.background && body.store === false)
    throw unsupportedError('store', 'background interactions must be stored; leave store out');
}

/**
 * Reads a task until it has ended.
 *
 * @throws the signal's reason if it is aborted
 */
async function waitUntilEnded(
  readCurrent: () => StoredTask | Promise<StoredTask>,
  signal: AbortSignal,
): Promise<StoredTask> {
  for (;;) {
    const task = await readCurrent();
    const now = Date.now();
    const { status, finishedAt } = readTaskState(task, now);
    if (finishedAt !== undefined || status === 'unknown') return task;
    const remainingMs = isUpstreamTask(task) || task.endsAt === null ? checkIntervalMs : task.endsAt - now;
    await wait(Math.min(remainingMs, checkIntervalMs), undefined, { signal });
  }
}
