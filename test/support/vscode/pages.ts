// Pages: tabs with a webview that is not loaded.
import type * as vscode from 'vscode';
import { URI } from 'vscode-uri';
import { noEvent } from './noEvent.ts';
import {
  activateTab,
  closeTabs,
  moveTab,
  onDidChangeActiveTabs,
  openTab,
  renameTab,
  type Tab,
} from './tabs.ts';
import { EventEmitter, TabInputWebview, ViewColumn } from './values.ts';

const panels = new Set<Panel>();

onDidChangeActiveTabs(() => {
  for (const panel of panels) panel.update();
});

/** A page that is not loaded, so it neither receives nor sends messages. */
class Webview {
  options: vscode.WebviewOptions;
  html = '';
  readonly cspSource = 'https://*.vscode-cdn.net';
  readonly onDidReceiveMessage = noEvent;

  constructor(options: vscode.WebviewOptions = {}) {
    this.options = options;
  }

  asWebviewUri(uri: vscode.Uri): vscode.Uri {
    return URI.from({ scheme: 'https', authority: 'file+.vscode-resource.vscode-cdn.net', path: uri.path });
  }

  async postMessage(): Promise<boolean> {
    return false;
  }
}

/** Where a panel opens. */
interface Place {
  readonly viewColumn: number;
  readonly preserveFocus?: boolean;
}

type PanelOptions = vscode.WebviewPanelOptions & vscode.WebviewOptions;

/** A tab with a page. */
class Panel {
  readonly viewType: string;
  readonly webview: Webview;
  readonly options: vscode.WebviewPanelOptions;
  iconPath: vscode.WebviewPanel['iconPath'];
  readonly tab: Tab;
  readonly #disposed = new EventEmitter<void>();
  readonly #changed = new EventEmitter<vscode.WebviewPanelOnDidChangeViewStateEvent>();
  readonly onDidDispose = this.#disposed.event;
  readonly onDidChangeViewState = this.#changed.event;
  #state = '';
  #isDisposed = false;

  constructor(viewType: string, title: string, place: Place, options: PanelOptions = {}) {
    this.viewType = viewType;
    this.options = options;
    this.webview = new Webview(options);
    const content = {
      input: new TabInputWebview(`mainThreadWebview-${viewType}`),
      onClosed: () => this.#dispose(),
    };
    this.tab = openTab(title, content, place.viewColumn, place.preserveFocus);
    panels.add(this);
    this.#state = this.#viewState;
  }

  get title(): string {
    this.#check();
    return this.tab.label;
  }

  set title(title: string) {
    this.#check();
    renameTab(this.tab, title);
  }

  get active(): boolean {
    this.#check();
    return this.tab.isActive && this.tab.group.isActive;
  }

  get visible(): boolean {
    this.#check();
    return this.tab.isActive;
  }

  get viewColumn(): number | undefined {
    this.#check();
    return this.tab.group.viewColumn;
  }

  /** The values that an event about the view state reports. */
  get #viewState(): string {
    const { isActive, group } = this.tab;
    return `${isActive} ${isActive && group.isActive} ${group.viewColumn}`;
  }

  reveal(column?: number, preserveFocus?: boolean): void {
    this.#check();
    if (column !== undefined && column !== ViewColumn.Active) moveTab(this.tab, column);
    activateTab(this.tab, preserveFocus);
  }

  dispose(): void {
    closeTabs([this.tab]);
  }

  /** Fires an event if the page became visible, hidden, active or inactive, or moved. */
  update(): void {
    if (this.#state === this.#viewState) return;
    this.#state = this.#viewState;
    this.#changed.fire({ webviewPanel: this as unknown as vscode.WebviewPanel });
  }

  #dispose(): void {
    if (this.#isDisposed) return;
    panels.delete(this);
    this.#disposed.fire();
    this.#isDisposed = true;
  }

  /** Throws an error after disposal, as VS Code does. */
  #check(): void {
    if (this.#isDisposed) throw new Error('Webview is disposed');
  }
}

/** Opens a page in a new tab. */
export function createWebviewPanel(
  viewType: string,
  title: string,
  place: number | Place,
  options?: PanelOptions,
): Panel {
  return new Panel(viewType, title, typeof place === 'number' ? { viewColumn: place } : place, options);
}
