/** A result of a task. */
export interface TaskResult {
  /** An absolute http(s) or gs address, or a `data:` URL with the content. */
  readonly url: string;
  readonly mimeType?: string;
  readonly expiresAt?: Date;
}

/** The reason of a failed task, from its record. */
export interface TaskError {
  readonly message?: string;
  readonly code?: string;
}

/** A task at one moment, from the record of any gateway. */
export interface TaskSnapshot {
  readonly id?: string;
  /** A record without a status counts as running. */
  readonly status: 'running' | 'completed' | 'failed';
  /** Why a task ended without an error: it was cancelled, or it waits for input that requires a new request. */
  readonly failedAs?: 'cancelled' | 'needs-attention';
  /** The original status word of the record. */
  readonly rawStatus?: string;
  /** Percent, 0 to 100. */
  readonly progress?: number;
  /**
   * The results; empty while the task runs, because some records list addresses before the files exist. A
   * completed record without results may list them later, or another route returns them.
   */
  readonly results: readonly TaskResult[];
  /**
   * Results that the record of a running task lists with an unknown status. They may not be final. If the record
   * lists the same results for a while, the task has completed (`SteadyRecord`).
   */
  readonly unsureResults?: readonly TaskResult[];
  /** The reason of the failure; only on failed tasks, because some records always fill these fields. */
  readonly error?: TaskError;
  readonly createdAt?: Date;
  readonly updatedAt?: Date;
  /** Only after the task has ended, because some records always fill this field. */
  readonly finishedAt?: Date;
  /** When the first result, or the record itself, expires. */
  readonly expiresAt?: Date;
  /** The gateway's own X-Request-Id of the reply with the record; absent in lists. */
  readonly gatewayRequestId?: string;
  /** The original parsed record. Integers beyond 2^53 are strings. */
  readonly raw: unknown;
}
