/** A notice of what happened, why, and what helps, the same on every page. Types only. */

/** A button: its action and its label. */
export interface ActionButton<Action> {
  readonly action: Action;
  readonly label: string;
}

export interface Notice<Action> {
  /** The class in plain words, such as "The gateway refused the credential". */
  readonly title: string;
  /** One sentence of cause, the gateway's own words quoted, and what to do next. */
  readonly detail: string;
  readonly severity: 'info' | 'error';
  /** The first one is the main button. */
  readonly buttons: readonly ActionButton<Action>[];
  readonly requestId?: string;
  /** The gateway's own id of the request. */
  readonly gatewayRequestId?: string;
}
