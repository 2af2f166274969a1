import * as vscode from 'vscode';
import { panelType } from '../contributions.ts';
import { openTab } from '../display/tabs.ts';
import type { Log } from '../log.ts';
import type { PageFrame } from './page.ts';

/** What the tabs of the extension have in common. */
export interface PanelContext {
  /** Where the extension is installed. */
  readonly extension: vscode.Uri;
  readonly log: Log;
}

/** What one kind of panel does: `P` stands in the tab, `Opening` says what it is opened with. */
export interface PanelKind<P, Opening> {
  readonly title: (opening: Opening) => string;
  /** An open panel that serves as well as another one, made ready for that; undefined for a new one. */
  readonly reuse: (open: readonly P[], opening: Opening) => P | undefined;
  readonly create: (frame: PageFrame, opening: Opening) => P;
  /** What to open again for a tab of an earlier session, by what its page remembered; undefined closes the tab. */
  readonly restore?: (remembered: unknown) => Promise<Opening | undefined>;
}

interface PanelOptions<P, Opening> {
  /** One word: the view type ends in it, the icons' names begin with it, and `mg-` before it is the page's element. */
  readonly name: string;
  /** Brings the code of the kind, with all that it needs, when a panel is first opened. */
  readonly load: () => Promise<PanelKind<P, Opening>>;
  /** Whether a window that is loaded anew opens them again; package.json must name the kind then. */
  readonly restored?: boolean;
}

/** The open panels of one kind. */
export class Panels<P extends { readonly panel: vscode.WebviewPanel }, Opening>
  implements vscode.WebviewPanelSerializer
{
  readonly #context: PanelContext;
  readonly #options: PanelOptions<P, Opening>;
  readonly #open = new Set<P>();
  readonly #serializer: vscode.Disposable | undefined;
  #kind: Promise<PanelKind<P, Opening>> | undefined;
  #lastActive: P | undefined;

  constructor(context: PanelContext, options: PanelOptions<P, Opening>) {
    this.#context = context;
    this.#options = options;
    if (options.restored) {
      this.#serializer = vscode.window.registerWebviewPanelSerializer(panelType(options.name), this);
    }
  }

  get all(): readonly P[] {
    return [...this.#open];
  }

  /** The panel in front. */
  get active(): P | undefined {
    return this.all.find(({ panel }) => panel.active);
  }

  /** The panel in front, else the one that was there last. */
  get lastActive(): P | undefined {
    return this.#lastActive;
  }

  /** Shows a panel: one that is open where it serves, else another. */
  async open(opening: Opening): Promise<P> {
    const kind = await this.#load();
    const known = kind.reuse(this.all, opening);
    if (!known) {
      const panel = openTab(panelType(this.#options.name), kind.title(opening));
      return this.#add(kind.create(this.#frame(panel), opening));
    }
    known.panel.reveal();
    return known;
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, remembered: unknown): Promise<void> {
    const kind = await this.#load();
    const opening = await kind.restore?.(remembered);
    if (opening === undefined || kind.reuse(this.all, opening)) panel.dispose();
    else this.#add(kind.create(this.#frame(panel), opening));
  }

  dispose(): void {
    this.#serializer?.dispose();
    for (const { panel } of this.#open) panel.dispose();
  }

  #load(): Promise<PanelKind<P, Opening>> {
    this.#kind ??= this.#options.load();
    return this.#kind;
  }

  #frame(panel: vscode.WebviewPanel): PageFrame {
    const { extension, log } = this.#context;
    const { name } = this.#options;
    const icon = (theme: string) => vscode.Uri.joinPath(extension, 'media', `${name}-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    return { panel, element: `mg-${name}`, dist: vscode.Uri.joinPath(extension, 'dist'), log };
  }

  #add(added: P): P {
    const { panel } = added;
    this.#open.add(added);
    this.#lastActive = added;
    panel.onDidChangeViewState(() => {
      if (panel.active) this.#lastActive = added;
    });
    panel.onDidDispose(() => {
      this.#open.delete(added);
      if (this.#lastActive === added) this.#lastActive = this.all.at(-1);
    });
    return added;
  }
}
