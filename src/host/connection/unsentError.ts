import { errorMessage } from '../../base/errors.ts';
import { explain } from '../../wire/explanations/explanation.ts';
import { GatewayError } from '../../wire/failures/gatewayError.ts';
import { type Gateway, localEntry } from './gateways.ts';

/** The local gateway does not run, and only the user may start it. The message contains the reason. */
export class NotStartedError extends Error {
  override readonly name = 'NotStartedError';
}

/** Converts an error that occurred before the request was sent, such as a lost credential, to a GatewayError. */
export function toGatewayError(error: unknown, gateway: Gateway | undefined): GatewayError {
  if (GatewayError.is(error)) return error;
  const cause = errorMessage(error);
  const explanation =
    gateway?.kind === 'local'
      ? explain('gateway-not-started', { gateway: localEntry.name, cause })
      : explain('not-sent', { cause });
  return new GatewayError({
    kind: 'unreachable',
    explanation,
    requestedAt: new Date(),
    requestId: '',
    cause: error,
  });
}
