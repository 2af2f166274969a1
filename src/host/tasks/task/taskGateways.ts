import type * as vscode from 'vscode';
import type { GatewayClient } from '../../../client/gatewayClient.ts';
import { toGatewayId } from '../../../tasks/record/task.ts';
import type { GatewayAccess } from '../../../tasks/taskOptions.ts';
import { explain } from '../../../wire/explanations/explanation.ts';
import { GatewayError, type GatewayErrorInit } from '../../../wire/failures/gatewayError.ts';
import { readIdentity } from '../../connection/configuredGateway.ts';
import type { Connection } from '../../connection/connection.ts';
import { type Gateway, type Gateways, localEntry } from '../../connection/gateways.ts';
import type { LocalGateway } from '../../connection/localGateway.ts';
import { toGatewayError } from '../../connection/unsentError.ts';

/** The ledger's id of the local gateway. Not its address, because that changes. */
const localId = 'demo';

/** Returns the ledger's id of a gateway, independent of its name. */
export function toLedgerGatewayId(gateway: Gateway): string {
  return gateway.kind === 'local' ? localId : toGatewayId(gateway.baseUrl);
}

/** Returns the id and name of a gateway as the ledger stores them. */
export function toTaskGateway(gateway: Gateway): { readonly gateway: string; readonly gatewayName: string } {
  return { gateway: toLedgerGatewayId(gateway), gatewayName: gateway.name };
}

/** The clients of all gateways that have tasks, not only of the window's gateway. */
export class TaskGateways implements GatewayAccess {
  readonly #connection: Connection;
  readonly #gateways: Gateways;
  readonly #localGateway: LocalGateway;
  readonly #clients = new Map<string, Promise<GatewayClient>>();
  readonly #subscription: vscode.Disposable;

  constructor(connection: Connection, gateways: Gateways, localGateway: LocalGateway) {
    this.#connection = connection;
    this.#gateways = gateways;
    this.#localGateway = localGateway;
    this.#subscription = localGateway.onDidStop(() => this.discardClients());
  }

  /** Calls `listener` with the ledger's id and name of a gateway after the gateway accepted a request. */
  onDidAcceptRequest(listener: (gateway: ReturnType<typeof toTaskGateway>) => void): vscode.Disposable {
    return this.#connection.onDidAcceptRequest((gateway) => listener(toTaskGateway(gateway)));
  }

  /** Returns the client of a gateway. Starts the local gateway for its tasks, unless the user stopped it. */
  getClient(id: string, gatewayName: string): Promise<GatewayClient> {
    const name = `${id} ${gatewayName}`;
    const knownClient = this.#clients.get(name);
    if (knownClient) return knownClient;
    const client = this.#open(id, gatewayName);
    this.#clients.set(name, client);
    client.catch(() => this.#clients.delete(name));
    return client;
  }

  async resolveAddress(id: string, address: string): Promise<string> {
    if (id !== localId || !address.startsWith('http://127.0.0.1:')) return address;
    const { pathname, search } = new URL(address);
    const { baseUrl } = await this.#localGateway.start('task');
    return new URL(pathname + search, baseUrl).href;
  }

  findConfigured(id: string, name: string): Gateway | undefined {
    if (id === localId) return localEntry;
    const candidates = this.#listGatewaysAt(id);
    return findNamed(candidates, name) ?? this.#findRenamed(candidates, name);
  }

  /** Drops all clients. Running requests continue. */
  discardClients(): void {
    for (const client of this.#clients.values()) client.then((open) => open.close()).catch(() => {});
    this.#clients.clear();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.discardClients();
  }

  #listGatewaysAt(id: string): readonly Gateway[] {
    return this.#gateways.all.filter((gateway) => toLedgerGatewayId(gateway) === id);
  }

  /** Finds the gateway that the user has renamed in the settings file, by its earlier name. */
  #findRenamed(candidates: readonly Gateway[], name: string): Gateway | undefined {
    const addresses = new Set(
      candidates.flatMap((gateway) => (gateway.kind === 'local' ? [] : gateway.baseUrl)),
    );
    const renamed = [...addresses].flatMap(
      (baseUrl) => this.#gateways.resolve({ kind: 'gateway', name, baseUrl }) ?? [],
    );
    return renamed[0];
  }

  #open(id: string, gatewayName: string): Promise<GatewayClient> {
    const gateway = this.findConfigured(id, gatewayName);
    if (gateway === undefined) {
      const isShared = this.#listGatewaysAt(id).length > 0;
      return Promise.reject(isShared ? createNoAccountError(id, gatewayName) : createNoGatewayError(id));
    }
    return this.#connection.open(gateway, 'task').catch((error) => {
      throw toGatewayError(error, gateway);
    });
  }
}

/** Finds the gateway of a task by its current or its first name. */
function findNamed(gateways: readonly Gateway[], name: string): Gateway | undefined {
  return (
    gateways.find((gateway) => gateway.name === name) ??
    gateways.find((gateway) => readIdentity(gateway) === name)
  );
}

function createNoGatewayError(id: string): GatewayError {
  return createNotConnectedError({ explanation: explain('gateway-not-connected', { address: id }) });
}

/**
 * Creates the error of a task whose account is not connected. Only the account that created a task may read it, and
 * accounts differ only by the gateway's name.
 */
function createNoAccountError(id: string, gateway: string): GatewayError {
  return createNotConnectedError({
    reason: 'another-account',
    explanation: explain('account-not-connected', { gateway, address: id }),
  });
}

function createNotConnectedError(cause: Pick<GatewayErrorInit, 'reason' | 'explanation'>): GatewayError {
  return new GatewayError({
    ...cause,
    kind: 'authentication',
    requestedAt: new Date(),
    requestId: '',
    wasSent: false,
  });
}
