import type { Interaction } from '../../wire/apis/interactions/request.ts';
import { providerRoutes } from '../providerRoutes.ts';
import type { Answer, GatewayRequest, ServedRoute } from '../server/handler.ts';
import { eventStream } from '../serverSentEvent.ts';
import { interactionEvents } from '../tasks/interactionEvents.ts';
import { type InteractionOptions, interactionHead, interactionOf } from '../tasks/interactionRecord.ts';
import type { StoredTask } from '../tasks/taskState.ts';
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
    const done = untilEnded(current, request.signal).then((ended) => interaction(ended, request));
    const body = interactionEvents(interactionHead(task), done, request.query.last_event_id);
    return { relayed: { status: 200, headers: { 'content-type': eventStream }, body } };
  }

  return [
    {
      route: readInteraction,
      async answer(request) {
        const shown = await freshTask(service, request);
        return request.query.stream === 'true' ? streamed(shown.task, request) : whole(shown, request);
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
