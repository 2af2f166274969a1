/** How tasks are polled, by the user's settings. */
export interface PollOptions {
  /** Milliseconds between two polls of a task. The pause grows while nothing changes. */
  readonly intervalMs: number;
  readonly maxIntervalMs: number;
  /** How long a task is polled, in milliseconds. */
  readonly timeoutMs: number;
  /** The most polls at once, over all gateways. */
  readonly pollsInFlight: number;
}
