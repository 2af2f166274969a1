/** The class of a failure: what a user is told first, and what decides the next step. */
export type FailureKind =
  | 'unreachable'
  | 'authentication'
  | 'model-unavailable'
  | 'invalid-parameters'
  | 'rate-limited'
  | 'quota'
  | 'server'
  | 'malformed-reply'
  | 'cancelled';

/** The finer cause beneath the class, where one is known. */
export type FailureReason =
  | 'dns'
  | 'refused'
  | 'reset'
  | 'cut'
  /** A proxy on the way cannot be used. */
  | 'proxy'
  /** A proxy on the way would not connect to the gateway. */
  | 'proxy-refused'
  /** A proxy on the way wants to know who asks. */
  | 'proxy-credentials'
  | 'redirect'
  | 'not-a-gateway'
  /** Something answers, and says that it has no such route. */
  | 'no-such-route'
  | 'connect-timeout'
  | 'first-byte-timeout'
  | 'idle-timeout'
  | 'no-data-timeout'
  | 'total-timeout'
  | 'tls-expired'
  | 'tls-wrong-host'
  | 'tls-unknown-authority'
  | 'tls-not-tls'
  | 'tls-other'
  | 'content-filter'
  | 'too-large'
  | 'empty-reply'
  /** What is to be fetched lies where nothing is fetched from, such as inside a private network. */
  | 'forbidden-address'
  /** What is to be fetched is not there yet. */
  | 'not-ready';

export interface FailureFacts {
  readonly kind: FailureKind;
  /** One English sentence naming the cause and the next step, free of credentials and prompt text. */
  readonly message: string;
  readonly reason?: FailureReason;
  readonly status?: number;
  /** The reply's body as text, at most 64 KiB. */
  readonly body?: string;
  /** The gateway's own words, unwrapped from whatever error shape it used. */
  readonly gatewayMessage?: string;
  /** When the request left. */
  readonly requestedAt: Date;
  readonly requestId: string;
  /** The gateway's own id of the request, where the reply tells another than ours. */
  readonly gatewayRequestId?: string;
  /** How long the gateway asked to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Whether the gateway may have received anything of the request; absent when that is not known. */
  readonly sent?: boolean;
  readonly cause?: unknown;
}

/** Every failure of a call to a gateway. Tell them apart by `kind` and `reason`, never by `message`. */
export class GatewayError extends Error implements FailureFacts {
  override readonly name = 'GatewayError';
  readonly kind: FailureKind;
  readonly reason?: FailureReason;
  readonly status?: number;
  readonly body?: string;
  readonly gatewayMessage?: string;
  readonly requestedAt: Date;
  readonly requestId: string;
  readonly gatewayRequestId?: string;
  readonly retryAfterMs?: number;
  readonly sent?: boolean;

  constructor(facts: FailureFacts) {
    super(facts.message, { cause: facts.cause });
    this.kind = facts.kind;
    this.reason = facts.reason;
    this.status = facts.status;
    this.body = facts.body;
    this.gatewayMessage = facts.gatewayMessage;
    this.requestedAt = facts.requestedAt;
    this.requestId = facts.requestId;
    this.gatewayRequestId = facts.gatewayRequestId;
    this.retryAfterMs = facts.retryAfterMs;
    this.sent = facts.sent;
  }

  static is(error: unknown, kind?: FailureKind): error is GatewayError {
    return error instanceof GatewayError && (kind === undefined || error.kind === kind);
  }
}
