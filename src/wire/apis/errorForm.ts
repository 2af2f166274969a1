/** An error of the side that answers, before it is put into the form of a route. */
export interface ErrorFacts {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  /** The request field it is about. */
  readonly param?: string | undefined;
  readonly code: string;
}

/** How the errors of an API are told. */
export interface ErrorForm {
  /** Paths at which nothing is served, and whose callers seem to expect this form. */
  readonly paths?: RegExp;
  /** As the body of a reply. */
  body(error: ErrorFacts, requestId: string): object;
  /** Within a stream that has begun; as the body, in an event without a name, where absent. */
  event?(error: ErrorFacts, requestId: string): ErrorEvent;
}

export interface ErrorEvent {
  readonly name: string;
  readonly data: object;
}

/** Status to word, with one word for all other refusals and one for all other failures. */
export interface ErrorNames {
  readonly [status: number]: string;
  readonly refusal: string;
  readonly failure: string;
}

export function errorName(names: ErrorNames, status: number): string {
  return names[status] ?? (status < 500 ? names.refusal : names.failure);
}
