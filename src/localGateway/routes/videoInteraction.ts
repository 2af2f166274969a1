import { setTimeout as wait } from 'node:timers/promises';
import { abortSignalOf } from '../../base/cancellation.ts';
import { type InteractionsRequest, interactionsRequest } from '../../wire/apis/interactions/request.ts';
import { type HttpError, invalidRequest } from '../httpError.ts';
import { readBody } from '../readBody.ts';
import type { Answer, GatewayRequest } from '../server/handler.ts';
import { interactionOf } from '../tasks/interactionRecord.ts';
import { isRemote, type StoredTask, stateOf } from '../tasks/taskState.ts';
import { makeVideo, type VideoService } from './makeVideo.ts';
import { addressOf } from './taskForm.ts';
import type { TextCall } from './textRoute.ts';

/** How often a task that a caller waits for is read, in milliseconds: another call may cancel it. */
const checkIntervalMs = 250;

/** @param format the value of response_format, unchecked */
export function asksForVideo(format: unknown): boolean {
  return [format]
    .flat()
    .some((each) => typeof each === 'object' && each !== null && 'type' in each && each.type === 'video');
}

/**
 * Makes a video. A request in the background gets a running interaction at once, whose id is the task's. Any
 * other request gets the finished one with its video. Unless `store` is false, the latter becomes a task as
 * well, so that the video is not lost when the caller goes.
 */
export function makeVideoInteraction(
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
export async function untilEnded(
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
