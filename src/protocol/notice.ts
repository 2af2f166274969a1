/** A notice: what happened, why, and what helps. It looks the same on every page. Types only. */

/** A button: its action and its label. */
export interface ActionButton<Action> {
  readonly action: Action;
  readonly label: string;
  /** How long the button is disabled, in milliseconds from its arrival at the page. */
  readonly waitMs?: number;
}

export interface Notice<Action> {
  /** A few words, or one sentence with the cause and the next step. */
  readonly title: string;
  /** Details that the title omits, such as the gateway's own message; may be empty. */
  readonly detail: string;
  readonly severity: 'info' | 'error';
  /** The first button is the main button. */
  readonly buttons: readonly ActionButton<Action>[];
  readonly requestId?: string;
  /** The gateway's own id of the request. */
  readonly gatewayRequestId?: string;
}
