import type * as vscode from 'vscode';
import type { GatewayClient } from '../../../client/gatewayClient.ts';
import { type GatewayAccess, gatewayId } from '../../../tasks/gatewayAccess.ts';
import { explain } from '../../../wire/explanations/explanation.ts';
import { GatewayError, type GatewayErrorInit } from '../../../wire/failures/gatewayError.ts';
import { identityOf } from '../../connection/configuredGateway.ts';
import type { Connection } from '../../connection/connection.ts';
import { asGatewayError } from '../../connection/gatewayError.ts';
import { type Gateway, type Gateways, localEntry } from '../../connection/gateways.ts';
import type { LocalGateway } from '../../connection/localGateway.ts';

/** The ledger's id of the local gateway, whose address changes. */
const localId = 'demo';

/** The ledger's id of a gateway, independent of its name. */
export function ledgerGatewayId(gateway: Gateway): string {
  return gateway.kind === 'local' ? localId : gatewayId(gateway.baseUrl);
}

/** The id and name of a gateway as the ledger stores them. */
export function originOf(gateway: Gateway): { readonly gateway: string; readonly gatewayName: string } {
  return { gateway: ledgerGatewayId(gateway), gatewayName: gateway.name };
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
    this.#subscription = localGateway.onDidStop(() => this.forgetAll());
  }

  /** Calls `listener` with a gateway, as the ledger stores it, after it accepted a request. */
  onDidAcceptRequest(listener: (gateway: ReturnType<typeof originOf>) => void): vscode.Disposable {
    return this.#connection.onDidAcceptRequest((gateway) => listener(originOf(gateway)));
  }

  /** Returns the client of a gateway. Starts the local gateway for its tasks, unless the user stopped it. */
  clientFor(id: string, gatewayName: string): Promise<GatewayClient> {
    const name = `${id} ${gatewayName}`;
    const known = this.#clients.get(name);
    if (known) return known;
    const client = this.#open(id, gatewayName);
    this.#clients.set(name, client);
    client.catch(() => this.#clients.delete(name));
    return client;
  }

  async locate(id: string, address: string): Promise<string> {
    if (id !== localId || !address.startsWith('http://127.0.0.1:')) return address;
    const { pathname, search } = new URL(address);
    const { baseUrl } = await this.#localGateway.start('task');
    return new URL(pathname + search, baseUrl).href;
  }

  configured(id: string, name: string): Gateway | undefined {
    if (id === localId) return localEntry;
    const candidates = this.#gatewaysAt(id);
    return namedIn(candidates, name) ?? this.#renamed(candidates, name);
  }

  /** Drops all clients. Running requests continue. */
  forgetAll(): void {
    for (const client of this.#clients.values()) client.then((open) => open.close()).catch(() => {});
    this.#clients.clear();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.forgetAll();
  }

  #gatewaysAt(id: string): readonly Gateway[] {
    return this.#gateways.all.filter((gateway) => ledgerGatewayId(gateway) === id);
  }

  /** The gateway that the user has renamed in the settings file, by its earlier name. */
  #renamed(candidates: readonly Gateway[], name: string): Gateway | undefined {
    const addresses = new Set(
      candidates.flatMap((gateway) => (gateway.kind === 'local' ? [] : gateway.baseUrl)),
    );
    const renamed = [...addresses].flatMap(
      (baseUrl) => this.#gateways.resolve({ kind: 'gateway', name, baseUrl }) ?? [],
    );
    return renamed[0];
  }

  #open(id: string, gatewayName: string): Promise<GatewayClient> {
    const gateway = this.configured(id, gatewayName);
    if (gateway === undefined) {
      const isShared = this.#gatewaysAt(id).length > 0;
      return Promise.reject(isShared ? noAccount(id, gatewayName) : noGateway(id));
    }
    return this.#connection.open(gateway, 'task').catch((error) => {
      throw asGatewayError(error, gateway);
    });
  }
}

/** Finds the gateway of a task by its present name or its first one. */
function namedIn(gateways: readonly Gateway[], name: string): Gateway | undefined {
  return (
    gateways.find((gateway) => gateway.name === name) ??
    gateways.find((gateway) => identityOf(gateway) === name)
  );
}

function noGateway(id: string): GatewayError {
  return notConnected({ explanation: explain('gateway-not-connected', { address: id }) });
}

/** Only the account that made a task may read it, and accounts differ only by the gateway's name. */
function noAccount(id: string, gateway: string): GatewayError {
  return notConnected({
    reason: 'another-account',
    explanation: explain('account-not-connected', { gateway, address: id }),
  });
}

function notConnected(why: Pick<GatewayErrorInit, 'reason' | 'explanation'>): GatewayError {
  return new GatewayError({
    ...why,
    kind: 'authentication',
    requestedAt: new Date(),
    requestId: '',
    wasSent: false,
  });
}
