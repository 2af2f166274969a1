import { type Explanation, inEnglish } from '../explanations/explanation.ts';

/** The kind of a failure. It decides the title that the user sees first, and the next step. */
export type FailureKind = (typeof failureKinds)[number];

const failureKinds = [
  'unreachable',
  'authentication',
  'model-unavailable',
  'invalid-parameters',
  'rate-limited',
  'quota',
  'spending-limit',
  'server',
  'malformed-reply',
  'cancelled',
] as const;

/** Whether a stored word is a kind of failure. */
export function isFailureKind(word: unknown): word is FailureKind {
  return failureKinds.some((kind) => kind === word);
}

/** The reason within the kind, if it is known. */
export type FailureReason =
  /** The credential store did not respond. Nothing was sent. */
  | 'credential-timeout'
  /** Only other gateways at this address are connected, which may be other accounts. Nothing was sent. */
  | 'another-account'
  | 'dns'
  /** The address of the gateway may not be used. */
  | 'unusable-address'
  | 'refused'
  | 'reset'
  | 'cut'
  /** A proxy between client and gateway cannot be used. */
  | 'proxy'
  /** A proxy between client and gateway refused to connect to the gateway. */
  | 'proxy-refused'
  /** A proxy between client and gateway requires a sign-in. */
  | 'proxy-credentials'
  | 'redirect'
  | 'not-a-gateway'
  /** The network requires a sign-in before it allows requests (captive portal). */
  | 'network-sign-in'
  /** The server does not serve the region of the request's address. */
  | 'region'
  /** Bot protection in front of the gateway requires a browser. */
  | 'challenge'
  /** A firewall or a proxy in front of the gateway refused the request. */
  | 'blocked'
  /** A server reports that it has no such route. */
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
  /** The conversation and the requested reply do not fit into the model's context. */
  | 'context-too-long'
  /** The account may not use any model. */
  | 'no-models'
  /** The model exists, but does not support this API format or operation. */
  | 'unsuited-model'
  /** An upstream refused the key that the gateway has for it. */
  | 'upstream-credential'
  /** An upstream refused its key, and the gateway runs on this machine, so the user has that key. */
  | 'own-upstream-credential'
  /** The gateway cannot use an upstream until its configuration changes. */
  | 'upstream-unusable'
  /** The server refuses fields for prompt caching. */
  | 'cache-fields-refused'
  | 'too-large'
  /** The headers of the request are larger than the gateway accepts. */
  | 'headers-too-large'
  | 'empty-reply'
  /** Downloads from this address are blocked, such as in a private network. */
  | 'forbidden-address'
  /** The file is not ready yet. */
  | 'not-ready'
  /** A spending limit cannot count the request, because its price is unknown. */
  | 'unknown-price'
  /** The request could not be counted for the spending limits. */
  | 'not-counted';

/** The data of a `GatewayError`. */
export interface GatewayErrorInit {
  readonly kind: FailureKind;
  /** The cause and the next step, without credentials and without text of prompts. */
  readonly explanation: Explanation;
  readonly reason?: FailureReason;
  /** The HTTP status of the reply; absent without a reply. */
  readonly status?: number;
  /** The body of the reply as text, at most 64 KiB. */
  readonly body?: string;
  /** The gateway's own error message, from an error in any form. */
  readonly gatewayMessage?: string;
  /** When the request was made. */
  readonly requestedAt: Date;
  /** When the failure was detected. Waits count from this time. Default: now. */
  readonly failedAt?: Date;
  /** The X-Request-Id header that was sent. */
  readonly requestId: string;
  /** The gateway's own id of the request, if it differs from `requestId`. */
  readonly gatewayRequestId?: string;
  /** The field of the request that the gateway rejects, as a path with dots. */
  readonly field?: string;
  /** The wait that the gateway requested, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Whether the gateway reported that the same request may succeed later; absent if it reported nothing. */
  readonly isRetryAdvised?: boolean;
  /** Whether the gateway may have received a part of the request; absent if it is unknown. */
  readonly wasSent?: boolean;
  /** Whether the local gateway reported that nothing was created. */
  readonly isReportedUnbilled?: boolean;
  readonly cause?: unknown;
}

/**
 * Any failure of a call to a gateway. `kind` and `reason` classify it. `explanation` is for users, and `message`
 * is the same text in English.
 */
export class GatewayError extends Error implements GatewayErrorInit {
  override readonly name = 'GatewayError';
  readonly kind: FailureKind;
  readonly explanation: Explanation;
  readonly reason?: FailureReason;
  readonly status?: number;
  readonly body?: string;
  readonly gatewayMessage?: string;
  readonly requestedAt: Date;
  readonly failedAt: Date;
  readonly requestId: string;
  readonly gatewayRequestId?: string;
  readonly field?: string;
  readonly retryAfterMs?: number;
  readonly isRetryAdvised?: boolean;
  readonly wasSent?: boolean;
  readonly isReportedUnbilled?: boolean;

  constructor(init: GatewayErrorInit) {
    super(inEnglish(init.explanation), { cause: init.cause });
    this.kind = init.kind;
    this.explanation = init.explanation;
    this.reason = init.reason;
    this.status = init.status;
    this.body = init.body;
    this.gatewayMessage = init.gatewayMessage;
    this.requestedAt = init.requestedAt;
    this.failedAt = init.failedAt ?? new Date();
    this.requestId = init.requestId;
    this.gatewayRequestId = init.gatewayRequestId;
    this.field = init.field;
    this.retryAfterMs = init.retryAfterMs;
    this.isRetryAdvised = init.isRetryAdvised;
    this.wasSent = init.wasSent;
    this.isReportedUnbilled = init.isReportedUnbilled;
  }

  /** Whether `error` is a `GatewayError`, and of this kind if a kind is passed. */
  static readonly is = isGatewayError;
}

/** Outside the class: esbuild renames a class that refers to itself, and logs show the name of the class. */
function isGatewayError(error: unknown, kind?: FailureKind): error is GatewayError {
  return error instanceof GatewayError && (kind === undefined || error.kind === kind);
}
