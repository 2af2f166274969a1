import type * as vscode from 'vscode';
import type { Connection } from '../../../connection/connection.ts';
import type { Credentials } from '../../../connection/credentials.ts';
import type { GatewayConnection } from '../../../connection/gatewayConnection.ts';
import type { LocalGateway } from '../../../connection/localGateway.ts';

/** A kept list that is older is read again in the background, in milliseconds. */
const maxAgeMs = 24 * 60 * 60 * 1000;

interface FreshnessServices {
  readonly connection: Connection;
  readonly credentials: Credentials;
  readonly localGateway: LocalGateway;
}

/** Decides when VS Code's question for models sends a request to a gateway. Each read is made once for all who wait. */
export class ListFreshness {
  readonly #services: FreshnessServices;
  readonly #reads = new WeakMap<GatewayConnection, Promise<unknown>>();

  constructor(services: FreshnessServices) {
    this.#services = services;
  }

  /**
   * Reads the list where nothing is known, and waits for it; one that is old is read in the background. Starts no
   * program, and sends nothing to a gateway without a credential.
   */
  async ofItself(connection: GatewayConnection): Promise<void> {
    const { phase, models, modelsReadAt = 0 } = connection.state;
    if (phase === 'loading' && models.length === 0) return this.#loaded(connection);
    if (phase !== 'unasked' || !this.#maySend(connection)) return;
    const reading = Date.now() - modelsReadAt < maxAgeMs ? undefined : this.#read(connection);
    if (models.length === 0) await (reading ?? this.#read(connection));
  }

  /** Reads the list because the user asked for it. */
  async byUser(connection: GatewayConnection): Promise<void> {
    if (connection.state.phase === 'loading') await this.#loaded(connection);
    else await this.#read(connection);
  }

  #maySend({ gateway }: GatewayConnection): boolean {
    const { credentials, localGateway } = this.#services;
    return gateway.kind === 'local' ? isThere(localGateway) : credentials.wasKept(gateway);
  }

  #read(connection: GatewayConnection): Promise<unknown> {
    const known = this.#reads.get(connection);
    if (known) return known;
    const read = connection.refresh().finally(() => this.#reads.delete(connection));
    this.#reads.set(connection, read);
    return read;
  }

  /** Waits for a read that somebody else began. */
  #loaded(connection: GatewayConnection): Promise<void> {
    const known = this.#reads.get(connection);
    if (known) return known.then(() => {});
    return new Promise((resolve) => {
      const subscription = this.#services.connection.onDidChangeGateways(() => {
        if (connection.state.phase === 'loading' && !this.#isGone(connection)) return;
        subscription.dispose();
        resolve();
      });
    });
  }

  /** Whether the connection was given up, so that its read ends without a word. */
  #isGone(connection: GatewayConnection): boolean {
    return this.#services.connection.find(connection.gateway) !== connection;
  }
}

/** Resolves with the promise, or when it is not wanted any more. */
export function unlessCancelled(promise: Promise<unknown>, token: vscode.CancellationToken): Promise<void> {
  return new Promise((resolve) => {
    const subscription = token.onCancellationRequested(() => resolve());
    void promise.finally(() => {
      subscription.dispose();
      resolve();
    });
  });
}

/** Whether the local gateway can be asked without starting it. */
function isThere({ isRunning, isProvided }: LocalGateway): boolean {
  return isRunning || isProvided;
}
