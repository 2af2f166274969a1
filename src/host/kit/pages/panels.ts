import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { errorTrace } from '../../../base/errors.ts';
import { openTab, revealTab, type TabLocation } from '../display/editorTabs.ts';
import type { Log } from '../display/log.ts';
import { errorText } from '../display/storageNotice.ts';
import { panelType } from '../manifest/contributions.ts';
import type { OpenTabs } from './openTabs.ts';
import type { PageFrame } from './page.ts';
import { escapeHtml, toLanguageTag } from './pageDocument.ts';

/** The shared data of all panels. */
interface PanelContext {
  /** The installation folder of the extension. */
  readonly extension: vscode.Uri;
  readonly log: Log;
}

/** Describes a kind of panel. `P` is the content of a tab. `Opening` describes the content to open. */
export interface PanelKind<P, Opening> {
  readonly title: (opening: Opening) => string;
  /** Finds an open panel to reuse, and prepares it for `opening`. Returns undefined to open a new panel. */
  readonly reuse: (open: readonly P[], opening: Opening) => P | undefined;
  /** @param wasOpen whether the panel replaces a tab of an earlier session */
  readonly create: (frame: PageFrame, opening: Opening, wasOpen: boolean) => P;
  /** The id of the content as `OpenTabs` uses it; undefined for new content. */
  readonly readId?: (opening: Opening) => string | undefined;
  /**
   * Returns the content of a tab of an earlier session, from the stored state of its page. Returns undefined to close
   * the tab.
   */
  readonly restore?: (storedState: unknown) => Promise<Opening | undefined>;
}

/** The locations for the panels of a kind. */
interface PanelLocations {
  /**
   * Chooses the location of a new panel.
   *
   * @param lastActive the last active open panel
   */
  choose(lastActive: vscode.WebviewPanel | undefined): TabLocation;
  /** Locks the group of a panel that opened next to the active group. */
  lock(panel: vscode.WebviewPanel): Promise<void>;
}

interface PanelOptions<P extends { readonly panel: vscode.WebviewPanel }, Opening> {
  /** A word that is used in the view type, in the names of the icons, and in the name of the element. */
  readonly name: string;
  /** Loads the code of the kind when a panel first opens. */
  readonly load: () => Promise<PanelKind<P, Opening>>;
  /** Restores the panels after a reload. The kind must be in package.json. */
  readonly tabs?: OpenTabs<P>;
  /** Whether the pages have their own find widget; otherwise VS Code's find widget is used. */
  readonly hasOwnFindWidget?: boolean;
  /** The location of new panels; the active group by default. */
  readonly locations?: PanelLocations;
}

/** The open panels of a kind. */
export class Panels<P extends { readonly panel: vscode.WebviewPanel }, Opening>
  implements vscode.WebviewPanelSerializer
{
  readonly #context: PanelContext;
  readonly #options: PanelOptions<P, Opening>;
  readonly #open = new Set<P>();
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #serializer: vscode.Disposable | undefined;
  #kind: Promise<PanelKind<P, Opening>> | undefined;
  #lastActive: P | undefined;

  /** Fires when a panel opened or closed. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(context: PanelContext, options: PanelOptions<P, Opening>) {
    this.#context = context;
    this.#options = options;
    if (options.tabs) {
      this.#serializer = vscode.window.registerWebviewPanelSerializer(panelType(options.name), this);
      options.tabs.follow(this);
    }
  }

  get all(): readonly P[] {
    return [...this.#open];
  }

  get active(): P | undefined {
    return this.all.find(({ panel }) => panel.active);
  }

  /** The active panel, otherwise the last active panel. */
  get lastActive(): P | undefined {
    return this.#lastActive;
  }

  /** Reveals an open panel that can be reused, otherwise opens a new panel. */
  async open(opening: Opening, location: TabLocation = {}): Promise<P> {
    const kind = await this.#load();
    const unviewed = this.#findUnviewedTab(kind, opening);
    if (unviewed) return this.#replaceTab(kind, opening, location, unviewed);
    const reusable = kind.reuse(this.all, opening);
    if (!reusable) {
      const chosen = this.#chooseLocation(location);
      const opened = this.#openNew(kind, opening, chosen);
      await this.#lockGroup(opened.panel, chosen);
      return opened;
    }
    revealTab(reusable.panel, location);
    await this.#lockGroup(reusable.panel, location);
    return reusable;
  }

  /**
   * Opens a panel to replace a tab that VS Code restored, because such a tab becomes a panel only when it is
   * viewed.
   */
  async #replaceTab(
    kind: PanelKind<P, Opening>,
    opening: Opening,
    location: TabLocation,
    unviewed: vscode.Tab,
  ): Promise<P> {
    const { group } = unviewed;
    const opened = this.#openNew(kind, opening, { column: group.viewColumn, ...location }, true);
    if (group.tabs.includes(unviewed)) await vscode.window.tabGroups.close(unviewed, true);
    return opened;
  }

  #openNew(kind: PanelKind<P, Opening>, opening: Opening, location: TabLocation, wasOpen = false): P {
    const { name, hasOwnFindWidget } = this.#options;
    const panel = openTab(panelType(name), kind.title(opening), location, hasOwnFindWidget);
    return this.#add(kind.create(this.#createFrame(panel), opening, wasOpen), !location.preserveFocus);
  }

  #chooseLocation(location: TabLocation): TabLocation {
    if (location.isBeside || location.column !== undefined) return location;
    return { ...location, ...this.#options.locations?.choose(this.#lastActive?.panel) };
  }

  async #lockGroup(panel: vscode.WebviewPanel, { isBeside, preserveFocus }: TabLocation): Promise<void> {
    if (isBeside && !preserveFocus) await this.#options.locations?.lock(panel);
  }

  #findUnviewedTab({ readId }: PanelKind<P, Opening>, opening: Opening): vscode.Tab | undefined {
    const id = readId?.(opening);
    return id === undefined ? undefined : this.#options.tabs?.findUnviewedTab(id, this.all);
  }

  /**
   * Opens the content that a page of an earlier session stored.
   *
   * @returns undefined if the content does not exist any more
   */
  async reopen(storedState: unknown, location: TabLocation = {}): Promise<P | undefined> {
    const opening = await (await this.#load()).restore?.(storedState);
    return opening && this.open(opening, location);
  }

  /** Restores a tab of an earlier session. If the content cannot be read, shows the reason and preserves the state. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, storedState: unknown): Promise<void> {
    const { log } = this.#context;
    try {
      await this.#restore(panel, storedState);
    } catch (error) {
      const frame = this.#createFrame(panel);
      log.error('page', `${frame.element}: ${errorTrace(error)}`);
      const retry = () => void this.deserializeWebviewPanel(panel, storedState);
      showFailedPage({ panel, dist: frame.dist, error, retry });
    }
  }

  async #restore(panel: vscode.WebviewPanel, storedState: unknown): Promise<void> {
    const kind = await this.#load();
    const opening =
      (await kind.restore?.(storedState)) ??
      (await kind.restore?.(this.#options.tabs?.findUnsavedState(panel.title, this.all)));
    if (opening === undefined || kind.reuse(this.all, opening)) panel.dispose();
    else this.#add(kind.create(this.#createFrame(panel), opening, true), panel.active);
  }

  dispose(): void {
    this.#serializer?.dispose();
    for (const { panel } of this.#open) panel.dispose();
    this.#onDidChange.dispose();
  }

  #load(): Promise<PanelKind<P, Opening>> {
    this.#kind ??= this.#options.load().catch((error) => {
      this.#kind = undefined;
      throw error;
    });
    return this.#kind;
  }

  #createFrame(panel: vscode.WebviewPanel): PageFrame {
    const { extension, log } = this.#context;
    const { name } = this.#options;
    const icon = (theme: string) => vscode.Uri.joinPath(extension, 'media', `${name}-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    return { panel, element: `mg-${name}`, dist: vscode.Uri.joinPath(extension, 'dist'), log };
  }

  /** @param isActive whether the panel is active or will be active. VS Code reports a new active panel later. */
  #add(opened: P, isActive: boolean): P {
    const { panel } = opened;
    this.#open.add(opened);
    if (isActive || !this.#lastActive?.panel.active) this.#lastActive = opened;
    panel.onDidChangeViewState(() => {
      if (panel.active) this.#lastActive = opened;
      // If another panel covered this panel without the focus, VS Code reports a change only for this panel.
      else if (this.#lastActive === opened) this.#lastActive = this.active ?? opened;
    });
    panel.onDidDispose(() => {
      this.#open.delete(opened);
      if (this.#lastActive === opened) this.#lastActive = this.all.at(-1);
      this.#onDidChange.fire();
    });
    this.#onDidChange.fire();
    return opened;
  }
}

interface FailedPageOptions {
  readonly panel: vscode.WebviewPanel;
  /** The folder of the pages' bundle. */
  readonly dist: vscode.Uri;
  readonly error: unknown;
  /** Called when the user tries again, at most once each time the page is shown. */
  readonly retry: () => void;
}

/** Shows why the content of a restored tab cannot be shown, with a button to try again. */
export function showFailedPage({ panel, dist, error, retry }: FailedPageOptions): void {
  const { webview } = panel;
  webview.options = { enableScripts: true, localResourceRoots: [dist] };
  const listener = webview.onDidReceiveMessage(() => {
    listener.dispose();
    retry();
  });
  webview.html = buildFailedHtml(webview, dist, {
    title: vscode.l10n.t('{0} could not be opened', panel.title),
    detail: errorText(error),
    help: vscode.l10n.t('Nothing was changed. Try again after fixing the cause; see the log for details.'),
    button: vscode.l10n.t('Try Again'),
  });
}

type PageTexts = Readonly<Record<'title' | 'detail' | 'help' | 'button', string>>;

function buildFailedHtml(webview: vscode.Webview, dist: vscode.Uri, texts: PageTexts): string {
  const nonce = randomBytes(16).toString('base64url');
  const style = webview.asWebviewUri(vscode.Uri.joinPath(dist, 'webview.css'));
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${webview.cspSource}`;
  return `<!DOCTYPE html>
<html lang="${toLanguageTag(vscode.env.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${style}">
</head>
<body>
<main class="welcome" role="alert">
<h1>${escapeHtml(texts.title)}</h1>
<p>${escapeHtml(texts.detail)}</p>
<p>${escapeHtml(texts.help)}</p>
<button type="button" class="button">${escapeHtml(texts.button)}</button>
</main>
<script nonce="${nonce}">
const host = acquireVsCodeApi();
document.querySelector('button').addEventListener('click', () => host.postMessage({ type: 'retry' }), { once: true });
</script>
</body>
</html>`;
}
