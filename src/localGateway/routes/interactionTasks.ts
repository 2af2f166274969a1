import { providerRoutes } from '../providerRoutes.ts';
import type { Answer, GatewayRequest, ServedRoute } from '../server/handler.ts';
import { eventStream } from '../serverSentEvent.ts';
import { interactionEvents } from '../tasks/interactionEvents.ts';
import { type InteractionOptions, interactionHead, interactionOf } from '../tasks/interactionRecord.ts';
import type { StoredTask } from '../tasks/taskState.ts';
import type { VideoService } from './makeVideo.ts';
import { cancelled, findTask, removeTask, taskId } from './tasks.ts';
import { addressOf, untilEnded } from './videoInteraction.ts';

/** Serves all tasks as interactions, whichever route made them. */
export function interactionTaskRoutes({ catalogue, tasks }: VideoService): readonly ServedRoute[] {
  const { readInteraction, cancelInteraction, deleteInteraction } = providerRoutes;

  function optionsOf(task: StoredTask, request: GatewayRequest): InteractionOptions {
    return {
      video: catalogue.videoOf(task.upstream),
      address: addressOf(request),
      omitsExpired: true,
      echoesInput: request.query.include_input === 'true',
    };
  }

  async function whole(task: StoredTask, request: GatewayRequest): Promise<Answer> {
    return { json: await interactionOf(task, optionsOf(task, request)) };
  }

  function streamed(task: StoredTask, request: GatewayRequest): Answer {
    const done = untilEnded(() => findTask(tasks.open(), task.id), request.signal).then((ended) =>
      interactionOf(ended, optionsOf(ended, request)),
    );
    const body = interactionEvents(interactionHead(task), done, request.query.last_event_id);
    return { relayed: { status: 200, headers: { 'content-type': eventStream }, body } };
  }

  return [
    {
      route: readInteraction,
      answer(request) {
        const task = findTask(tasks.open(), taskId(request));
        return request.query.stream === 'true' ? streamed(task, request) : whole(task, request);
      },
    },
    {
      route: cancelInteraction,
      answer: (request) => whole(cancelled(tasks.open(), taskId(request)).task, request),
    },
    {
      route: deleteInteraction,
      answer(request) {
        removeTask(tasks.open(), taskId(request));
        return { json: {} };
      },
    },
  ];
}
