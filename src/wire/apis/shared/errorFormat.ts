/** An error of the local gateway, before it is written in the format of a route. */
export interface ErrorDetails {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  /** The invalid field of the request. */
  readonly param?: string | undefined;
  readonly code: string;
}

/** The format of errors in one API. */
export interface ErrorFormat {
  /** Unknown paths whose callers most likely expect this format. */
  readonly paths?: RegExp;
  /** The body of a reply. */
  body(error: ErrorDetails, requestId: string): object;
  /** The event for a stream that has begun. By default, it is an event without a name that contains the body. */
  event?(error: ErrorDetails, requestId: string): ErrorEvent;
}

interface ErrorEvent {
  readonly name: string;
  readonly data: object;
}

/** Codes for failures between a gateway and its upstream, which no API has a name for. */
export const upstreamCodes: ReadonlySet<string> = new Set(
  ['credential', 'unusable', 'challenge', 'blocked', 'region'].map((reason) => `upstream_${reason}`),
);

/** The names of errors by status. `refusal` is for all other 4xx, `failure` for all other 5xx. */
export interface ErrorNames {
  readonly [status: number]: string;
  readonly refusal: string;
  readonly failure: string;
}

export function findErrorName(names: ErrorNames, status: number): string {
  return names[status] ?? (status < 500 ? names.refusal : names.failure);
}
