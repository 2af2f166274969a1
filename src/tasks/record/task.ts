import type { TaskSnapshot } from '../../wire/apis/taskRecord/snapshot.ts';
import type { VideoRouteId } from '../../wire/apis/videoRoutes.ts';
import type { Explanation } from '../../wire/explanations/explanation.ts';
import type { FailureReason } from '../../wire/failures/gatewayError.ts';

/**
 * The status of a task. Up to `refused` it is the state of the request; from `running` on it is the gateway's last
 * status.
 */
export type TaskStatus =
  /** Stored, but not sent. */
  | 'intent'
  /** The request may have been sent. */
  | 'submitting'
  /** The request was sent, but its outcome is unknown. It may be billed. It is never repeated automatically. */
  | 'unknown'
  /** The gateway or the network refused the request, so no task was created. */
  | 'refused'
  | 'running'
  | 'completed'
  | 'failed'
  /** The gateway no longer knows the task, which had not ended before. */
  | 'missing';

/** Whether a running task is polled. */
export type Watching = 'on' | 'timed-out' | 'stopped';

/** The stored form of a failure, without credentials. */
export interface Problem {
  /** The explanation in English, or the message of the error if there is no explanation. */
  readonly message: string;
  /**
   * The explanation in a form that can be translated; absent if there is only the gateway's message, or if this
   * version does not know the stored one.
   */
  readonly explanation?: Explanation;
  /** The gateway's own message, if `message` is the explanation. */
  readonly gatewayMessage?: string;
  /** The kind of the failure, or the code in the task's record. */
  readonly code?: string;
  /** The reason within the kind. `field` is the request field that the gateway rejected. */
  readonly reason?: FailureReason;
  readonly field?: string;
  readonly status?: number;
  readonly requestId?: string;
  /** The gateway's own X-Request-Id of the reply. */
  readonly gatewayRequestId?: string;
}

/** One result of a task. */
export interface LedgerResult {
  /** Position among the task's results, from 0. */
  readonly index: number;
  /** `link`: the extension cannot download it, such as a gs:// address. */
  readonly state: 'waiting' | 'downloading' | 'saved' | 'failed' | 'link';
  /** The whole address, which may be a secret; `inline` after a result from the record is saved. */
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

/** A task as the ledger lists it. Times are in milliseconds since 1970. */
export interface Task {
  /** The extension's permanent id of the task; also sent as Idempotency-Key. */
  readonly key: string;
  /** The gateway's id from `toGatewayId`, or `demo` for the local gateway, whose address changes. */
  readonly gateway: string;
  /** The user's name for the gateway when the task was created. */
  readonly gatewayName: string;
  /** Absent for a task that was created elsewhere. */
  readonly route?: VideoRouteId;
  readonly model?: string;
  /** Empty if unknown. */
  readonly prompt: string;
  readonly status: TaskStatus;
  readonly failedAs?: 'cancelled' | 'needs-attention';
  readonly watching: Watching;
  /** The gateway's id of the task. */
  readonly taskId?: string;
  /** X-Request-Id of the request that created the task. */
  readonly requestId?: string;
  /** The gateway's own id of that request. */
  readonly gatewayRequestId?: string;
  /** The status as the gateway spells it. */
  readonly rawStatus?: string;
  /** Percent, 0 to 100. */
  readonly progress?: number;
  /** The highest progress that the gateway reported since the task left the queue, in percent. */
  readonly maxPercent?: number;
  /** The kind of result that the record itself contains instead of a file. */
  readonly resultKind?: 'text';
  readonly problem?: Problem;
  readonly intendedAt: number;
  readonly submittedAt?: number;
  /** When the gateway returned the id, or the task was adopted. */
  readonly acceptedAt?: number;
  /** When polling started, or was last resumed. */
  readonly watchedSince?: number;
  readonly endedAt?: number;
  /** When its results expire, according to its record. */
  readonly expiresAt?: number;
  /** When the user deleted it at the gateway. */
  readonly deletedAt?: number;
  readonly results: readonly LedgerResult[];
}

/** A task as its gateway describes it, such as in its list. */
export type RemoteTask = TaskSnapshot & { readonly id: string };

/** A task before its creation. */
export interface TaskDraft {
  readonly key: string;
  readonly gateway: string;
  readonly gatewayName: string;
  readonly route: VideoRouteId;
  readonly model: string;
  readonly prompt: string;
  /** The body as it will be sent. */
  readonly request: object;
  /** The length of the requested video, if the request contains it. */
  readonly seconds?: number;
  /** The expected cost, from a known price. */
  readonly cost?: Pick<TaskCost, 'amount' | 'currency'>;
}

/** The cost of a task, from a known price. */
export interface TaskCost {
  readonly amount: number;
  /** An ISO 4217 code, such as USD. */
  readonly currency: string;
  readonly source: 'user-price' | 'listed-price';
}

/** A status and the time when the task first had it. */
export interface StatusChange {
  readonly at: number;
  readonly status: TaskStatus;
  readonly rawStatus?: string;
}

interface FailedPoll {
  readonly at: number;
  readonly problem: Problem;
}

/** Further stored data of a task. */
export interface TaskHistory {
  /** The body that was sent; absent for a task that was created elsewhere. */
  readonly request?: object;
  readonly statusChanges: readonly StatusChange[];
  readonly failedPolls: readonly FailedPoll[];
  /** The gateway's last record, without long data. */
  readonly record?: unknown;
  /** The beginning of a reply without a task id, at most 4 KiB. */
  readonly unclearReply?: string;
}

/** The result of reading a task after its deletion, or the record in the gateway's reply to the deletion. */
export type DeleteOutcome = 'deleted' | 'not-deleted' | 'unclear' | TaskSnapshot;

/**
 * Returns the ledger's id of a gateway: its normalized base URL. Two tenants under one origin are two gateways.
 */
export function toGatewayId(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  const path = pathname.replace(/%[\da-f]{2}/gi, (code) => code.toUpperCase()).replace(/(?<!\/)\/+$/, '');
  return origin + path;
}

/** Whether a completed task has a known result: files or a text. */
export function hasResult({ results, resultKind }: Pick<Task, 'results' | 'resultKind'>): boolean {
  return results.length > 0 || resultKind === 'text';
}

/** The groups of the task list. */
export type TaskGroup = 'running' | 'attention' | 'completed' | 'failed' | 'cancelled' | 'unwatched';

/**
 * Finds the group of a task. `attention` contains tasks that need the user's decision or help.
 *
 * @param isInFlight whether any window is currently sending its request
 */
export function findTaskGroup(task: Task, isInFlight: boolean): TaskGroup {
  switch (task.status) {
    case 'intent':
    case 'submitting':
      return isInFlight ? 'running' : 'attention';
    case 'unknown':
      return 'attention';
    case 'running':
      return task.watching === 'on' ? 'running' : 'unwatched';
    case 'completed':
      return task.results.some(({ state }) => state === 'failed') ? 'attention' : 'completed';
    case 'failed':
      return findFailedGroup(task);
    case 'refused':
      return 'failed';
    case 'missing':
      return task.deletedAt === undefined ? 'failed' : 'cancelled';
  }
}

/** Finds the group of a task that ended without completing. A cancelled task does not count as failed. */
export function findFailedGroup({ failedAs }: Pick<Task, 'failedAs'>): TaskGroup {
  return failedAs === 'needs-attention' ? 'attention' : (failedAs ?? 'failed');
}
