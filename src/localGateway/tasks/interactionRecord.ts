import type {
  Interaction,
  InteractionContent,
  InteractionStep,
} from '../../wire/apis/interactions/request.ts';
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
