import type * as vscode from 'vscode';
import { type ConfiguredGateway, readIdentity } from './configuredGateway.ts';

const memoryKey = 'manualRenames';

type GatewayIdentity = Pick<ConfiguredGateway, 'id' | 'name' | 'baseUrl'>;

/**
 * Detects gateways that the user renamed in the settings file. A change that removes one name of an address and adds
 * another name for the same address is a rename. Two separate changes are a removal and an addition.
 */
export class ManualRenames {
  readonly #memory: vscode.Memento;
  #before: readonly ConfiguredGateway[];

  /** @param before the current gateways of the settings */
  constructor(memory: vscode.Memento, before: readonly ConfiguredGateway[]) {
    this.#memory = memory;
    this.#before = before;
  }

  /** Compares the gateways before and after a change of the settings, and stores the renames. */
  follow(after: readonly ConfiguredGateway[]): void {
    const renames = findRenames(this.#before, after);
    this.#before = after;
    if (renames.length > 0)
      void this.#memory.update(memoryKey, { ...this.#renames, ...Object.fromEntries(renames) });
  }

  /** Lists the later storage keys of an earlier gateway, latest first; empty if the gateway was not renamed. */
  listLaterIdentities(earlierGateway: GatewayIdentity): readonly string[] {
    const identities: string[] = [];
    for (let id = this.#renames[buildKey(earlierGateway)]; id !== undefined && !identities.includes(id); ) {
      identities.unshift(id);
      id = this.#renames[buildKey({ name: id, baseUrl: earlierGateway.baseUrl })];
    }
    return identities;
  }

  get #renames(): Readonly<Record<string, string>> {
    return this.#memory.get(memoryKey, {});
  }
}

/** Returns the earlier key and the current storage key of each renamed gateway. */
export function findRenames(
  before: readonly GatewayIdentity[],
  after: readonly GatewayIdentity[],
): readonly [string, string][] {
  const removedGateways = omitGateways(before, after);
  const addedGateways = omitGateways(after, before);
  return removedGateways.flatMap((from): [string, string][] => {
    const isAtAddress = ({ baseUrl }: GatewayIdentity) => baseUrl === from.baseUrl;
    const [to, ...others] = addedGateways.filter(isAtAddress);
    const isUnambiguous = others.length === 0 && removedGateways.filter(isAtAddress).length === 1;
    return to && isUnambiguous ? [[buildKey(from), readIdentity(to)]] : [];
  });
}

function omitGateways(
  gateways: readonly GatewayIdentity[],
  others: readonly GatewayIdentity[],
): readonly GatewayIdentity[] {
  const keys = new Set(others.map(buildKey));
  return gateways.filter((gateway) => !keys.has(buildKey(gateway)));
}

function buildKey(gateway: GatewayIdentity): string {
  return `${readIdentity(gateway)}@${gateway.baseUrl}`;
}
