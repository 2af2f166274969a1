import * as vscode from 'vscode';
import type { GatewayClient } from '../../client/gatewayClient.ts';
import { anyGatewayThere, gatewayName, isAnyThere } from '../../tasks/gatewayName.ts';
import { GatewayError } from '../../wire/failure.ts';
import type { Connection } from '../connection/connection.ts';
import type { LocalGateway } from '../connection/localGateway.ts';
import { demoProfile, type Profile, type Profiles } from '../connection/profiles.ts';
import { asGatewayError } from '../gatewayError.ts';

const demoGateway = 'demo';

/** The name under which the ledger knows a profile's gateway, whatever the profile is called. */
export function gatewayOf(profile: Profile): string {
  return profile.kind === 'demo' ? demoGateway : gatewayName(profile.baseUrl);
}

/** The clients of the gateways at which tasks live, whatever the window is connected to now. */
export class TaskGateways {
  readonly #connection: Connection;
  readonly #profiles: Profiles;
  readonly #localGateway: LocalGateway;
  readonly #clients = new Map<string, Promise<GatewayClient>>();
  readonly #subscription: vscode.Disposable;

  constructor(connection: Connection, profiles: Profiles, localGateway: LocalGateway) {
    this.#connection = connection;
    this.#profiles = profiles;
    this.#localGateway = localGateway;
    this.#subscription = localGateway.onDidStop(() => this.forgetAll());
  }

  /** Calls `listener` with the gateway whenever one answered a request as it should. */
  onDidAnswer(listener: (gateway: string) => void): vscode.Disposable {
    return this.#connection.onDidAnswer((profile) => listener(gatewayOf(profile)));
  }

  /**
   * The client with which a profile's tasks are reached. Starts the local gateway for those of the demo.
   *
   * @throws {GatewayError}
   */
  reach(gateway: string, profileName: string): Promise<GatewayClient> {
    const name = `${gateway} ${profileName}`;
    const known = this.#clients.get(name);
    if (known) return known;
    const client = this.#open(gateway, profileName);
    this.#clients.set(name, client);
    client.catch(() => this.#clients.delete(name));
    return client;
  }

  /** Where a result lies now: the local gateway has another address each time it starts. */
  async locate(gateway: string, address: string): Promise<string> {
    if (gateway !== demoGateway || !address.startsWith('http://127.0.0.1:')) return address;
    const { pathname, search } = new URL(address);
    const { baseUrl } = await this.#localGateway.start();
    return new URL(pathname + search, baseUrl).href;
  }

  /** The profile by which a gateway is reached: the one of that name, else any that leads there. */
  profileOf(gateway: string, name: string): Profile | undefined {
    if (gateway === demoGateway) return demoProfile;
    const there = this.#profilesAt(gateway);
    return there.find((profile) => profile.name === name) ?? there[0];
  }

  /** The gateway of a task of which only the origin is known: that of the profile it names, if that one is there. */
  nameOf(gateway: string, profileName: string): string | undefined {
    const named = this.#profilesAt(gateway).find(({ name }) => name === profileName);
    return named && gatewayOf(named);
  }

  /** Makes all clients anew when they are next needed; what is under way comes to its end. */
  forgetAll(): void {
    for (const client of this.#clients.values()) client.then((open) => open.close()).catch(() => {});
    this.#clients.clear();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.forgetAll();
  }

  #profilesAt(gateway: string): readonly Profile[] {
    return this.#profiles.all
      .map((profile) => ({ kind: 'gateway', ...profile }) as const)
      .filter((profile) => {
        const name = gatewayOf(profile);
        return name === gateway || (isAnyThere(gateway) && anyGatewayThere(name) === gateway);
      });
  }

  #open(gateway: string, profileName: string): Promise<GatewayClient> {
    const profile = this.profileOf(gateway, profileName);
    if (profile === undefined) return Promise.reject(noProfile(gateway));
    return this.#connection.open(profile).catch((error) => {
      throw asGatewayError(error, profile);
    });
  }
}

function noProfile(gateway: string): GatewayError {
  return new GatewayError({
    kind: 'authentication',
    message: vscode.l10n.t('No profile leads to {0} any more. Connect to it again.', gateway),
    requestedAt: new Date(),
    requestId: '',
    sent: false,
  });
}
