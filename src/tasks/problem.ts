import { errorMessage } from '../base/errors.ts';
import { type Explanation, inEnglish } from '../wire/explanations/explanation.ts';
import { GatewayError } from '../wire/failure.ts';
import type { Problem } from './task.ts';

/** The stored form of a failure: the gateway's own words if it gave any, otherwise why it failed. */
export function problemOf(error: unknown): Problem {
  if (!GatewayError.is(error)) return { message: errorMessage(error) };
  const { kind, status, requestId, gatewayRequestId, gatewayMessage, message, explanation } = error;
  return {
    ...(gatewayMessage === undefined ? { message, explanation } : { message: gatewayMessage }),
    code: kind,
    ...(status !== undefined && { status }),
    requestId,
    ...(gatewayRequestId !== undefined && { gatewayRequestId }),
  };
}

/** The stored form of what was found out here. */
export function explained(explanation: Explanation): Problem {
  return { message: inEnglish(explanation), explanation };
}
