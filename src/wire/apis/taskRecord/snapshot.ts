/** A result of a task. */
export interface TaskResult {
  /** An absolute http(s) or gs address, or a `data:` URL with the content. */
  readonly url: string;
  readonly mimeType?: string;
  readonly expiresAt?: Date;
}

/** Why a task failed, in the words of its record. */
export interface TaskError {
  readonly message?: string;
  readonly code?: string;
}

/** A task at one moment, whichever gateway wrote its record. */
export interface TaskSnapshot {
  readonly id?: string;
  /** A record without a status counts as running. */
  readonly status: 'running' | 'completed' | 'failed';
  /**
   * A task that ended without an error of its own: it was cancelled, or waits for input that only a new
   * request can give.
   */
  readonly failedAs?: 'cancelled' | 'needs-attention';
  /** The record's own word for its status. */
  readonly rawStatus?: string;
  /** Percent, 0 to 100. */
  readonly progress?: number;
  /**
   * The results; none while the task runs, since some records name them before they exist. A completed record
   * without results may name them later, or leave them to another route.
   */
  readonly results: readonly TaskResult[];
  /**
   * Results that the record of a running task names with a status that nobody knows. They may not be final; a
   * record that names the same ones for a while has completed (`SteadyRecord`).
   */
  readonly unsureResults?: readonly TaskResult[];
  /** Why the task failed; only on failed tasks, since some records always fill these fields. */
  readonly error?: TaskError;
  readonly createdAt?: Date;
  readonly updatedAt?: Date;
  /** Only once the task has ended, since some records always fill this field. */
  readonly finishedAt?: Date;
  /** When the first result, or the record itself, expires. */
  readonly expiresAt?: Date;
  /** The gateway's own X-Request-Id of the reply with the record; absent in lists. */
  readonly gatewayRequestId?: string;
  /** The parsed record as it came. Integers beyond 2^53 are strings. */
  readonly raw: unknown;
}
