import type { TaskStatus } from './taskIdentity.ts';
import { isRemote, type StoredTask, stateOf } from './taskState.ts';
import { addressed, viewOf } from './taskView.ts';

/** A task in the format of native video synthesis. */
export interface SynthesisOutput {
  readonly task_id: string;
  readonly task_status: string;
  /** Local time of the provider, without a zone. */
  readonly submit_time?: string;
  readonly scheduled_time?: string;
  readonly end_time?: string;
  readonly orig_prompt?: string;
  readonly video_url?: string;
  /** All results, when there are several. */
  readonly results?: readonly { readonly url: string }[];
  readonly code?: string;
  readonly message?: string;
}

const statusWords: Record<TaskStatus, string> = {
  queued: 'PENDING',
  running: 'RUNNING',
  completed: 'SUCCEEDED',
  failed: 'FAILED',
  cancelled: 'CANCELED',
  unknown: 'UNKNOWN',
};

/** The status in the spelling of native video synthesis, such as `SUCCEEDED`. */
export function synthesisStatus(task: StoredTask): string {
  return statusWords[stateOf(task, Date.now()).status];
}

/** @param address the gateway's address as the caller knows it */
export function synthesisOutput(task: StoredTask, address: string): SynthesisOutput {
  const { prompt, startedAt, finishedAt, failure, results } = viewOf(task, Date.now());
  const urls = results
    .filter(({ expiresAt = Number.POSITIVE_INFINITY }) => Date.now() < expiresAt)
    .map(({ url }) => addressed(url, address));
  const [video_url] = urls;
  return {
    task_id: task.id,
    task_status: synthesisStatus(task),
    submit_time: providerTime(task.createdAt),
    ...(startedAt !== undefined && { scheduled_time: providerTime(startedAt) }),
    ...(finishedAt !== undefined && { end_time: providerTime(finishedAt) }),
    orig_prompt: prompt,
    ...(video_url !== undefined && { video_url }),
    ...(urls.length > 1 && { results: urls.map((url) => ({ url })) }),
    ...(failure && { code: failure.code, message: failure.message }),
  };
}

/** What was made, for billing; only for a completed task. */
export function synthesisUsage(task: StoredTask) {
  if (isRemote(task)) return undefined;
  const { results } = task.plan;
  const [first] = results;
  if (stateOf(task, Date.now()).status !== 'completed' || !first) return undefined;
  return { duration: first.seconds, video_count: results.length, size: `${first.width}*${first.height}` };
}

const zoneMs = 8 * 60 * 60 * 1000;

/** The provider writes the time of China, without saying so. */
function providerTime(milliseconds: number): string {
  return new Date(milliseconds + zoneMs).toISOString().replace('T', ' ').replace('Z', '');
}
