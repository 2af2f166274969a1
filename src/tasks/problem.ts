import { GatewayError } from '../wire/failure.ts';
import type { Problem } from './task.ts';

/** The stored form of a failure, in the gateway's own words if it gave any. */
export function problemOf(error: unknown): Problem {
  if (!GatewayError.is(error)) return { message: error instanceof Error ? error.message : String(error) };
  const { kind, status, requestId, gatewayRequestId, gatewayMessage, message } = error;
  return {
    message: gatewayMessage ?? message,
    code: kind,
    ...(status !== undefined && { status }),
    requestId,
    ...(gatewayRequestId !== undefined && { gatewayRequestId }),
  };
}
