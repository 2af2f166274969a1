import { type Explanation, inEnglish } from './explanations/explanation.ts';

/** The kind of a failure: what the user learns first, and what decides the next step. */
export type FailureKind = (typeof failureKinds)[number];

const failureKinds = [
  'unreachable',
  'authentication',
  'model-unavailable',
  'invalid-parameters',
  'rate-limited',
  'quota',
  'server',
  'malformed-reply',
  'cancelled',
] as const;

/** Whether a word that was stored is a kind of failure. */
export function isFailureKind(word: unknown): word is FailureKind {
  return failureKinds.some((kind) => kind === word);
}

/** The reason within the kind, where known. */
export type FailureReason =
  /** Whatever keeps the credential did not answer. Nothing was sent. */
  | 'credential-unanswered'
  /** Only other gateways at this address are connected, which may be other accounts. Nothing was sent. */
  | 'another-account'
  | 'dns'
  /** The address of the gateway may not be used. */
  | 'unusable-address'
  | 'refused'
  | 'reset'
  | 'cut'
  /** A proxy on the way cannot be used. */
  | 'proxy'
  /** A proxy on the way refused to connect to the gateway. */
  | 'proxy-refused'
  /** A proxy on the way requires a sign-in. */
  | 'proxy-credentials'
  | 'redirect'
  | 'not-a-gateway'
  /** The network wants a sign-in before it lets anything out. */
  | 'network-sign-in'
  /** Whoever answered does not serve the region that the request came from. */
  | 'region'
  /** A protection in front of the gateway wants a browser, and not a program. */
  | 'challenge'
  /** A firewall or a proxy in front of the gateway refused the request. */
  | 'blocked'
  /** A server answers that it has no such route. */
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
  /** The conversation and the reply it asks for do not fit into the model's context. */
  | 'context-too-long'
  /** The account may use no model at all. */
  | 'no-models'
  /** The model is there, but not for this API format or operation. */
  | 'unsuited-model'
  /** A provider behind the gateway refused the key that the gateway has for it. */
  | 'upstream-credential'
  /** The same of a gateway on this machine, where the user has that key. */
  | 'own-upstream-credential'
  /** The gateway cannot ask a provider behind it until its configuration changes. */
  | 'upstream-unusable'
  | 'too-large'
  /** The headers of the request are larger than the gateway accepts. */
  | 'headers-too-large'
  | 'empty-reply'
  /** The address is one from which nothing is downloaded, such as in a private network. */
  | 'forbidden-address'
  /** The file is not ready yet. */
  | 'not-ready';

/** What a `GatewayError` tells. */
export interface GatewayErrorInit {
  readonly kind: FailureKind;
  /** The cause and the next step, without credentials and text of prompts. */
  readonly explanation: Explanation;
  readonly reason?: FailureReason;
  /** The HTTP status of the reply; absent without a reply. */
  readonly status?: number;
  /** The body of the reply as text, at most 64 KiB. */
  readonly body?: string;
  /** The gateway's own message, whatever form its error has. */
  readonly gatewayMessage?: string;
  /** When the request was made. */
  readonly requestedAt: Date;
  /** When the failure was found out, from which on a wait counts; now by default. */
  readonly failedAt?: Date;
  /** What was sent as X-Request-Id. */
  readonly requestId: string;
  /** The gateway's own id of the request, where it differs from ours. */
  readonly gatewayRequestId?: string;
  /** The field of the request that the gateway objects to, as a path with dots. */
  readonly field?: string;
  /** How long the gateway asked to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Whether the gateway said that the same request may succeed later; absent where it said nothing. */
  readonly retryAdvised?: boolean;
  /** Whether the gateway may have received a part of the request; absent when that is unknown. */
  readonly sent?: boolean;
  readonly cause?: unknown;
}

/**
 * Any failure of a call to a gateway. `kind` and `reason` tell failures apart. `explanation` is for people, and
 * `message` is the same in English.
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
  readonly retryAdvised?: boolean;
  readonly sent?: boolean;

  constructor(facts: GatewayErrorInit) {
    super(inEnglish(facts.explanation), { cause: facts.cause });
    this.kind = facts.kind;
    this.explanation = facts.explanation;
    this.reason = facts.reason;
    this.status = facts.status;
    this.body = facts.body;
    this.gatewayMessage = facts.gatewayMessage;
    this.requestedAt = facts.requestedAt;
    this.failedAt = facts.failedAt ?? new Date();
    this.requestId = facts.requestId;
    this.gatewayRequestId = facts.gatewayRequestId;
    this.field = facts.field;
    this.retryAfterMs = facts.retryAfterMs;
    this.retryAdvised = facts.retryAdvised;
    this.sent = facts.sent;
  }

  /** Whether `error` is a `GatewayError`, and of this kind if one is given. */
  static readonly is = isGatewayError;
}

/** Outside the class: esbuild renames a class that refers to itself, and logs show the name of the class. */
function isGatewayError(error: unknown, kind?: FailureKind): error is GatewayError {
  return error instanceof GatewayError && (kind === undefined || error.kind === kind);
}
