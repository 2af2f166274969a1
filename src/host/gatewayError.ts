import * as vscode from 'vscode';
import { GatewayError } from '../wire/failure.ts';
import { demoGateway, type Gateway } from './connection/gateways.ts';

/** What could not even be asked, as a failure like any other. */
export function asGatewayError(error: unknown, gateway: Gateway | undefined): GatewayError {
  if (GatewayError.is(error)) return error;
  const cause = error instanceof Error ? error.message : String(error);
  const message =
    gateway?.kind === 'demo' ? vscode.l10n.t('{0} did not start. {1}', demoGateway.name, cause) : cause;
  return new GatewayError({
    kind: 'unreachable',
    message,
    requestedAt: new Date(),
    requestId: '',
    cause: error,
  });
}
