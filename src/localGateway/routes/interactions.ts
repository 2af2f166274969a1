import { setTimeout as wait } from 'node:timers/promises';
import { abortSignalOf } from '../../base/cancellation.ts';
import {
  type Interaction,
  type InteractionsRequest,
  interactionsRequest,
} from '../../wire/apis/interactions/request.ts';
import { eventStream } from '../../wire/stream/sse.ts';
import { type HttpError, invalidRequest } from '../http/httpError.ts';
import { readBody } from '../http/readBody.ts';
import { modelField, modelId, type RequestBody } from '../http/requestBody.ts';
import type { Answer, GatewayRequest, ServedRoute } from '../server/handler.ts';
import { providerRoutes } from '../server/providerRoutes.ts';
import {
  type InteractionOptions,
  interactionEvents,
  interactionHead,
  interactionOf,
  isOwnEvent,
} from '../tasks/interactionRecord.ts';
import { isRemote, type StoredTask, stateOf } from '../tasks/taskState.ts';
import { goingOn } from './earlierTask.ts';
import { makeTask } from './makeTask.ts';
import { makeVideo, type VideoService } from './makeVideo.ts';
import { addressOf, hasOwnRecord, ownForm } from './taskForm.ts';
import { cancelTask, findTask, freshTask, removeTask } from './tasks.ts';
import type { RouteExtras, TextCall } from './textRoute.ts';

/** Interactions are asked for videos as well, and for work in the background. Both are tasks. */
export function interactionExtras(service: VideoService): RouteExtras {
  return {
    modelOf,
    isBound: (body) =>
      body.field('background') === true ||
      (body.field('previous_interaction_id') ?? undefined) !== undefined ||
      asksForVideo(body.field('response_format')),
    bodyFor({ place, body }, request) {
      const { name: upstream } = place.upstream;
      return goingOn(service, { format: 'interactions', body, upstream }, request).body;
    },
    answer({ model, place, body }, request) {
      const { upstream } = place;
      const asksVideo = asksForVideo(body.field('response_format'));
      if (upstream.video && asksVideo) return makeVideoInteraction(service, { model, place, body }, request);
      if (body.field('background') === true && upstream.tasks.interactions)
        return makeTask(service, { format: 'interactions', model, place, body }, request);
      // Refused where the upstream has no such route at all; otherwise it answers with the video.
      if (asksVideo && !upstream.formatsOf(place.model).includes('interactions'))
        service.catalogue.requireVideo(place, model);
      return undefined;
    },
  };
}

interface Shown {
  readonly task: StoredTask;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Serves all tasks as interactions, whichever route made them. */
export function interactionTaskRoutes(service: VideoService): readonly ServedRoute[] {
  const { catalogue, tasks, remote } = service;
  const { readInteraction, cancelInteraction, deleteInteraction } = providerRoutes;

  function optionsOf(task: StoredTask, request: GatewayRequest): InteractionOptions {
    return {
      video: catalogue.videoOf(task.upstream),
      address: addressOf(request),
      omitsExpired: true,
      echoesInput: request.query.include_input === 'true',
    };
  }

  async function interaction(task: StoredTask, request: GatewayRequest): Promise<Interaction> {
    if (hasOwnRecord(task, 'interactions')) return (await ownForm(service, task, request)) as Interaction;
    return interactionOf(task, optionsOf(task, request));
  }

  async function whole({ task, headers }: Shown, request: GatewayRequest): Promise<Answer> {
    return { json: await interaction(task, request), ...(headers && { headers }) };
  }

  function streamed(task: StoredTask, request: GatewayRequest): Answer {
    const current = async () => (await remote.fresh(findTask(tasks.open(), request))).task;
    const done = untilEnded(current, abortSignalOf(request.signal)).then((ended) =>
      interaction(ended, request),
    );
    const body = interactionEvents(interactionHead(task), done, request.query.last_event_id);
    return { relayed: { status: 200, headers: { 'content-type': eventStream }, body } };
  }

  /** The upstream's own events; undefined where it tells none, or when the caller got those of this gateway. */
  async function upstreamStream(task: StoredTask, request: GatewayRequest): Promise<Answer | undefined> {
    const { headers, id: requestId, signal, rawQuery: query } = request;
    const last = request.query.last_event_id;
    if (!isRemote(task) || task.format !== 'interactions' || isOwnEvent(task.id, last)) return undefined;
    const events = await remote.events(task, { headers, requestId, signal, query }, addressOf(request));
    if (!events || (events.status >= 300 && last === undefined)) return undefined;
    return { relayed: events };
  }

  return [
    {
      route: readInteraction,
      async answer(request) {
        const shown = await freshTask(service, request);
        if (request.query.stream !== 'true') return whole(shown, request);
        return (await upstreamStream(shown.task, request)) ?? streamed(shown.task, request);
      },
    },
    {
      route: cancelInteraction,
      answer: async (request) => whole(await cancelTask(service, request), request),
    },
    {
      route: deleteInteraction,
      async answer(request) {
        await removeTask(service, request);
        return { json: {} };
      },
    },
  ];
}

function modelOf(body: RequestBody): string {
  if (body.field('model') === undefined && body.field('agent') !== undefined)
    throw invalidRequest('agent: there are no agents here; name a model.', 'unsupported_value', 'agent');
  return modelId(modelField(body));
}

/** How often a task that a caller waits for is read, in milliseconds: another call may cancel it. */
const checkIntervalMs = 250;

/** @param format the value of response_format, unchecked */
function asksForVideo(format: unknown): boolean {
  return [format]
    .flat()
    .some((each) => typeof each === 'object' && each !== null && 'type' in each && each.type === 'video');
}

/**
 * Makes a video. A request in the background gets a running interaction at once, whose id is the task's. Any
 * other request gets the finished one with its video. Unless `store` is false, the latter becomes a task as
 * well, so that the video is not lost when the caller goes.
 */
function makeVideoInteraction(
  service: VideoService,
  { model, place, body: { bytes } }: Pick<TextCall, 'model' | 'place' | 'body'>,
  request: GatewayRequest,
): Promise<Answer> {
  service.catalogue.requireVideo(place, model);
  const body = readBody(bytes, interactionsRequest);
  refuseMixtures(body);
  const isKept = body.store !== false;
  const asked = { model, place, request: { format: 'interactions', body }, isKept } as const;
  return makeVideo(service, asked, request, async ({ task, video }) => {
    const current = () => (isKept ? service.tasks.open().get(task.id) : undefined) ?? task;
    const kept = { video, address: addressOf(request) };
    // A task that has ended by now gets its whole interaction, since clients read no finished one again.
    if (body.background) return interactionOf(current(), kept);
    const ended = await untilEnded(current, abortSignalOf(request.signal));
    if (isKept) return interactionOf(ended, kept);
    const { id: _, ...interaction } = await interactionOf(ended, { video });
    return interaction;
  });
}

function refuseMixtures(body: InteractionsRequest): void {
  if (formatsOf(body).some(({ type }) => type !== 'video'))
    throw unsupported('response_format', 'a video comes alone; ask for nothing else beside it');
  if (body.stream) throw unsupported('stream', 'a video is not streamed; leave it out, or set background');
  if (body.background && body.store === false)
    throw unsupported('store', 'what is made in the background has to be kept; leave store out');
}

function unsupported(field: string, problem: string): HttpError {
  return invalidRequest(`${field}: ${problem}.`, 'unsupported_value', field);
}

function formatsOf({ response_format: format }: InteractionsRequest) {
  return [format ?? []].flat();
}

/**
 * Reads a task until it has ended.
 *
 * @throws the signal's reason when it is aborted
 */
async function untilEnded(
  current: () => StoredTask | Promise<StoredTask>,
  signal: AbortSignal,
): Promise<StoredTask> {
  for (;;) {
    const task = await current();
    const now = Date.now();
    const { status, finishedAt } = stateOf(task, now);
    if (finishedAt !== undefined || status === 'unknown') return task;
    const left = isRemote(task) || task.endsAt === null ? checkIntervalMs : task.endsAt - now;
    await wait(Math.min(left, checkIntervalMs), undefined, { signal });
  }
}
