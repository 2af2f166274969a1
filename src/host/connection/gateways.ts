import * as vscode from 'vscode';
import { onDidChangeSettings, readGateways, writeGateways } from '../settings.ts';
import type { ConfiguredGateway } from './configuredGateway.ts';

/** What the window is connected to: a gateway of the user's own, or the demo gateway on this machine. */
export type Gateway = ({ readonly kind: 'gateway' } & ConfiguredGateway) | DemoGateway;

interface DemoGateway {
  readonly kind: 'demo';
  readonly name: string;
}

export const demoGateway: DemoGateway = { kind: 'demo', name: 'Demo gateway' };

/** Tells gateways apart: another address is another gateway, whatever it is called. */
export function gatewayKey(gateway: Gateway): string {
  return gateway.kind === 'demo' ? 'demo' : `${gateway.name}@${gateway.baseUrl}`;
}

const currentKey = 'currentGateway';
/** Where an earlier version kept the choice. */
const earlierKey = 'currentProfile';

/**
 * The gateways and which of them this window uses. The choice is the workspace's own, so that one window
 * never switches another; a workspace that made none starts with the one used last.
 */
export class Gateways {
  readonly #context: vscode.ExtensionContext;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #settings: vscode.Disposable;

  /** Fires when another gateway became current, or the current one was changed or removed. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(context: vscode.ExtensionContext) {
    this.#context = context;
    this.#settings = onDidChangeSettings(() => this.#onDidChange.fire());
  }

  get all(): readonly ConfiguredGateway[] {
    return readGateways();
  }

  get current(): Gateway | undefined {
    const name = this.#chosen(this.#context.workspaceState) ?? this.#chosen(this.#context.globalState);
    if (name === demoGateway.name) return demoGateway;
    const gateway = this.all.find((each) => each.name === name);
    return gateway && { kind: 'gateway', ...gateway };
  }

  /**
   * A gateway of before as the settings have it now, also under another name. Undefined once it was removed
   * or has another address.
   */
  now(earlier: Gateway): Gateway | undefined {
    if (earlier.kind === 'demo') return demoGateway;
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

  /** Adds a gateway, or gives the one of the same name another address. */
  async save({ name, baseUrl }: ConfiguredGateway): Promise<void> {
    const others = this.all.filter((each) => each.name !== name);
    const existing = this.all.find((each) => each.name === name);
    const kept = existing && sameOrigin(existing.baseUrl, baseUrl) ? existing : withoutOrigins(existing);
    await writeGateways([...others, { ...kept, name, baseUrl }]);
  }

  async remove(name: string): Promise<void> {
    await writeGateways(this.all.filter((each) => each.name !== name));
  }

  /** A name for a new address that no other gateway has: its host, numbered when taken. */
  nameFor(baseUrl: string): string {
    const same = this.all.find((each) => each.baseUrl === baseUrl);
    if (same) return same.name;
    const host = new URL(baseUrl).host;
    const taken = new Set([demoGateway.name, ...this.all.map((each) => each.name)]);
    for (let number = 1; ; number++) {
      const name = number === 1 ? host : `${host} ${number}`;
      if (!taken.has(name)) return name;
    }
  }

  #chosen(state: vscode.Memento): string | undefined {
    return state.get<string>(currentKey) ?? state.get<string>(earlierKey);
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
  gateway: ConfiguredGateway | undefined,
): Omit<ConfiguredGateway, 'resultOrigins'> | undefined {
  if (gateway === undefined) return undefined;
  const { resultOrigins: _, ...rest } = gateway;
  return rest;
}
