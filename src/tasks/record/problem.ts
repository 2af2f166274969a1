import { errorMessage } from '../../base/errors.ts';
import { startOf } from '../../base/truncate.ts';
import { type Explanation, inEnglish } from '../../wire/explanations/explanation.ts';
import { GatewayError } from '../../wire/failure.ts';
import type { Problem } from './task.ts';

const maxGatewayMessageLength = 2000;

/** The stored form of a failure: why it failed, and the gateway's own words if it gave any. */
export function problemOf(error: unknown): Problem {
  if (!GatewayError.is(error)) return { message: errorMessage(error) };
  const { kind, reason, field, status, requestId, gatewayRequestId, gatewayMessage, explanation } = error;
  return {
    ...explained(explanation),
    ...(gatewayMessage !== undefined && { gatewayMessage: startOf(gatewayMessage, maxGatewayMessageLength) }),
    code: kind,
    ...(reason !== undefined && { reason }),
    ...(field !== undefined && { field }),
    ...(status !== undefined && { status }),
    requestId,
    ...(gatewayRequestId !== undefined && { gatewayRequestId }),
  };
}

/** The stored form of what was found out here. */
export function explained(explanation: Explanation): Problem {
  return { message: inEnglish(explanation), explanation };
}
