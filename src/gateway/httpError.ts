import type { ChatCompletionsError } from '../wire/shapes/chatCompletions.ts';

export interface HttpErrorFacts {
  readonly status: number;
  /** What is wrong, what is expected and what to do; free of credentials and prompt text. */
  readonly message: string;
  readonly type: 'invalid_request_error' | 'upstream_error' | 'server_error' | 'rate_limit_error';
  /** The request field it is about, such as `messages[0].role`. */
  readonly param?: string;
  readonly code: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer other than success, thrown wherever it is found out and written once, at the edge. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ChatCompletionsError;

  constructor(facts: HttpErrorFacts) {
    super(facts.message);
    this.status = facts.status;
    this.headers = facts.headers ?? {};
    this.body = {
      error: { message: facts.message, type: facts.type, param: facts.param ?? null, code: facts.code },
    };
  }
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
