import { getFailureEffect } from '../../wire/failures/failureEffect.ts';

export type ErrorType =
  | 'invalid_request_error'
  | 'upstream_error'
  | 'server_error'
  | 'rate_limit_error'
  | 'insufficient_quota'
  /**
   * For errors after an upstream's 2xx. AI SDK retries errors in streams unless they contain a word such as
   * `invalid`.
   */
  | 'invalid_reply_error';

/** SDKs do not automatically retry after a reply with this header. */
export const doNotRetry = { 'x-should-retry': 'false' } as const;

interface HttpErrorInit {
  readonly status: number;
  /** The problem, the expected value and the remedy. Contains neither credentials nor text of a prompt. */
  readonly message: string;
  readonly type: ErrorType;
  /** The request field, such as `messages[0].role`. */
  readonly param?: string;
  readonly code: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it is certain that no upstream received a part of the request. */
  readonly neverSent?: boolean;
  /** Whether it is certain that nothing was made, even if the status does not prove it. Default: `neverSent`. */
  readonly isUnbilled?: boolean;
}

/**
 * An error response. The code that finds the problem throws it, and the server writes it once, in the format of
 * the route.
 */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly type: ErrorType;
  readonly param: string | undefined;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly neverSent: boolean;
  readonly isUnbilled: boolean;

  constructor(init: HttpErrorInit) {
    const { status, message, type, param, code, headers = {}, neverSent = false } = init;
    super(message);
    this.status = status;
    this.type = type;
    this.param = param;
    this.code = code;
    this.headers = headers;
    this.neverSent = neverSent;
    this.isUnbilled = init.isUnbilled ?? neverSent;
  }

  /**
   * The headers of the reply. If nothing is billed but the status does not prove it, a header reports it to the
   * spending limits of VS Code windows.
   */
  get replyHeaders(): Readonly<Record<string, string>> {
    return this.isUnbilled && !provesUnbilled(this.status)
      ? { ...this.headers, 'x-gateway-unbilled': 'true' }
      : this.headers;
  }

  /** Returns a copy with additional headers. */
  withHeaders(headers: Readonly<Record<string, string>>): HttpError {
    return this.#with({ headers: { ...this.headers, ...headers } });
  }

  /** Returns a copy with a sentence about earlier attempts, which may be billed. */
  withEarlierAttempts(sentence: string): HttpError {
    return this.#with({ message: `${this.message} ${sentence}`, neverSent: false, isUnbilled: false });
  }

  #with(changed: Partial<HttpErrorInit>): HttpError {
    const { status, message, type, param, code, headers, neverSent, isUnbilled } = this;
    return new HttpError({ status, message, type, param, code, headers, neverSent, isUnbilled, ...changed });
  }
}

/** A failure before anything was made or sent to an upstream. Its `cause` is the reason. */
export class UnbilledError extends Error {
  override readonly name = 'UnbilledError';

  constructor(cause: unknown) {
    super('nothing was made', { cause });
  }
}

/** Converts a failure to a 424, which means that nothing was made and prevents retries by SDKs. */
export function toUnbilledError({ message, type, param, code, headers }: HttpError): HttpError {
  return new HttpError({
    status: 424,
    message: `${message} This request made nothing.`,
    type,
    param,
    code,
    headers: { ...headers, ...doNotRetry },
    neverSent: true,
  });
}

/** @param param the invalid field, such as `messages[0].role` */
export function invalidRequestError(message: string, code: string, param?: string): HttpError {
  return new HttpError({ status: 400, message, type: 'invalid_request_error', code, param });
}

/** The error for a valid value that is not supported here. */
export function unsupportedError(param: string, problem: string): HttpError {
  return invalidRequestError(`${param}: ${problem}.`, 'unsupported_value', param);
}

/** The error for a request that the state of its task does not allow. */
export function conflictError(message: string, code: string): HttpError {
  return new HttpError({ status: 409, message, type: 'invalid_request_error', code });
}

/** The error for requests that are under way when the gateway ends. */
export function shuttingDownError(): HttpError {
  return new HttpError({
    status: 503,
    message: 'The local gateway is shutting down. Start it again and repeat the request.',
    type: 'server_error',
    code: 'gateway_shutting_down',
  });
}

/** Whether the status of an upstream's refusal proves that nothing was made or billed. */
export function provesUnbilled(status: number): boolean {
  return getFailureEffect({ wasSent: true, status, kind: 'server', reason: undefined }).isUnbilled;
}
