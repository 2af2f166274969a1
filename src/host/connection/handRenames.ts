import type * as vscode from 'vscode';
import { type ConfiguredGateway, identityOf } from './configuredGateway.ts';

const memoryKey = 'renamedByHand';

type Named = Pick<ConfiguredGateway, 'id' | 'name' | 'baseUrl'>;

/**
 * Gateways that got another name by hand in the settings, where nothing but the moment tells a new name from a
 * removal: one change takes a name away from an address, and gives the same address another one.
 */
export class HandRenames {
  readonly #memory: vscode.Memento;
  #before: readonly ConfiguredGateway[];

  /** @param before the gateways as they are in the settings now */
  constructor(memory: vscode.Memento, before: readonly ConfiguredGateway[]) {
    this.#memory = memory;
    this.#before = before;
  }

  /** Takes the gateways as one change of the settings left them. */
  follow(after: readonly ConfiguredGateway[]): void {
    const renames = renamesBetween(this.#before, after);
    this.#before = after;
    if (renames.length > 0)
      void this.#memory.update(memoryKey, { ...this.#known, ...Object.fromEntries(renames) });
  }

  /** What a gateway of before is kept under now, the latest first; empty where it was not renamed. */
  laterIdentities(earlier: Named): readonly string[] {
    const later: string[] = [];
    for (let id = this.#known[keyOf(earlier)]; id !== undefined && !later.includes(id); ) {
      later.unshift(id);
      id = this.#known[keyOf({ name: id, baseUrl: earlier.baseUrl })];
    }
    return later;
  }

  get #known(): Readonly<Record<string, string>> {
    return this.#memory.get(memoryKey, {});
  }
}

/** Each renamed gateway by its key of before, with what it is kept under now. */
export function renamesBetween(
  before: readonly Named[],
  after: readonly Named[],
): readonly [string, string][] {
  const gone = without(before, after);
  const added = without(after, before);
  return gone.flatMap((from): [string, string][] => {
    const isThere = ({ baseUrl }: Named) => baseUrl === from.baseUrl;
    const [to, ...others] = added.filter(isThere);
    const isOnly = others.length === 0 && gone.filter(isThere).length === 1;
    return to && isOnly ? [[keyOf(from), identityOf(to)]] : [];
  });
}

function without(gateways: readonly Named[], others: readonly Named[]): readonly Named[] {
  const keys = new Set(others.map(keyOf));
  return gateways.filter((gateway) => !keys.has(keyOf(gateway)));
}

function keyOf(gateway: Named): string {
  return `${identityOf(gateway)}@${gateway.baseUrl}`;
}
