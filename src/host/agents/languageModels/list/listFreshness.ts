import type * as vscode from 'vscode';
import type { ConnectionServices } from '../../../connection/connectionServices.ts';
import type { GatewayConnection } from '../../../connection/gatewayConnection.ts';
import type { LocalGateway } from '../../../connection/localGateway.ts';

/** An older list is read again in the background. In milliseconds. */
const maxAgeMs = 24 * 60 * 60 * 1000;

/** Reads the lists of models that VS Code requests, if they are missing or old. All waiting callers share one read. */
export class ListFreshness {
  readonly #services: ConnectionServices;
  readonly #reads = new WeakMap<GatewayConnection, Promise<unknown>>();

  constructor(services: ConnectionServices) {
    this.#services = services;
  }

  /**
   * Reads the list and waits for it if no list is known; reads an old list again in the background. Does not start
   * the local gateway, and sends nothing to a gateway without a credential.
   */
  async refreshIfNeeded(connection: GatewayConnection): Promise<void> {
    const { phase, models, modelsReadAt = 0 } = connection.state;
    if (phase === 'loading' && models.length === 0) return this.#waitForRead(connection);
    if (phase !== 'idle' || !this.#maySend(connection)) return;
    const reading = Date.now() - modelsReadAt < maxAgeMs ? undefined : this.#read(connection);
    if (models.length === 0) await (reading ?? this.#read(connection));
  }

  /** Reads the list because the user requested it. */
  async refreshForUser(connection: GatewayConnection): Promise<void> {
    if (connection.state.phase === 'loading') await this.#waitForRead(connection);
    else await this.#read(connection);
  }

  #maySend({ gateway }: GatewayConnection): boolean {
    const { credentials, localGateway } = this.#services;
    return gateway.kind === 'local' ? isReachable(localGateway) : credentials.wasStored(gateway);
  }

  #read(connection: GatewayConnection): Promise<unknown> {
    const current = this.#reads.get(connection);
    if (current) return current;
    const read = connection.refresh().finally(() => this.#reads.delete(connection));
    this.#reads.set(connection, read);
    return read;
  }

  /** Waits for a read that another caller started. */
  #waitForRead(connection: GatewayConnection): Promise<void> {
    const current = this.#reads.get(connection);
    if (current) return current.then(() => {});
    return new Promise((resolve) => {
      const subscription = this.#services.connection.onDidChangeGateways(() => {
        if (connection.state.phase === 'loading' && !this.#isReplaced(connection)) return;
        subscription.dispose();
        resolve();
      });
    });
  }

  /** Whether the connection was replaced, so that its read ends without an event. */
  #isReplaced(connection: GatewayConnection): boolean {
    return this.#services.connection.find(connection.gateway) !== connection;
  }
}

/** Resolves when the promise settles or the token is cancelled. */
export function waitUnlessCancelled(
  promise: Promise<unknown>,
  token: vscode.CancellationToken,
): Promise<void> {
  return new Promise((resolve) => {
    const subscription = token.onCancellationRequested(() => resolve());
    void promise.finally(() => {
      subscription.dispose();
      resolve();
    });
  });
}

/** Whether the local gateway can be called without starting it. */
function isReachable({ isRunning, isProvided }: LocalGateway): boolean {
  return isRunning || isProvided;
}
