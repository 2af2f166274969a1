import type { TaskSnapshot } from '../../wire/apis/taskRecord/snapshot.ts';
import type { VideoRouteId } from '../../wire/apis/videoRoutes.ts';
import type { Explanation } from '../../wire/explanations/explanation.ts';
import type { FailureReason } from '../../wire/failure.ts';

/**
 * The status of a task. Up to `refused` it is what we know about the request; from `running` on it is the
 * gateway's last status.
 */
export type TaskStatus =
  /** Stored, and not sent. */
  | 'intent'
  /** The request may have been sent. */
  | 'submitting'
  /** It was sent, and its outcome is unknown: it may be billed. It is never sent again automatically. */
  | 'unknown'
  /** The gateway or the network refused it: nothing was made. */
  | 'refused'
  | 'running'
  | 'completed'
  | 'failed'
  /** The gateway does not know it any more, and it had not ended before. */
  | 'missing';

/** Whether a running task is polled. */
export type Watching = 'on' | 'timed-out' | 'stopped';

/** The stored form of a failure, without credentials. */
export interface Problem {
  /** In English, or in the gateway's own words where there are no others. */
  readonly message: string;
  /** The failure in no language yet; absent where only the gateway told of it, and in rows of earlier versions. */
  readonly explanation?: Explanation;
  /** The gateway's own words, where `message` and `explanation` are ours. */
  readonly gatewayMessage?: string;
  /** The kind of the failure, or the code in the task's record. */
  readonly code?: string;
  /** The reason within the kind, and the field that the gateway objects to. */
  readonly reason?: FailureReason;
  readonly field?: string;
  readonly status?: number;
  readonly requestId?: string;
  /** The gateway's own X-Request-Id of the reply. */
  readonly gatewayRequestId?: string;
}

/** One result of a task. */
export interface KeptResult {
  /** Position among the task's results, from 0. */
  readonly index: number;
  /** `link`: cannot be downloaded here, such as gs:// addresses. */
  readonly state: 'waiting' | 'fetching' | 'saved' | 'failed' | 'link';
  /** The whole address, which may be a secret; `inline` once a result from the record is saved. */
  readonly url: string;
  readonly mimeType?: string;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
  /** Absolute path of the saved file. */
  readonly path?: string;
  readonly bytes?: number;
  /** Hexadecimal. */
  readonly sha256?: string;
  readonly problem?: Problem;
}

/** What lists show of a task. Times are in milliseconds since 1970. */
export interface Task {
  /** Our own permanent name for it; also sent as Idempotency-Key. */
  readonly key: string;
  /** The gateway's id as `gatewayId` makes it, or `demo` for the local gateway, whose address changes. */
  readonly gateway: string;
  /** What the user called the gateway when the task was made. */
  readonly gatewayName: string;
  /** Absent on a task that was made elsewhere. */
  readonly route?: VideoRouteId;
  readonly model?: string;
  /** Empty when unknown. */
  readonly prompt: string;
  readonly status: TaskStatus;
  readonly failedAs?: 'cancelled' | 'needs-attention';
  readonly watching: Watching;
  /** The gateway's id of it. */
  readonly taskId?: string;
  /** X-Request-Id of the request that made it. */
  readonly requestId?: string;
  /** The gateway's own id of that request. */
  readonly gatewayRequestId?: string;
  /** The gateway's own word for its status. */
  readonly rawStatus?: string;
  /** Percent, 0 to 100. */
  readonly progress?: number;
  /** The most that the gateway told of it since it left the queue, in percent. */
  readonly mostProgress?: number;
  /** What its record itself holds, where that is no file; absent in rows of earlier versions. */
  readonly holds?: 'text';
  readonly problem?: Problem;
  readonly intendedAt: number;
  readonly submittedAt?: number;
  /** When the id came, or the task was adopted. */
  readonly acceptedAt?: number;
  /** Since when it is polled: from the start, or from the last resumption. */
  readonly watchedSince?: number;
  readonly endedAt?: number;
  /** When its results expire, by its record. */
  readonly expiresAt?: number;
  /** When it was deleted at the gateway from here. */
  readonly deletedAt?: number;
  readonly results: readonly KeptResult[];
}

/** A task that is about to be made. */
export interface TaskDraft {
  readonly key: string;
  readonly gateway: string;
  readonly gatewayName: string;
  readonly route: VideoRouteId;
  readonly model: string;
  readonly prompt: string;
  /** The body as it will be sent. */
  readonly request: object;
  /** The length of the requested video, where the request names it. */
  readonly seconds?: number;
  /** The cost by a price that was known before. */
  readonly cost?: Pick<TaskCost, 'amount' | 'currency'>;
}

/** What a task costs by a known price. */
export interface TaskCost {
  readonly amount: number;
  /** An ISO 4217 code, such as USD. */
  readonly currency: string;
  readonly source: 'user-price' | 'listed-price';
}

/** A status, with the time when the task first had it. */
export interface StatusChange {
  readonly at: number;
  readonly status: TaskStatus;
  readonly rawStatus?: string;
}

export interface FailedPoll {
  readonly at: number;
  readonly problem: Problem;
}

/** What else is stored about a task. */
export interface TaskHistory {
  /** The body that was sent; absent on a task that was made elsewhere. */
  readonly request?: object;
  readonly statusChanges: readonly StatusChange[];
  readonly failedPolls: readonly FailedPoll[];
  /** The last record as the gateway sent it, without long data. */
  readonly record?: unknown;
  /** The beginning of a reply that named no task, at most 4 KiB. */
  readonly unclearReply?: string;
}

/**
 * What reading a task after its deletion showed, or the record with which the gateway answered the deletion.
 */
export type DeleteOutcome = 'deleted' | 'kept' | 'unclear' | TaskSnapshot;

/** Whether a completed task made anything that is known: files, or a text. */
export function hasResult({ results, holds }: Pick<Task, 'results' | 'holds'>): boolean {
  return results.length > 0 || holds === 'text';
}

/** The groups in which tasks are shown. */
export type TaskGroup = 'running' | 'attention' | 'completed' | 'failed' | 'cancelled' | 'unwatched';

/**
 * The group of a task. What needs the user's decision or help needs attention.
 *
 * @param inFlight whether any window is sending its request right now
 */
export function groupOf(task: Task, inFlight: boolean): TaskGroup {
  switch (task.status) {
    case 'intent':
    case 'submitting':
      return inFlight ? 'running' : 'attention';
    case 'unknown':
      return 'attention';
    case 'running':
      return task.watching === 'on' ? 'running' : 'unwatched';
    case 'completed':
      return task.results.some(({ state }) => state === 'failed') ? 'attention' : 'completed';
    case 'failed':
      return groupOfFailed(task);
    case 'refused':
      return 'failed';
    case 'missing':
      return task.deletedAt === undefined ? 'failed' : 'cancelled';
  }
}

/** The group of a task that ended without completing. What was cancelled has not failed. */
export function groupOfFailed({ failedAs }: Pick<Task, 'failedAs'>): TaskGroup {
  return failedAs === 'needs-attention' ? 'attention' : (failedAs ?? 'failed');
}
