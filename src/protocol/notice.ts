/** What happened, why, and what helps, as every page shows it. Types only. */

/** A button: what it asks for and the words on it. */
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
  /** The first is the one to press. */
  readonly buttons: readonly ActionButton<Action>[];
  readonly requestId?: string;
  /** The gateway's own id of the request. */
  readonly gatewayRequestId?: string;
}
