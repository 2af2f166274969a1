import type { TaskRoute } from '../client/gatewayClient.ts';

/**
 * How far a task has come. Up to `refused` it is our own knowledge of the request that makes the task; from
 * `running` on it is what the gateway said last.
 */
export type Stage =
  /** Kept, and nothing sent. */
  | 'intent'
  /** The request may have left. */
  | 'submitting'
  /** It left, and what became of it is not known: it may have been billed. Never sent again by itself. */
  | 'unknown'
  /** The gateway or the network said no: nothing was made. */
  | 'refused'
  | 'running'
  | 'completed'
  | 'failed'
  /** The gateway does not know it any more, and it had not ended when it was last seen. */
  | 'gone';

/** Whether anybody asks how a running task is doing. */
export type Watching = 'on' | 'timed-out' | 'stopped';

/** A failure as it is kept and shown: in the gateway's words where it gave any, free of credentials. */
export interface Problem {
  readonly message: string;
  /** The class of the failure, or the code that the task's record gives. */
  readonly code?: string;
  readonly status?: number;
  readonly requestId?: string;
  /** The gateway's own X-Request-Id of the reply. */
  readonly gatewayRequestId?: string;
}

/** What became of one of the things that a task made. */
export interface KeptResult {
  /** Place among the task's results, from 0. */
  readonly index: number;
  /** `link`: left where it lies, since nothing here can fetch it, such as gs:// addresses. */
  readonly state: 'waiting' | 'fetching' | 'saved' | 'failed' | 'link';
  /** The whole address, which may be a secret; `inline` once a result that came in the record is saved. */
  readonly url: string;
  readonly mimeType?: string;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
  /** Absolute path of the saved file. */
  readonly path?: string;
  readonly bytes?: number;
  /** Hexadecimal. */
  readonly sha256?: string;
  readonly problem?: string;
}

/** What the ledger knows of a task, as far as lists show it. Times are in milliseconds since 1970. */
export interface Task {
  /** Our own name for it, for ever; also sent as Idempotency-Key. */
  readonly key: string;
  /** Where it lives: the gateway's name as `gatewayName` writes it, or `demo`, whose address changes. */
  readonly gateway: string;
  /** What the user called the gateway when it was made. */
  readonly gatewayName: string;
  /** Absent on a task that was made elsewhere and adopted. */
  readonly route?: TaskRoute;
  readonly model?: string;
  /** Empty when it is not known. */
  readonly prompt: string;
  readonly stage: Stage;
  readonly failedAs?: 'cancelled' | 'needs-attention';
  readonly watching: Watching;
  /** The gateway's name for it. */
  readonly taskId?: string;
  /** X-Request-Id of the request that made it. */
  readonly requestId?: string;
  /** The gateway's own, of the reply to that request. */
  readonly gatewayRequestId?: string;
  /** The gateway's own word for the state. */
  readonly word?: string;
  /** Percent, 0 to 100. */
  readonly progress?: number;
  readonly problem?: Problem;
  readonly intendedAt: number;
  readonly submittedAt?: number;
  /** When the id came, or the task was adopted. */
  readonly acceptedAt?: number;
  /** Since when it is watched: from the start, or from the last resumption. */
  readonly watchedSince?: number;
  readonly endedAt?: number;
  /** When the record says its results stop being available. */
  readonly expiresAt?: number;
  readonly results: readonly KeptResult[];
}

/** The request of a task that is about to be made. */
export interface TaskDraft {
  readonly key: string;
  readonly gateway: string;
  readonly gatewayName: string;
  readonly route: TaskRoute;
  readonly model: string;
  readonly prompt: string;
  /** The body as it will be sent. */
  readonly request: object;
}

/** A state a task was seen in for the first time. */
export interface StatusChange {
  readonly at: number;
  readonly stage: Stage;
  readonly word?: string;
}

export interface FailedPoll {
  readonly at: number;
  readonly problem: Problem;
}

/** Everything else that is kept of a task. */
export interface TaskHistory {
  /** The body that was sent; absent on an adopted task. */
  readonly request?: object;
  readonly statusChanges: readonly StatusChange[];
  readonly failedPolls: readonly FailedPoll[];
  /** The last record as the gateway sent it; long data in it is left out. */
  readonly record?: unknown;
  /** The beginning of a reply that named no task, at most 4 KiB. */
  readonly unclearReply?: string;
}

/** The five groups in which tasks are shown. */
export type TaskGroup = 'running' | 'attention' | 'completed' | 'failed' | 'unwatched';

/**
 * Where a task is shown: what needs the user's decision or help needs attention.
 *
 * @param inFlight whether the request of a task in its first stages is being sent right now, by any window
 */
export function groupOf(task: Task, inFlight: boolean): TaskGroup {
  switch (task.stage) {
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
      return task.failedAs === 'needs-attention' ? 'attention' : 'failed';
    case 'refused':
    case 'gone':
      return 'failed';
  }
}
