import * as vscode from 'vscode';
import { GatewayError } from '../../wire/failure.ts';
import { withNotificationProgress } from '../display/progress.ts';
import type { ConfiguredGateway } from './configuredGateway.ts';
import type { Connection } from './connection.ts';

/** The outcome of a first request with an address and a credential. */
export type ConnectionTest =
  | { readonly kind: 'works' }
  | { readonly kind: 'no-models' }
  | { readonly kind: 'failed'; readonly error: GatewayError }
  | { readonly kind: 'cancelled' };

/**
 * Reads the model list once, with cancellable progress, and keeps nothing.
 *
 * @param credential empty where the gateway needs none
 */
export async function testConnection(
  connection: Connection,
  gateway: ConfiguredGateway,
  credential: string,
): Promise<ConnectionTest> {
  const client = await connection.clientFor({
    baseUrl: gateway.baseUrl,
    credential: async () => credential || undefined,
  });
  try {
    const models = await withNotificationProgress(
      vscode.l10n.t('Connecting to {0}…', new URL(gateway.baseUrl).host),
      (signal) => client.listModels({ signal }),
    );
    return models.length > 0 ? { kind: 'works' } : { kind: 'no-models' };
  } catch (error) {
    if (!GatewayError.is(error)) throw error;
    return error.kind === 'cancelled' ? { kind: 'cancelled' } : { kind: 'failed', error };
  } finally {
    void client.close();
  }
}
