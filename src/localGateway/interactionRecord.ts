import type { Interaction, InteractionContent, InteractionStep } from '../wire/apis/interactions/request.ts';
import { resultPath } from './taskRecord.ts';
import { type StoredTask, stateOf, type TaskStatus } from './taskState.ts';
import type { VideoUpstream } from './upstreams/upstream.ts';

/** Strict client libraries know of no word for what has not begun. */
const words: Record<TaskStatus, Interaction['status']> = {
  queued: 'in_progress',
  running: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};

export interface InteractionTelling {
  /** Whoever made the results; where it is not served now, they are told by address. */
  readonly video: VideoUpstream | undefined;
  /** The gateway's address, as the caller knows it; absent where results cannot be fetched there later. */
  readonly address?: string;
  /** Whether results that are not kept any more are left out. */
  readonly omitsExpired?: boolean;
  /** Whether what was asked for is told as a step, too. */
  readonly echoesInput?: boolean;
}

/** What an interaction says of a task, but for what it made. */
export function interactionHead(task: StoredTask): Interaction {
  const { status, startedAt, finishedAt } = stateOf(task, Date.now());
  return {
    id: task.id,
    object: 'interaction',
    status: words[status],
    created: new Date(task.createdAt).toISOString(),
    updated: new Date(finishedAt ?? startedAt ?? task.createdAt).toISOString(),
    model: task.model,
  };
}

/** A task as an interaction: with its video once it has ended, or with the reason why there is none. */
export async function interactionOf(task: StoredTask, telling: InteractionTelling): Promise<Interaction> {
  const { status, finishedAt } = stateOf(task, Date.now());
  const { failure, prompt } = task.plan;
  const asked: InteractionStep = { type: 'user_input', content: [{ type: 'text', text: prompt }] };
  const input = telling.echoesInput ? [asked] : [];
  const head = interactionHead(task);
  if (finishedAt === undefined) return input.length > 0 ? { ...head, steps: input } : head;
  const content = status === 'completed' ? await contentsOf(task, telling) : [];
  return {
    ...head,
    ...(status === 'failed' && failure && { errors: [{ code: failure.code, message: failure.message }] }),
    steps: [...input, ...(content.length > 0 ? [{ type: 'model_output', content }] : [])],
  };
}

async function contentsOf(
  task: StoredTask,
  { video, address, omitsExpired }: InteractionTelling,
): Promise<InteractionContent[]> {
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
