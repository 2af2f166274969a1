export interface HttpErrorFacts {
  readonly status: number;
  /** What is wrong, what is expected and what to do; free of credentials and prompt text. */
  readonly message: string;
  readonly type: 'invalid_request_error' | 'upstream_error' | 'server_error' | 'rate_limit_error';
  /** The request field it is about, such as `messages[0].role`. */
  readonly param?: string;
  readonly code: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it is certain that no upstream was sent anything of the request. */
  readonly neverSent?: boolean;
}

/**
 * An answer other than success, thrown wherever it is found out and written once, at the edge, in the form
 * of the route that was asked.
 */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly type: HttpErrorFacts['type'];
  readonly param: string | undefined;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly neverSent: boolean;

  constructor({ status, message, type, param, code, headers = {}, neverSent = false }: HttpErrorFacts) {
    super(message);
    this.status = status;
    this.type = type;
    this.param = param;
    this.code = code;
    this.headers = headers;
    this.neverSent = neverSent;
  }
}

/** For a request that asks for what it cannot have. */
export function invalidRequest(message: string, code: string, param?: string): HttpError {
  return new HttpError({ status: 400, message, type: 'invalid_request_error', code, param });
}

/** For calls that meet the end of the gateway itself. */
export function shuttingDown(): HttpError {
  return new HttpError({
    status: 503,
    message: 'The local gateway is shutting down. Start it again and repeat the request.',
    type: 'server_error',
    code: 'gateway_shutting_down',
  });
}
