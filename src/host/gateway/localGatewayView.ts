import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import type { LocalGateway } from '../connection/localGateway.ts';
import type { LocalUpstreams } from '../connection/localUpstreams.ts';
import { KnownRows } from '../kit/display/knownRows.ts';
import { treeItem } from '../kit/display/rows.ts';
import { viewId } from '../kit/manifest/contributions.ts';
import { type GatewayNode, gatewayRows } from '../models/upstreamRows.ts';
import type { CrashRestart } from './crashRestart.ts';

/** How often the upstreams are looked at while the view is open, in milliseconds. */
const lookMs = 30_000;

/** The local gateway and its upstreams, with their state. */
export class LocalGatewayView implements vscode.TreeDataProvider<GatewayNode> {
  readonly #localGateway: LocalGateway;
  readonly #upstreams: LocalUpstreams;
  readonly #crashRestart: CrashRestart;
  readonly #onDidChange = new vscode.EventEmitter<GatewayNode[] | undefined>();
  readonly #known = new KnownRows<GatewayNode>();
  readonly #view: vscode.TreeView<GatewayNode>;
  readonly #subscriptions: readonly Disposable[];
  #timer: NodeJS.Timeout | undefined;
  readonly onDidChangeTreeData = this.#onDidChange.event;

  constructor(localGateway: LocalGateway, upstreams: LocalUpstreams, crashRestart: CrashRestart) {
    this.#localGateway = localGateway;
    this.#upstreams = upstreams;
    this.#crashRestart = crashRestart;
    this.#view = vscode.window.createTreeView(viewId('localGateway'), { treeDataProvider: this });
    this.#subscriptions = [
      localGateway.onDidChange(() => this.#show()),
      upstreams.onDidChange(() => this.#show()),
      crashRestart.onDidChange(() => this.#show()),
      this.#view.onDidChangeVisibility(() => this.#watch()),
    ];
    this.#watch();
    this.#show();
  }

  /** The name of the selected upstream. */
  get selected(): string | undefined {
    return this.#view.selection[0]?.name;
  }

  getChildren(node?: GatewayNode): GatewayNode[] {
    return node ? [] : [...this.#known.roots];
  }

  getTreeItem(node: GatewayNode): vscode.TreeItem {
    return this.#known.itemOf(node) ?? treeItem({ id: 'gone', label: '' });
  }

  dispose(): void {
    clearInterval(this.#timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#view.dispose();
    this.#onDidChange.dispose();
  }

  /** Nothing is asked while nobody looks. */
  #watch(): void {
    clearInterval(this.#timer);
    if (!this.#view.visible) return;
    void this.#look();
    this.#timer = setInterval(() => void this.#look(), lookMs);
  }

  /** Of whichever window: the gateway that runs is shown. */
  async #look(): Promise<void> {
    await this.#localGateway.join();
    await this.#upstreams.refresh();
  }

  #show(): void {
    const { isRunning, isStarting, address } = this.#localGateway;
    const { startsAgainAt } = this.#crashRestart;
    const state = { ...this.#upstreams.state, isRunning, isStarting };
    const shown = { ...state, baseUrl: address?.baseUrl, startsAgainAt };
    const changed = this.#known.update(gatewayRows(shown));
    if (changed?.length !== 0) this.#onDidChange.fire(changed && [...changed]);
  }
}
