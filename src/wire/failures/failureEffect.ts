import type { FailureKind, FailureReason, GatewayErrorInit } from './gatewayError.ts';

/** The effect of a failed request on costs and on other requests. */
interface FailureEffect {
  /** Whether the request cannot have created or billed anything. */
  readonly isUnbilled: boolean;
  /**
   * The effect on other requests to this gateway: `pause` until there is a new credential, `slow-down`, `back-off`
   * because the gateway was not reached, or `continue` because only this request failed.
   */
  readonly otherRequests: 'pause' | 'slow-down' | 'back-off' | 'continue';
}

/** Timeouts, and failures between the gateway and its upstream: something may have been created. */
const unclearStatuses = new Set([408, 424, 425, 499]);

/**
 * Determines the effect of a failure by whether the request was sent and by the status of the reply, never by the
 * gateway's message: despite `504 load_balancer_timeout` a task may have been created and billed. Only a 4xx other
 * than a timeout proves that nothing was created. A redirect may follow a request that succeeded. The local gateway can
 * report in a header that nothing was created. The kind counts only without a reply, because then the client itself
 * detected the failure.
 */
export function getFailureEffect({
  wasSent,
  status,
  kind,
  reason,
  isReportedUnbilled = false,
}: Pick<GatewayErrorInit, 'wasSent' | 'status' | 'kind' | 'reason' | 'isReportedUnbilled'>): FailureEffect {
  if (status === undefined)
    return { isUnbilled: wasSent === false, otherRequests: findEffectByKind(kind, reason) };
  const isRefusal = status >= 400 && status < 500 && !unclearStatuses.has(status);
  const isUnbilled = wasSent === false || isReportedUnbilled || isRefusal;
  return { isUnbilled, otherRequests: findEffectByStatus(status) };
}

function findEffectByKind(
  kind: FailureKind,
  reason: FailureReason | undefined,
): FailureEffect['otherRequests'] {
  // A retry does not require a new credential.
  if (reason === 'credential-timeout' || kind === 'unreachable') return 'back-off';
  if (reason === 'another-account') return 'continue';
  return kind === 'authentication' ? 'pause' : 'continue';
}

function findEffectByStatus(status: number): FailureEffect['otherRequests'] {
  if (status === 401 || status === 403) return 'pause';
  if (status === 429) return 'slow-down';
  return status === 407 || (status >= 300 && status < 400) ? 'back-off' : 'continue';
}
