import * as vscode from 'vscode';
import { onDidChangeSettings, readGateways, writeGateways } from '../settings.ts';
import type { ConfiguredGateway } from './configuredGateway.ts';

/** A gateway of the user's settings, or the demo gateway on this machine. */
export type Gateway = ({ readonly kind: 'gateway' } & ConfiguredGateway) | DemoGateway;

interface DemoGateway {
  readonly kind: 'demo';
  readonly name: string;
}

export const demoGateway: DemoGateway = { kind: 'demo', name: 'Demo gateway' };

/** Identifies a gateway by kind and address, whatever its name. */
export function gatewayKey(gateway: Gateway): string {
  return gateway.kind === 'demo' ? 'demo' : `${gateway.name}@${gateway.baseUrl}`;
}

const currentKey = 'currentGateway';
/** The key under which an earlier version stored the choice. */
const earlierKey = 'currentProfile';

/**
 * The gateways, and the current one. The workspace stores the choice, so that no window switches another. A
 * workspace without a choice starts with the gateway used last.
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
   * Finds a gateway of an earlier session in the settings, also under another name. Undefined when it was
   * removed or its address changed.
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

  /** Adds a gateway, or changes the address of the one with this name. */
  async save({ name, baseUrl }: ConfiguredGateway): Promise<void> {
    const others = this.all.filter((each) => each.name !== name);
    const existing = this.all.find((each) => each.name === name);
    const kept = existing && sameOrigin(existing.baseUrl, baseUrl) ? existing : withoutOrigins(existing);
    await writeGateways([...others, { ...kept, name, baseUrl }]);
  }

  async remove(name: string): Promise<void> {
    await writeGateways(this.all.filter((each) => each.name !== name));
  }

  /** Suggests an unused name for a new address: its host, with a number if needed. */
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

/** A gateway without its permitted result origins, which another address must not inherit. */
function withoutOrigins(
  gateway: ConfiguredGateway | undefined,
): Omit<ConfiguredGateway, 'resultOrigins'> | undefined {
  if (gateway === undefined) return undefined;
  const { resultOrigins: _, ...rest } = gateway;
  return rest;
}
