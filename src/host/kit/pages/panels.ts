import * as vscode from 'vscode';
import { errorTrace } from '../../../base/errors.ts';
import type { Log } from '../display/log.ts';
import { openTab, revealTab, type TabPlace } from '../display/tabs.ts';
import { panelType } from '../manifest/contributions.ts';
import { showFailedPage } from './failedPage.ts';
import type { OpenTabs } from './openTabs.ts';
import type { PageFrame } from './page.ts';

/** What all panels share. */
export interface PanelContext {
  /** Where the extension is installed. */
  readonly extension: vscode.Uri;
  readonly log: Log;
}

/** Describes one kind of panel. `P` is the content of a tab, `Opening` what it is opened with. */
export interface PanelKind<P, Opening> {
  readonly title: (opening: Opening) => string;
  /** Returns an open panel to reuse, prepared for `opening`; undefined to open a new one. */
  readonly reuse: (open: readonly P[], opening: Opening) => P | undefined;
  /** @param wasOpen whether it takes the place of a tab that an earlier session left */
  readonly create: (frame: PageFrame, opening: Opening, wasOpen: boolean) => P;
  /** What a tab opened so shows, as `OpenTabs` names it; undefined for something new. */
  readonly idOf?: (opening: Opening) => string | undefined;
  /**
   * Returns what to open again for a tab of an earlier session, from the page's stored state. Undefined
   * closes the tab.
   */
  readonly restore?: (remembered: unknown) => Promise<Opening | undefined>;
}

/** Where the panels of one kind open. */
interface PanelPlaces {
  /** @param lastActive the open panel that was active last */
  next(lastActive: vscode.WebviewPanel | undefined): TabPlace;
  /** Locks the group of a panel that opened beside the active group. */
  lock(panel: vscode.WebviewPanel): Promise<void>;
}

interface PanelOptions<P extends { readonly panel: vscode.WebviewPanel }, Opening> {
  /**
   * One word: the end of the view type, the beginning of the icons' names, and the element's name after
   * `mg-`.
   */
  readonly name: string;
  /** Loads the code of the kind when a panel first opens. */
  readonly load: () => Promise<PanelKind<P, Opening>>;
  /** Lets the panels come back after a reload. package.json must then name the kind. */
  readonly tabs?: OpenTabs<P>;
  /** Whether the pages find in themselves; else VS Code's find widget does. */
  readonly findsItself?: boolean;
  /** Where new panels open; the active group by default. */
  readonly places?: PanelPlaces;
}

/** The open panels of one kind. */
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

  /** The active panel. */
  get active(): P | undefined {
    return this.all.find(({ panel }) => panel.active);
  }

  /** The active panel, else the one that was active last. */
  get lastActive(): P | undefined {
    return this.#lastActive;
  }

  /** Reveals an open panel that can be reused, else opens a new one. */
  async open(opening: Opening, place: TabPlace = {}): Promise<P> {
    const kind = await this.#load();
    const waiting = this.#waitingTab(kind, opening);
    if (waiting) return this.#openInPlace(kind, opening, place, waiting);
    const known = kind.reuse(this.all, opening);
    if (!known) return this.#openNew(kind, opening, this.#placeFor(place));
    revealTab(known.panel, place);
    this.#lockBeside(known.panel, place);
    return known;
  }

  /** What VS Code kept as a tab is opened in its place: only a tab that is looked at becomes a panel. */
  async #openInPlace(
    kind: PanelKind<P, Opening>,
    opening: Opening,
    place: TabPlace,
    waiting: vscode.Tab,
  ): Promise<P> {
    const { group } = waiting;
    const added = this.#openNew(kind, opening, { column: group.viewColumn, ...place }, true);
    if (group.tabs.includes(waiting)) await vscode.window.tabGroups.close(waiting, true);
    return added;
  }

  #openNew(kind: PanelKind<P, Opening>, opening: Opening, place: TabPlace, wasOpen = false): P {
    const { name, findsItself } = this.#options;
    const panel = openTab(panelType(name), kind.title(opening), place, findsItself);
    this.#lockBeside(panel, place);
    return this.#add(kind.create(this.#frame(panel), opening, wasOpen));
  }

  #placeFor(place: TabPlace): TabPlace {
    if (place.beside || place.column !== undefined) return place;
    return { ...place, ...this.#options.places?.next(this.#lastActive?.panel) };
  }

  #lockBeside(panel: vscode.WebviewPanel, { beside, preserveFocus }: TabPlace): void {
    if (beside && !preserveFocus) void this.#options.places?.lock(panel);
  }

  #waitingTab({ idOf }: PanelKind<P, Opening>, opening: Opening): vscode.Tab | undefined {
    const id = idOf?.(opening);
    return id === undefined ? undefined : this.#options.tabs?.waitingTab(id, this.all);
  }

  /**
   * Opens what a page of an earlier session remembered.
   *
   * @returns undefined when it is gone
   */
  async openAgain(remembered: unknown, place: TabPlace = {}): Promise<P | undefined> {
    const opening = await (await this.#load()).restore?.(remembered);
    return opening && this.open(opening, place);
  }

  /** A tab whose content cannot be read says why, and keeps what it remembers. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, remembered: unknown): Promise<void> {
    const { log } = this.#context;
    try {
      await this.#restore(panel, remembered);
    } catch (error) {
      const frame = this.#frame(panel);
      log.error('page', `${frame.element}: ${errorTrace(error)}`);
      const retry = () => void this.deserializeWebviewPanel(panel, remembered);
      showFailedPage({ panel, dist: frame.dist, error, retry });
    }
  }

  async #restore(panel: vscode.WebviewPanel, remembered: unknown): Promise<void> {
    const kind = await this.#load();
    const opening = await kind.restore?.(remembered);
    if (opening === undefined || kind.reuse(this.all, opening)) panel.dispose();
    else this.#add(kind.create(this.#frame(panel), opening, true));
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
      this.#onDidChange.fire();
    });
    this.#onDidChange.fire();
    return added;
  }
}
