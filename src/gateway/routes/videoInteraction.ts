import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Interaction, InteractionContent, InteractionsRequest } from '../../wire/shapes/interactions.ts';
import { type HttpError, invalidRequest } from '../httpError.ts';
import { resultPath } from '../taskRecord.ts';
import { type StoredTask, stateOf, type TaskStatus } from '../taskState.ts';
import type { VideoUpstream } from '../upstreams/upstream.ts';
import { makeVideo, type VideoService } from './makeVideo.ts';
import type { TextRoute } from './textRoute.ts';

/** How often a task is looked at that somebody waits for, in milliseconds: it may be cancelled meanwhile. */
const lookEveryMs = 250;

export function asksForVideo(body: InteractionsRequest): boolean {
  return formatsOf(body).some(({ type }) => type === 'video');
}

/**
 * Makes a video: in the background it is answered at once with an interaction that is under way, whose id is
 * the task's; otherwise when it is done, with the video in it. Unless `store` is false, the latter is kept as
 * a task as well, so that it is not lost when the caller goes.
 */
export function makeVideoInteraction(
  service: VideoService,
  model: string,
  body: InteractionsRequest,
  request: FastifyRequest<TextRoute>,
  reply: FastifyReply<TextRoute>,
) {
  refuseMixtures(body);
  const isKept = body.store !== false;
  const asked = { model, request: { shape: 'interactions', body }, isKept } as const;
  return makeVideo(service, asked, request, reply, async (made) => {
    const look = () => (isKept ? service.tasks.open().get(made.task.id) : undefined) ?? made.task;
    if (body.background) return interactionOf(look(), isKept);
    const task = await finished(look, made.signal);
    const linked = isKept && formatsOf(body).some(({ delivery }) => delivery === 'uri');
    const contents = await contentsOf(
      task,
      made.video,
      linked ? `http://${request.headers.host}` : undefined,
    );
    return { ...interactionOf(task, isKept), ...contents };
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

async function finished(look: () => StoredTask, signal: AbortSignal): Promise<StoredTask> {
  for (;;) {
    const task = look();
    const now = Date.now();
    if (stateOf(task, now).finishedAt !== undefined) return task;
    const left = task.endsAt === null ? lookEveryMs : task.endsAt - now;
    await wait(Math.min(left, lookEveryMs), undefined, { signal });
  }
}

const words: Record<TaskStatus, Interaction['status']> = {
  queued: 'queued',
  running: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** @param isKept what is not kept is given no id */
function interactionOf(task: StoredTask, isKept: boolean): Interaction {
  const { status, startedAt, finishedAt } = stateOf(task, Date.now());
  return {
    ...(isKept && { id: task.id }),
    object: 'interaction',
    status: words[status],
    created: new Date(task.createdAt).toISOString(),
    updated: new Date(finishedAt ?? startedAt ?? task.createdAt).toISOString(),
    model: task.model,
  };
}

/**
 * What an interaction holds besides, once its task has ended.
 *
 * @param address where results are linked to, instead of being sent along
 */
async function contentsOf(task: StoredTask, video: VideoUpstream, address: string | undefined) {
  const { status } = stateOf(task, Date.now());
  const { failure, results } = task.plan;
  if (status === 'failed' && failure)
    return { errors: [{ code: failure.code, message: failure.message }], steps: [] };
  if (status !== 'completed') return { steps: [] };
  const content = await Promise.all(
    results.map(async (result, index): Promise<InteractionContent> => {
      const place =
        address === undefined
          ? { data: (await video.read(result)).toString('base64') }
          : { uri: address + resultPath(task.id, index) };
      return { type: 'video', mime_type: result.mimeType, ...place };
    }),
  );
  return { steps: content.length > 0 ? [{ type: 'model_output', content }] : [] };
}
