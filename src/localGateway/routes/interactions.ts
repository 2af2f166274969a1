import { setTimeout as wait } from 'node:timers/promises';
import { abortSignalOf } from '../../base/cancellation.ts';
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
import { type HttpError, invalidRequestError } from '../http/httpError.ts';
import { normalizeModelId, type RequestBody, readBody, readModelField } from '../http/requestBody.ts';
import type { GatewayRequest, HandlerResponse, ServedRoute } from '../server/routeHandler.ts';
import { providerRoutes } from '../server/servedRoutes.ts';
import { createResultPath, createServedTask } from '../tasks/servedTask.ts';
import { isUpstreamTask, type PlannedTask, readTaskState, type StoredTask } from '../tasks/taskState.ts';
import type { VideoUpstream } from '../upstreams/upstream.ts';
import { makeConvertedVideo } from './convertedVideo.ts';
import { makeTask, resolveEarlierTask } from './makeTask.ts';
import { makeVideo, type TaskRouteServices } from './makeVideo.ts';
import {
  cancelServedTask,
  freshTask,
  gatewayAddress,
  hasUpstreamRecord,
  recordInOwnFormat,
  removeTask,
  requireTask,
} from './tasks.ts';
import type { RouteExtras, TextRouteCall } from './textRoute.ts';

/** Interactions can also request videos, and work in the background. Both are tasks. */
export function interactionExtras(service: TaskRouteServices): RouteExtras {
  return {
    modelOf,
    needsOneUpstream: (body) =>
      body.readField('background') === true ||
      (body.readField('previous_interaction_id') ?? undefined) !== undefined ||
      requestsVideo(body.readField('response_format')),
    continuedFrom({ target, body }, request) {
      const { name: upstream } = target.upstream;
      return resolveEarlierTask(service, { format: 'interactions', body, upstream }, request);
    },
    handleNonText({ model, target, body }, request) {
      const { upstream } = target;
      const isForVideo = requestsVideo(body.readField('response_format'));
      if (upstream.video && isForVideo)
        return makeVideoInteraction(service, { model, target, body }, request);
      const isConverted = isForVideo && upstream.findConvertedVideos?.(target.model) !== undefined;
      if (isConverted) return makeConvertedInteraction(service, { model, target, body }, request);
      if (body.readField('background') === true && upstream.tasks.interactions)
        return makeTask(service, { format: 'interactions', model, target, body }, request);
      // An upstream that serves interactions puts the video into its reply; any other one cannot make it.
      if (isForVideo && !upstream.listFormats(target.model).includes('interactions'))
        service.catalogue.requireVideo(target, model);
      return undefined;
    },
  };
}

interface InteractionOptions {
  /** The upstream that made the results. If it is not served now, results have addresses only. */
  readonly video: VideoUpstream | undefined;
  /** The gateway's address as the caller knows it; absent if results cannot be fetched there later. */
  readonly address?: string;
  /** Whether to leave out expired results. */
  readonly omitsExpired?: boolean;
  /** Whether to include the request as a step. */
  readonly echoesInput?: boolean;
}

/** A task as an interaction, with its results. */
async function interactionWith(task: StoredTask, options: InteractionOptions): Promise<Interaction> {
  const view = createServedTask(task, Date.now());
  const { echoesInput = false, address = '' } = options;
  const content = isUpstreamTask(task) ? listLinkedContent(view, address) : await plannedContent(task, options);
  return writeInteraction(view, { content, echoesInput });
}

/** The results of a task of the demo, as data unless the caller requested addresses. */
async function plannedContent(
  task: PlannedTask,
  { video, address, omitsExpired }: InteractionOptions,
): Promise<readonly InteractionContent[]> {
  const { results, linked } = task.plan;
  const { status, expiresAt = 0 } = readTaskState(task, Date.now());
  if (status !== 'completed' || (omitsExpired && Date.now() >= expiresAt)) return [];
  return Promise.all(
    results.map(async (result, index): Promise<InteractionContent> => {
      const dataOrUri =
        video && (!linked || address === undefined)
          ? { data: (await video.read(result)).toString('base64') }
          : { uri: (address ?? '') + createResultPath(task.id, index) };
      return { type: 'video', mime_type: result.mimeType, ...dataOrUri };
    }),
  );
}

interface ShownTask {
  readonly task: StoredTask;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Serves all tasks as interactions, regardless of the route that created them. */
export function interactionTaskRoutes(service: TaskRouteServices): readonly ServedRoute[] {
  const { catalogue, tasks, remote } = service;
  const { readInteraction, cancelInteraction, deleteInteraction } = providerRoutes;

  function optionsOf(task: StoredTask, request: GatewayRequest): InteractionOptions {
    return {
      video: catalogue.findVideo(task.upstream),
      address: gatewayAddress(request),
      omitsExpired: true,
      echoesInput: request.query.include_input === 'true',
    };
  }

  async function interaction(task: StoredTask, request: GatewayRequest): Promise<Interaction> {
    if (hasUpstreamRecord(task, 'interactions'))
      return (await recordInOwnFormat(service, task, request)) as Interaction;
    return interactionWith(task, optionsOf(task, request));
  }

  async function unstreamedReply(
    { task, headers }: ShownTask,
    request: GatewayRequest,
  ): Promise<HandlerResponse> {
    return { json: await interaction(task, request), ...(headers && { headers }) };
  }

  function streamedReply(task: StoredTask, request: GatewayRequest): HandlerResponse {
    const current = async () => (await remote.refresh(requireTask(tasks.open(), request))).task;
    const done = untilEnded(current, abortSignalOf(request.signal)).then((ended) =>
      interaction(ended, request),
    );
    const body = streamInteractionEvents(
      writeInteractionHead(createServedTask(task, Date.now())),
      done,
      request.query.last_event_id,
    );
    return { relayed: { status: 200, headers: { 'content-type': eventStreamType }, body } };
  }

  /**
   * The upstream's own events; undefined if it does not support them, or if the caller received the gateway's
   * events.
   */
  async function upstreamEvents(
    task: StoredTask,
    request: GatewayRequest,
  ): Promise<HandlerResponse | undefined> {
    const { headers, id: requestId, signal, rawQuery: query } = request;
    const last = request.query.last_event_id;
    if (!isUpstreamTask(task) || task.format !== 'interactions' || isOwnEvent(task.id, last))
      return undefined;
    const events = await remote.streamEvents(
      task,
      { headers, requestId, signal, query },
      gatewayAddress(request),
    );
    if (!events || (events.status >= 300 && last === undefined)) return undefined;
    return { relayed: events };
  }

  return [
    {
      route: readInteraction,
      async handle(request) {
        const shown = await freshTask(service, request);
        if (request.query.stream !== 'true') return unstreamedReply(shown, request);
        return (await upstreamEvents(shown.task, request)) ?? streamedReply(shown.task, request);
      },
    },
    {
      route: cancelInteraction,
      handle: async (request) => unstreamedReply(await cancelServedTask(service, request), request),
    },
    {
      route: deleteInteraction,
      async handle(request) {
        await removeTask(service, request);
        return { json: {} };
      },
    },
  ];
}

function modelOf(body: RequestBody): string {
  if (body.readField('model') === undefined && body.readField('agent') !== undefined)
    throw invalidRequestError(
      'agent: this local gateway has no agents; send model instead.',
      'unsupported_value',
      'agent',
    );
  return normalizeModelId(readModelField(body));
}

/** How often a task that a caller waits for is read, in milliseconds: another request may cancel it. */
const checkIntervalMs = 250;

/**
 * Makes a video. The reply to a background request is a running interaction, whose ID is the task's. The reply to
 * any other request is the finished interaction with its video. Unless `store` is false, the latter becomes a task
 * as well, so that the video is not lost if the caller leaves.
 */
function makeVideoInteraction(
  service: TaskRouteServices,
  { model, target, body: { bytes } }: Pick<TextRouteCall, 'model' | 'target' | 'body'>,
  request: GatewayRequest,
): Promise<HandlerResponse> {
  service.catalogue.requireVideo(target, model);
  const body = readBody(bytes, interactionsRequest);
  refuseMixtures(body);
  const isStored = body.store !== false;
  const videoCall = { model, target, request: { format: 'interactions', body }, isStored } as const;
  return makeVideo(service, videoCall, request, async ({ task, video }) => {
    const current = () => (isStored ? service.tasks.open().get(task.id) : undefined) ?? task;
    const options = { video, address: gatewayAddress(request) };
    // The reply for an ended task has its whole interaction, because clients do not read a finished one again.
    if (body.background) return interactionWith(current(), options);
    const ended = await untilEnded(current, abortSignalOf(request.signal));
    if (isStored) return interactionWith(ended, options);
    const { id: _, ...interaction } = await interactionWith(ended, { video });
    return interaction;
  });
}

/** Makes a video of an upstream that uses another format, always as a task. */
function makeConvertedInteraction(
  service: TaskRouteServices,
  { model, target, body: { bytes } }: Pick<TextRouteCall, 'model' | 'target' | 'body'>,
  request: GatewayRequest,
): Promise<HandlerResponse> | undefined {
  const body = readBody(bytes, interactionsRequest);
  refuseMixtures(body);
  const videoCall = { format: 'interactions', model, target } as const;
  return makeConvertedVideo(service, videoCall, request, async (task) => {
    const options = { video: undefined, address: gatewayAddress(request) };
    if (body.background) return interactionWith(task, options);
    const stored = { params: { task_id: task.id }, access: request.access };
    const current = async () => (await freshTask(service, stored)).task;
    return interactionWith(await untilEnded(current, abortSignalOf(request.signal)), options);
  });
}

function refuseMixtures(body: InteractionsRequest): void {
  if ([body.response_format ?? []].flat().some(({ type }) => type !== 'video'))
    throw unsupported(
      'response_format',
      'a video cannot be combined with other output; request only a video',
    );
  if (body.stream) throw unsupported('stream', 'a video cannot be streamed; leave it out, or set background');
  if (body.background && body.store === false)
    throw unsupported('store', 'background interactions must be stored; leave store out');
}

function unsupported(field: string, problem: string): HttpError {
  return invalidRequestError(`${field}: ${problem}.`, 'unsupported_value', field);
}

/**
 * Reads a task until it has ended.
 *
 * @throws the signal's reason if it is aborted
 */
async function untilEnded(
  current: () => StoredTask | Promise<StoredTask>,
  signal: AbortSignal,
): Promise<StoredTask> {
  for (;;) {
    const task = await current();
    const now = Date.now();
    const { status, finishedAt } = readTaskState(task, now);
    if (finishedAt !== undefined || status === 'unknown') return task;
    const left = isUpstreamTask(task) || task.endsAt === null ? checkIntervalMs : task.endsAt - now;
    await wait(Math.min(left, checkIntervalMs), undefined, { signal });
  }
}
