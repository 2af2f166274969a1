import * as vscode from 'vscode';
import { isObject } from '../../base/json.ts';
import { onDidChangeSettings, readSetting, writeSetting } from '../kit/manifest/settings.ts';
import { type ConfiguredGateway, findNameProblem, readGateways, readIdentity } from './configuredGateway.ts';
import { ManualRenames } from './manualRenames.ts';

/** A gateway of the user's settings, in contrast to the local gateway. */
export type OwnGateway = { readonly kind: 'gateway' } & ConfiguredGateway;

/** A gateway of the user's settings, or the local gateway on this machine. */
export type Gateway = OwnGateway | LocalEntry;

interface LocalEntry {
  readonly kind: 'local';
  readonly id: string;
  readonly name: string;
}

/** The entry of the local gateway in lists of gateways. Its id is its first name, which is its storage key. */
export const localEntry: LocalEntry = {
  kind: 'local',
  id: 'Demo gateway',
  name: vscode.l10n.t('Local gateway'),
};

/** Whether a stored name is a name of the local gateway, in the display language or in English. */
export function isLocalName(name: string): boolean {
  return name === localEntry.name || name === 'Local gateway';
}

/** Returns a key for a gateway and its address. The key does not change when the gateway is renamed. */
export function buildGatewayKey(gateway: Gateway): string {
  return gateway.kind === 'local' ? 'demo' : `${readIdentity(gateway)}@${gateway.baseUrl}`;
}

/**
 * Finds the gateway of a stored key.
 *
 * @param name the name of the gateway if it was removed from the settings
 * @returns undefined if the key is not valid
 */
export function findGatewayByKey(gateways: Gateways, key: string, name = ''): Gateway | undefined {
  if (key === buildGatewayKey(localEntry)) return localEntry;
  const configured = gateways.all.find((each) => buildGatewayKey(each) === key);
  if (configured) return configured;
  const [, id, baseUrl] = /^(.*?)@(https?:.*)$/s.exec(key) ?? [];
  return id === undefined || baseUrl === undefined
    ? undefined
    : { kind: 'gateway', name: name === '' ? id : name, id, baseUrl };
}

const currentKey = 'currentGateway';

/**
 * The gateways, and the current gateway. The choice is stored in the workspace, so that it does not affect other
 * windows. A workspace without a choice starts with the last chosen gateway.
 */
export class Gateways {
  readonly #context: vscode.ExtensionContext;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #settings: vscode.Disposable;
  readonly #manualRenames: ManualRenames;

  /** Fires when another gateway became current, or when the settings changed. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(context: vscode.ExtensionContext) {
    this.#context = context;
    this.#manualRenames = new ManualRenames(context.globalState, this.all);
    this.#settings = onDidChangeSettings(() => {
      this.#manualRenames.follow(this.all);
      this.#onDidChange.fire();
    });
  }

  /** The gateways of the settings, without the local gateway. */
  get all(): readonly OwnGateway[] {
    return this.#entries.map((each) => ({ kind: 'gateway', ...each }));
  }

  /** The entries of the settings. */
  get #entries(): readonly ConfiguredGateway[] {
    return readGateways(readSetting<unknown>('gateways'));
  }

  get current(): Gateway | undefined {
    const { workspaceState, globalState } = this.#context;
    const chosen = workspaceState.get<string>(currentKey) ?? globalState.get<string>(currentKey);
    if (chosen === localEntry.id) return localEntry;
    const { all } = this;
    return all.find((each) => readIdentity(each) === chosen) ?? all.find((each) => each.name === chosen);
  }

  /**
   * Finds a gateway of an earlier session in the settings, even if it was renamed. Returns undefined if it was removed
   * or its address changed. Another gateway at the same address is not used, because it may be another account.
   */
  resolve(earlierGateway: Gateway): Gateway | undefined {
    if (earlierGateway.kind === 'local') return localEntry;
    const atAddress = this.all.filter(({ baseUrl }) => baseUrl === earlierGateway.baseUrl);
    const identities = [
      readIdentity(earlierGateway),
      ...this.#manualRenames.listLaterIdentities(earlierGateway),
    ];
    const [renamed] = identities.flatMap((id) => atAddress.find((each) => readIdentity(each) === id) ?? []);
    return renamed;
  }

  async setCurrent(name: string): Promise<void> {
    const gateway = this.all.find((each) => each.name === name);
    const id = gateway ? readIdentity(gateway) : isLocalName(name) ? localEntry.id : name;
    await this.#context.workspaceState.update(currentKey, id);
    await this.#context.globalState.update(currentKey, id);
    this.#onDidChange.fire();
  }

  /**
   * Adds a gateway, or changes the address and the command of the gateway with this name. If the name was the host of
   * the old address, the name changes to the host of the new address.
   *
   * @returns the new name
   */
  async save({ name, baseUrl, credentialCommand }: ConfiguredGateway): Promise<string> {
    const command = credentialCommand === undefined ? {} : { credentialCommand };
    const entries = this.#entries;
    const savedEntry = entries.find((each) => each.name === name);
    if (savedEntry === undefined) {
      await writeSetting('gateways', [...entries, { name, baseUrl, ...command }]);
      return name;
    }
    const { credentialCommand: _, ...unchanged } = savedEntry;
    const existing = { ...unchanged, ...command };
    const base = isSameOrigin(existing.baseUrl, baseUrl) ? existing : omitOriginSettings(existing);
    const isNamedAfterHost = name === readHost(existing.baseUrl) && name !== readHost(baseUrl);
    const savedGateway = setName(isNamedAfterHost ? this.#findUnusedName(baseUrl) : name, {
      ...base,
      baseUrl,
    });
    await this.#replace(existing, savedGateway);
    return savedGateway.name;
  }

  /**
   * Renames a gateway. The keys of its credential and of its stored data contain its first name, so they do not change.
   *
   * @returns false if another window has renamed or removed the gateway in the meantime, or has used the name
   */
  async rename(name: string, to: string): Promise<boolean> {
    const existing = this.#entries.find((each) => each.name === name);
    if (!existing || findNameProblem(to, this.listTakenNames(existing)) !== undefined) return false;
    await this.#replace(existing, setName(to, existing));
    await renameInLimits(name, to);
    return true;
  }

  /** Replaces the further headers of a gateway. */
  async setExtraHeaders(
    name: string,
    headers: NonNullable<ConfiguredGateway['extraHeaders']>,
  ): Promise<void> {
    const existing = this.#entries.find((each) => each.name === name);
    if (!existing) return;
    const { extraHeaders: _, ...others } = existing;
    const isEmpty = Object.keys(headers).length === 0;
    await this.#replace(existing, isEmpty ? others : { ...others, extraHeaders: headers });
  }

  async remove(name: string): Promise<void> {
    await writeSetting(
      'gateways',
      this.#entries.filter((each) => each.name !== name),
    );
  }

  /** Finds the gateway at an address. Otherwise creates a gateway, but does not save it. */
  findOrCreateGateway(baseUrl: string): ConfiguredGateway {
    return (
      this.all.find((each) => each.baseUrl === baseUrl) ?? { name: this.#findUnusedName(baseUrl), baseUrl }
    );
  }

  /** Returns the host of an address, with a number if needed. */
  #findUnusedName(baseUrl: string): string {
    const host = new URL(baseUrl).host;
    const taken = this.listTakenNames();
    for (let number = 1; ; number++) {
      const name = number === 1 ? host : `${host} ${number}`;
      if (!taken.has(name)) return name;
    }
  }

  /** Lists the names and storage keys of the gateways. Another gateway must not have one of them as its name. */
  listTakenNames(except?: ConfiguredGateway): ReadonlySet<string> {
    const others = this.all.filter(({ name }) => name !== except?.name);
    return new Set([
      localEntry.name,
      localEntry.id,
      ...others.flatMap((each) => [each.name, readIdentity(each)]),
    ]);
  }

  async #replace({ name }: ConfiguredGateway, replacement: ConfiguredGateway): Promise<void> {
    await writeSetting(
      'gateways',
      this.#entries.map((each) => (each.name === name ? replacement : each)),
    );
  }

  dispose(): void {
    this.#settings.dispose();
    this.#onDidChange.dispose();
  }
}

/** Renames a gateway in the spending limits. */
async function renameInLimits(name: string, to: string): Promise<void> {
  const limits = readSetting<unknown>('spendingLimits');
  if (!Array.isArray(limits) || !limits.some((limit) => isObject(limit) && limit.gateway === name)) return;
  await writeSetting(
    'spendingLimits',
    limits.map((limit) => (isObject(limit) && limit.gateway === name ? { ...limit, gateway: to } : limit)),
  );
}

/** Changes the name of a gateway, but not its storage key. */
function setName(name: string, gateway: ConfiguredGateway): ConfiguredGateway {
  const { id: _, ...rest } = gateway;
  const id = readIdentity(gateway);
  return id === name ? { ...rest, name } : { ...rest, name, id };
}

function readHost(baseUrl: string): string | undefined {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : undefined;
}

function isSameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;
}

/** Removes the permitted result origins and the further headers, which must not apply to another origin. */
export function omitOriginSettings(gateway: ConfiguredGateway): ConfiguredGateway {
  const { resultOrigins: _, extraHeaders: __, ...rest } = gateway;
  return rest;
}
