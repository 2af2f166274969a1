import * as vscode from 'vscode';
import { type FailureKind, type FailureReason, GatewayError } from '../../../wire/failures/gatewayError.ts';
import type { Connection } from '../../connection/connection.ts';
import { withNotificationProgress } from '../../kit/display/progress.ts';

/** The kinds of failures that prove that a gateway is at this path. */
const gatewayFailures: ReadonlySet<FailureKind> = new Set([
  'authentication',
  'rate-limited',
  'quota',
  'server',
]);
/** The reasons of unusable replies that suggest a wrong path. */
const wrongPathReasons: ReadonlySet<FailureReason> = new Set(['redirect', 'not-a-gateway', 'no-such-route']);

type Authentication = ReturnType<Connection['createAuthentication']>;

/** The outcome of a first request with an address and a credential. */
export type ConnectionTest =
  | { readonly kind: 'works' }
  | { readonly kind: 'no-models' }
  | { readonly kind: 'failed'; readonly error: GatewayError }
  | { readonly kind: 'cancelled' };

/**
 * Reads the model list once, with cancellable progress, and stores nothing. If an address lists no models, the
 * next address is tried.
 *
 * @param addresses the possible addresses, all of one origin
 * @param authenticationAt the credential and the headers at an address
 * @returns the working address, or else the first address with its failure
 */
export async function testConnection(
  connection: Connection,
  addresses: readonly [string, ...string[]],
  authenticationAt: (baseUrl: string) => Authentication,
): Promise<{ readonly baseUrl: string; readonly test: ConnectionTest }> {
  const [first] = addresses;
  return withNotificationProgress(
    vscode.l10n.t('Connecting to {0}…', new URL(first).host),
    async (signal) => {
      let firstFailure: { readonly baseUrl: string; readonly test: ConnectionTest } | undefined;
      for (const baseUrl of addresses) {
        const test = await testAddress(connection, baseUrl, authenticationAt(baseUrl), signal);
        if (test.kind === 'works' || test.kind === 'cancelled') return { baseUrl, test };
        firstFailure ??= { baseUrl, test };
        if (!isAnotherPathLikely(test)) break;
      }
      return firstFailure ?? { baseUrl: first, test: { kind: 'no-models' } };
    },
  );
}

/** Whether the failure suggests that the gateway is at another path. */
function isAnotherPathLikely(test: ConnectionTest): boolean {
  if (test.kind !== 'failed') return test.kind === 'no-models';
  const { kind, reason } = test.error;
  if (kind === 'unreachable') return reason !== undefined && wrongPathReasons.has(reason);
  return !gatewayFailures.has(kind);
}

async function testAddress(
  connection: Connection,
  baseUrl: string,
  authentication: Authentication,
  signal: AbortSignal,
): Promise<ConnectionTest> {
  const client = await connection.openEndpoint({ baseUrl, ...authentication });
  try {
    const models = await client.listModels({ signal });
    return models.length > 0 ? { kind: 'works' } : { kind: 'no-models' };
  } catch (error) {
    if (!GatewayError.is(error)) throw error;
    return error.kind === 'cancelled' ? { kind: 'cancelled' } : { kind: 'failed', error };
  } finally {
    void client.close();
  }
}
