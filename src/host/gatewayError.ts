import * as vscode from 'vscode';
import { GatewayError } from '../wire/failure.ts';
import { demoProfile, type Profile } from './connection/profiles.ts';

/** What could not even be asked, as a failure like any other. */
export function asGatewayError(error: unknown, profile: Profile | undefined): GatewayError {
  if (GatewayError.is(error)) return error;
  const cause = error instanceof Error ? error.message : String(error);
  const message =
    profile?.kind === 'demo' ? vscode.l10n.t('{0} did not start. {1}', demoProfile.name, cause) : cause;
  return new GatewayError({
    kind: 'unreachable',
    message,
    requestedAt: new Date(),
    requestId: '',
    cause: error,
  });
}
