import * as vscode from 'vscode';
import { onDidChangeSettings, readProfiles, writeProfiles } from '../settings.ts';
import type { GatewayProfile } from './gatewayProfile.ts';

/** What the window is connected to: a gateway of the user's own, or the demo gateway on this machine. */
export type Profile = ({ readonly kind: 'gateway' } & GatewayProfile) | DemoProfile;

interface DemoProfile {
  readonly kind: 'demo';
  readonly name: string;
}

export const demoProfile: DemoProfile = { kind: 'demo', name: 'Demo gateway' };

/** Tells gateways apart: another address is another gateway, whatever it is called. */
export function gatewayKey(profile: Profile): string {
  return profile.kind === 'demo' ? 'demo' : `${profile.name}@${profile.baseUrl}`;
}

const currentKey = 'currentProfile';

/**
 * The profiles and which of them this window uses. The choice is the workspace's own, so that one window
 * never switches another; a workspace that made none starts with the one used last.
 */
export class Profiles {
  readonly #context: vscode.ExtensionContext;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #settings: vscode.Disposable;

  /** Fires when another profile became current, or the current one was changed or removed. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(context: vscode.ExtensionContext) {
    this.#context = context;
    this.#settings = onDidChangeSettings(() => this.#onDidChange.fire());
  }

  get all(): readonly GatewayProfile[] {
    return readProfiles();
  }

  get current(): Profile | undefined {
    const name =
      this.#context.workspaceState.get<string>(currentKey) ??
      this.#context.globalState.get<string>(currentKey);
    if (name === demoProfile.name) return demoProfile;
    const profile = this.all.find((each) => each.name === name);
    return profile && { kind: 'gateway', ...profile };
  }

  /**
   * A gateway of before as the settings have it now, also under another name. Undefined once it was removed
   * or has another address.
   */
  now(earlier: Profile): Profile | undefined {
    if (earlier.kind === 'demo') return demoProfile;
    const there = this.all.filter(({ baseUrl }) => baseUrl === earlier.baseUrl);
    const same =
      there.find(({ name }) => name === earlier.name) ?? (there.length === 1 ? there[0] : undefined);
    return same && { kind: 'gateway', ...same };
  }

  async use(name: string): Promise<void> {
    await this.#context.workspaceState.update(currentKey, name);
    await this.#context.globalState.update(currentKey, name);
    this.#onDidChange.fire();
  }

  /** Adds a profile, or gives the one of the same name another address. */
  async save({ name, baseUrl }: GatewayProfile): Promise<void> {
    const others = this.all.filter((each) => each.name !== name);
    const existing = this.all.find((each) => each.name === name);
    const kept = existing && sameOrigin(existing.baseUrl, baseUrl) ? existing : withoutOrigins(existing);
    await writeProfiles([...others, { ...kept, name, baseUrl }]);
  }

  async remove(name: string): Promise<void> {
    await writeProfiles(this.all.filter((each) => each.name !== name));
  }

  /** A name for a new address that no other profile has: its host, numbered when taken. */
  nameFor(baseUrl: string): string {
    const same = this.all.find((each) => each.baseUrl === baseUrl);
    if (same) return same.name;
    const host = new URL(baseUrl).host;
    const taken = new Set([demoProfile.name, ...this.all.map((each) => each.name)]);
    for (let number = 1; ; number++) {
      const name = number === 1 ? host : `${host} ${number}`;
      if (!taken.has(name)) return name;
    }
  }

  dispose(): void {
    this.#settings.dispose();
    this.#onDidChange.dispose();
  }
}

function sameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;
}

/** What was opened to one gateway is not open to another of the same name. */
function withoutOrigins(
  profile: GatewayProfile | undefined,
): Omit<GatewayProfile, 'resultOrigins'> | undefined {
  if (profile === undefined) return undefined;
  const { resultOrigins: _, ...rest } = profile;
  return rest;
}
