import type {
  Interaction,
  InteractionContent,
  InteractionEvent,
  InteractionStep,
} from '../../wire/apis/interactions/request.ts';
import { serverSentEvent } from '../../wire/stream/sse.ts';
import type { VideoUpstream } from '../upstreams/upstream.ts';
import type { TaskStatus } from './taskIdentity.ts';
import { isRemote, type StoredTask, stateOf } from './taskState.ts';
import { addressed, resultPath, viewOf } from './taskView.ts';

/** Client libraries know no status for a task that has not begun. */
const statusWords: Record<TaskStatus, Interaction['status']> = {
  queued: 'in_progress',
  running: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  unknown: 'failed',
};

export interface InteractionOptions {
  /** The upstream that made the results; when it is not served now, results have addresses only. */
  readonly video: VideoUpstream | undefined;
  /** The gateway's address as the caller knows it; absent when results cannot be fetched there later. */
  readonly address?: string;
  /** Whether to leave out expired results. */
  readonly omitsExpired?: boolean;
  /** Whether to include the request as a step. */
  readonly echoesInput?: boolean;
}

/** An interaction for a task, without what it made. */
export function interactionHead(task: StoredTask): Interaction {
  const { status, startedAt, finishedAt } = stateOf(task, Date.now());
  return {
    id: task.id,
    object: 'interaction',
    status: statusWords[status],
    created: new Date(task.createdAt).toISOString(),
    updated: new Date(finishedAt ?? startedAt ?? task.createdAt).toISOString(),
    model: task.model,
  };
}

/** A task as an interaction: with its video when it has completed, or with the reason of its failure. */
export async function interactionOf(task: StoredTask, options: InteractionOptions): Promise<Interaction> {
  const { status, finishedAt, failure, prompt } = viewOf(task, Date.now());
  const asked: InteractionStep = { type: 'user_input', content: [{ type: 'text', text: prompt }] };
  const input = options.echoesInput ? [asked] : [];
  const head = interactionHead(task);
  if (finishedAt === undefined && status !== 'unknown')
    return input.length > 0 ? { ...head, steps: input } : head;
  const content = status === 'completed' ? await contentsOf(task, options) : [];
  return {
    ...head,
    ...(failure && { errors: [{ code: failure.code, message: failure.message }] }),
    steps: [...input, ...(content.length > 0 ? [{ type: 'model_output', content }] : [])],
  };
}

/**
 * The events of an interaction in the background: its start at once, its steps and its end when it is done.
 * They are the same each time, so that a caller can continue after the last one.
 *
 * @param after the id of the last event that the caller has
 * @throws the signal's reason when it is aborted
 */
export async function* interactionEvents(
  begun: Interaction,
  done: Promise<Interaction>,
  after: unknown,
): AsyncGenerator<string> {
  // A caller that leaves early does not wait for it.
  done.catch(() => {});
  const seen = placeOf(begun.id, after) ?? 0;
  let count = 0;
  const event = (data: InteractionEvent) => {
    count += 1;
    return count > seen
      ? serverSentEvent({ event_id: `${begun.id}-${count}`, ...data }, data.event_type)
      : '';
  };
  yield event({ event_type: 'interaction.created', interaction: { ...begun, status: 'in_progress' } });
  const { steps = [], ...interaction } = await done;
  for (const [index, { type, content = [] }] of steps.entries()) {
    yield event({ event_type: 'step.start', index, step: { type } });
    for (const delta of content) yield event({ event_type: 'step.delta', index, delta });
    yield event({ event_type: 'step.stop', index });
  }
  yield event({ event_type: 'interaction.completed', interaction });
  yield 'data: [DONE]\n\n';
}

async function contentsOf(
  task: StoredTask,
  { video, address, omitsExpired }: InteractionOptions,
): Promise<InteractionContent[]> {
  if (isRemote(task)) {
    return viewOf(task, Date.now()).results.map(({ url, mimeType = 'video/mp4' }) => ({
      type: 'video',
      mime_type: mimeType,
      uri: addressed(url, address ?? ''),
    }));
  }
  const { results, linked } = task.plan;
  const { expiresAt = 0 } = stateOf(task, Date.now());
  if (omitsExpired && Date.now() >= expiresAt) return [];
  return Promise.all(
    results.map(async (result, index): Promise<InteractionContent> => {
      const place =
        video && (!linked || address === undefined)
          ? { data: (await video.read(result)).toString('base64') }
          : { uri: (address ?? '') + resultPath(task.id, index) };
      return { type: 'video', mime_type: result.mimeType, ...place };
    }),
  );
}

/** Whether an event id is one of these events. */
export function isOwnEvent(id: string, eventId: unknown): boolean {
  return placeOf(id, eventId) !== undefined;
}

/** The place of one of these events, from 1. */
function placeOf(id: string | undefined, eventId: unknown): number | undefined {
  const place = new RegExp(`^${id}-(\\d{1,6})$`).exec(String(eventId))?.[1];
  return place === undefined ? undefined : Number(place);
}
