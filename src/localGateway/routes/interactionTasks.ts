import { abortSignalOf } from '../../base/cancellation.ts';
import type { Interaction } from '../../wire/apis/interactions/request.ts';
import { providerRoutes } from '../providerRoutes.ts';
import type { Answer, GatewayRequest, ServedRoute } from '../server/handler.ts';
import { eventStream } from '../serverSentEvent.ts';
import { interactionEvents, isOwnEvent } from '../tasks/interactionEvents.ts';
import { type InteractionOptions, interactionHead, interactionOf } from '../tasks/interactionRecord.ts';
import { isRemote, type StoredTask } from '../tasks/taskState.ts';
import type { VideoService } from './makeVideo.ts';
import { addressOf, hasOwnRecord, ownForm } from './taskForm.ts';
import { cancelTask, findTask, freshTask, removeTask } from './tasks.ts';
import { untilEnded } from './videoInteraction.ts';

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
