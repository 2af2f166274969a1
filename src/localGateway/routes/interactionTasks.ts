import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorEvent } from '../errorFormat.ts';
import { shuttingDown } from '../httpError.ts';
import { interactionEvents } from '../interactionEvents.ts';
import { type InteractionOptions, interactionHead, interactionOf } from '../interactionRecord.ts';
import { providerRoutes } from '../providerRoutes.ts';
import type { Query } from '../query.ts';
import { spellingsOf } from '../servedRoutes.ts';
import { relay } from '../server/relay.ts';
import { routerPath } from '../server/routePath.ts';
import { eventStream } from '../serverSentEvent.ts';
import type { StoredTask } from '../taskState.ts';
import type { VideoService } from './makeVideo.ts';
import { cancelled, findTask, removeTask, type TaskRoute } from './tasks.ts';
import { addressOf, untilEnded } from './videoInteraction.ts';
import { whileConnected } from './whileConnected.ts';

interface InteractionRoute extends TaskRoute {
  Querystring: Query;
}

/** Serves all tasks as interactions, whichever route made them. */
export function serveInteractionTasks(app: FastifyInstance, service: VideoService): void {
  const { catalogue, tasks, closing } = service;
  const { readInteraction, cancelInteraction, deleteInteraction } = providerRoutes;
  const config = { group: readInteraction.group };

  function optionsOf(task: StoredTask, request: FastifyRequest<InteractionRoute>): InteractionOptions {
    return {
      video: catalogue.videoOf(task.upstream),
      address: addressOf(request),
      omitsExpired: true,
      echoesInput: request.query.include_input === 'true',
    };
  }

  async function read(request: FastifyRequest<InteractionRoute>, reply: FastifyReply<InteractionRoute>) {
    const task = findTask(tasks.open(), request.params.task_id);
    if (request.query.stream !== 'true') return interactionOf(task, optionsOf(task, request));
    return whileConnected(reply, closing, async (signal) => {
      const done = untilEnded(() => findTask(tasks.open(), task.id), signal).then((ended) =>
        interactionOf(ended, optionsOf(ended, request)),
      );
      reply.hijack();
      const body = interactionEvents(interactionHead(task), done, request.query.last_event_id);
      const finalEvent = errorEvent(shuttingDown(), config.group, request.id);
      await relay({ status: 200, headers: { 'content-type': eventStream }, body }, reply.raw, {
        signal,
        closing,
        finalEvent,
      });
      return reply;
    });
  }

  for (const { path } of spellingsOf(readInteraction)) {
    app.get<InteractionRoute>(routerPath(path), { config }, read);
  }
  for (const { path } of spellingsOf(cancelInteraction)) {
    app.post<InteractionRoute>(routerPath(path), { config }, async (request) => {
      const { task } = cancelled(tasks.open(), request.params.task_id);
      return interactionOf(task, optionsOf(task, request));
    });
  }
  for (const { path } of spellingsOf(deleteInteraction)) {
    app.delete<TaskRoute>(routerPath(path), { config }, async ({ params }) => {
      removeTask(tasks.open(), params.task_id);
      return {};
    });
  }
}
