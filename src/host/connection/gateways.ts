import * as vscode from 'vscode';
import { onDidChangeSettings, readSetting, writeSetting } from '../kit/manifest/settings.ts';
import { type ConfiguredGateway, identityOf, readGateways } from './configuredGateway.ts';
import { nameProblem } from './gatewayName.ts';
import { HandRenames } from './handRenames.ts';

/** A gateway of the user's settings, or the local gateway on this machine. */
export type Gateway = ({ readonly kind: 'gateway' } & ConfiguredGateway) | LocalEntry;

interface LocalEntry {
  readonly kind: 'local';
  readonly id: string;
  readonly name: string;
}

/** The local gateway among the gateways. Its id is its first name, under which it is remembered. */
export const localEntry: LocalEntry = {
  kind: 'local',
  id: 'Demo gateway',
  name: vscode.l10n.t('Local gateway'),
};

/** Whether something was kept under the name of the local gateway, also while VS Code spoke English. */
export function isLocalName(name: string): boolean {
  return name === localEntry.name || name === 'Local gateway';
}

/** Identifies a gateway by kind and address, whatever it was renamed to. */
export function gatewayKey(gateway: Gateway): string {
  return gateway.kind === 'local' ? 'demo' : `${identityOf(gateway)}@${gateway.baseUrl}`;
}

/**
 * The gateway with a key of before. One that was removed is named as it was called then.
 *
 * @returns undefined for what is no such key
 */
export function gatewayOfKey(gateways: Gateways, key: string, name = ''): Gateway | undefined {
  if (key === gatewayKey(localEntry)) return localEntry;
  const known = gateways.all.find((each) => gatewayKey({ kind: 'gateway', ...each }) === key);
  if (known) return { kind: 'gateway', ...known };
  const [, id, baseUrl] = /^(.*?)@(https?:.*)$/s.exec(key) ?? [];
  return id === undefined || baseUrl === undefined
    ? undefined
    : { kind: 'gateway', name: name === '' ? id : name, id, baseUrl };
}

const currentKey = 'currentGateway';

/**
 * The gateways, and the current one. The workspace stores the choice, so that no window switches another. A
 * workspace without a choice starts with the gateway used last.
 */
export class Gateways {
  readonly #context: vscode.ExtensionContext;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #settings: vscode.Disposable;
  readonly #handRenames: HandRenames;

  /** Fires when another gateway became current, or the current one was changed or removed. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(context: vscode.ExtensionContext) {
    this.#context = context;
    this.#handRenames = new HandRenames(context.globalState, this.all);
    this.#settings = onDidChangeSettings(() => {
      this.#handRenames.follow(this.all);
      this.#onDidChange.fire();
    });
  }

  get all(): readonly ConfiguredGateway[] {
    return readGateways(readSetting<unknown>('gateways'));
  }

  get current(): Gateway | undefined {
    const { workspaceState, globalState } = this.#context;
    const chosen = workspaceState.get<string>(currentKey) ?? globalState.get<string>(currentKey);
    if (chosen === localEntry.id) return localEntry;
    const { all } = this;
    const gateway =
      all.find((each) => identityOf(each) === chosen) ?? all.find((each) => each.name === chosen);
    return gateway && { kind: 'gateway', ...gateway };
  }

  /**
   * Finds a gateway of an earlier session in the settings, also under another name. Undefined when it was
   * removed or its address changed: another one at the same address may be another account.
   */
  now(earlier: Gateway): Gateway | undefined {
    if (earlier.kind === 'local') return localEntry;
    const there = this.all.filter(({ baseUrl }) => baseUrl === earlier.baseUrl);
    const identities = [identityOf(earlier), ...this.#handRenames.laterIdentities(earlier)];
    const [same] = identities.flatMap((id) => there.find((each) => identityOf(each) === id) ?? []);
    return same && { kind: 'gateway', ...same };
  }

  async use(name: string): Promise<void> {
    const named = this.all.find((each) => each.name === name);
    const chosen = named ? identityOf(named) : isLocalName(name) ? localEntry.id : name;
    await this.#context.workspaceState.update(currentKey, chosen);
    await this.#context.globalState.update(currentKey, chosen);
    this.#onDidChange.fire();
  }

  /**
   * Adds a gateway, or changes the address of the one with this name. One that is called after its address is
   * called after the new one.
   *
   * @returns its name now
   */
  async save({ name, baseUrl }: ConfiguredGateway): Promise<string> {
    const existing = this.all.find((each) => each.name === name);
    if (existing === undefined) {
      await writeSetting('gateways', [...this.all, { name, baseUrl }]);
      return name;
    }
    const kept = sameOrigin(existing.baseUrl, baseUrl) ? existing : withoutOrigins(existing);
    const isHosts = name === hostOf(existing.baseUrl) && name !== hostOf(baseUrl);
    const saved = called(isHosts ? this.nameFor(baseUrl) : name, { ...kept, baseUrl });
    await this.#replace(existing, saved);
    return saved.name;
  }

  /**
   * Gives a gateway another name. Its credential and all that is remembered stay where they are, under its
   * first name, so that nothing can be lost on the way.
   *
   * @returns false when another window changed or removed it meanwhile, or took the name
   */
  async rename(name: string, to: string): Promise<boolean> {
    const existing = this.all.find((each) => each.name === name);
    if (!existing || nameProblem(to, this.takenNames(existing)) !== undefined) return false;
    await this.#replace(existing, called(to, existing));
    return true;
  }

  async remove(name: string): Promise<void> {
    await writeSetting(
      'gateways',
      this.all.filter((each) => each.name !== name),
    );
  }

  /** The gateway at an address; a new one where there is none. */
  at(baseUrl: string): ConfiguredGateway {
    return this.all.find((each) => each.baseUrl === baseUrl) ?? { name: this.nameFor(baseUrl), baseUrl };
  }

  /** Suggests an unused name for a new address: its host, with a number if needed. */
  nameFor(baseUrl: string): string {
    const same = this.all.find((each) => each.baseUrl === baseUrl);
    if (same) return same.name;
    const host = new URL(baseUrl).host;
    const taken = this.takenNames();
    for (let number = 1; ; number++) {
      const name = number === 1 ? host : `${host} ${number}`;
      if (!taken.has(name)) return name;
    }
  }

  /** Names that no other gateway can have: another one's name, or what it is kept under. */
  takenNames(except?: ConfiguredGateway): ReadonlySet<string> {
    const others = this.all.filter(({ name }) => name !== except?.name);
    return new Set([
      localEntry.name,
      localEntry.id,
      ...others.flatMap((each) => [each.name, identityOf(each)]),
    ]);
  }

  async #replace({ name }: ConfiguredGateway, by: ConfiguredGateway): Promise<void> {
    await writeSetting(
      'gateways',
      this.all.map((each) => (each.name === name ? by : each)),
    );
  }

  dispose(): void {
    this.#settings.dispose();
    this.#onDidChange.dispose();
  }
}

/** The gateway under another name, with all that is kept of it. */
function called(name: string, gateway: ConfiguredGateway): ConfiguredGateway {
  const { id: _, ...rest } = gateway;
  const id = identityOf(gateway);
  return id === name ? { ...rest, name } : { ...rest, name, id };
}

function hostOf(baseUrl: string): string | undefined {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : undefined;
}

function sameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;
}

/** A gateway without its permitted result origins, which another address must not inherit. */
function withoutOrigins(gateway: ConfiguredGateway): ConfiguredGateway {
  const { resultOrigins: _, ...rest } = gateway;
  return rest;
}
