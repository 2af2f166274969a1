import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { leanExtensions, leanSettings } from '../../scripts/leanVscode.mjs';
import { linkedExtension } from '../../scripts/linkedExtension.mjs';
import { workFolder } from '../../scripts/vscodeInstall.mjs';
import { installExtension, type Server, startServer } from '../../scripts/vscodeServer.mjs';
import { savesPictures } from './longRuns.ts';
import { setLanguage, WorkbenchBrowser } from './workbenchBrowser.ts';
import { WorkbenchQuickInput, waitForFocus } from './workbenchQuickInput.ts';

const actionTimeoutMs = 30_000;
const openTimeoutMs = 90_000;
/** An element that needs more Tab presses is considered unreachable by keyboard. */
const maxTabs = 40;
/** The duration of one polling round. A busy machine paints late. */
const roundMs = 2000;
/** The time limit of a click on a command. It must not be too short: the command may run anyway. */
const clickMs = 10_000;

/** A theme is active when the window has its class. */
const themes = {
  dark: { id: 'Dark Modern', label: 'Dark Modern', class: 'dark_modern' },
  light: { id: 'Light Modern', label: 'Light Modern', class: 'light_modern' },
  highContrast: { id: 'Default High Contrast', label: 'Dark High Contrast', class: 'hc_black' },
  highContrastLight: { id: 'Default High Contrast Light', label: 'Light High Contrast', class: 'hc_light' },
} as const;

export type Theme = keyof typeof themes;

export interface WorkbenchOptions {
  /** Names the folder of this window's settings, storage and logs below .vscode-test/. Emptied at the start. */
  readonly name: string;
  /** Extensions under development; by default this project's, or an empty list when a package is installed. */
  readonly extensions?: readonly string[];
  /** A packaged extension to install first. */
  readonly vsix?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** With all built-in extensions and features, as users have it; else with few of them, in half the time. */
  readonly isFull?: boolean;
  readonly theme?: Theme;
  /**
   * Marks the window as VS Code's Agents window, so that the rules for extensions there apply. The user interface of
   * that window is only in VS Code for the desktop.
   */
  readonly isAgentsWindow?: boolean;
  /** Added to the environment of the extension host. */
  readonly env?: Readonly<Record<string, string>>;
  readonly viewport?: { readonly width: number; readonly height: number };
  /** VS Code's display language, such as `zh-cn`. Its own texts stay English: no language pack is installed. */
  readonly language?: string;
  /** Runs before the window opens. */
  readonly prepare?: (page: Page) => Promise<void>;
}

interface ServerStart {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly builtInExtensions: string | undefined;
}

interface Parts {
  readonly page: Page;
  readonly server: Server;
  readonly browser: WorkbenchBrowser;
  readonly folder: string;
  readonly theme: Theme;
  /** The options with which the server was started. */
  readonly start: ServerStart;
  /** The address of the window. */
  readonly address: string;
}

/** A tooltip that opens over a row would receive the next click. Tests of tooltips set their own delay. */
const noHovers = { 'workbench.hover.delay': 3_600_000 };

/** The real workbench in Chromium, with its own extension host, as a user sees it. */
export class Workbench {
  readonly page: Page;
  readonly quickInput: WorkbenchQuickInput;
  /** The open folder of the window. */
  readonly folder: string;
  /** The folder of settings, extension storage (`data/User/globalStorage`) and logs (`data/logs`). */
  readonly dataDir: string;
  #server: Server;
  readonly #browser: WorkbenchBrowser;
  readonly #start: ServerStart;
  readonly #address: string;
  #theme: Theme;

  private constructor({ page, server, browser, folder, start, theme, address }: Parts) {
    this.page = page;
    this.quickInput = new WorkbenchQuickInput(page);
    this.folder = folder;
    this.dataDir = start.dataDir;
    this.#server = server;
    this.#browser = browser;
    this.#start = start;
    this.#address = address;
    this.#theme = theme;
  }

  /** Starts a separate server and opens an empty folder. Always `close` it. */
  static async open(options: WorkbenchOptions): Promise<Workbench> {
    const home = join(workFolder, 'ui', options.name);
    await rm(home, { recursive: true, force: true });
    const folder = join(home, 'workspace');
    const dataDir = join(home, 'server');
    await mkdir(folder, { recursive: true });
    const { theme = 'dark', isFull = false, env = {} } = options;
    const settings = {
      ...noHovers,
      ...(!isFull && { ...leanSettings, 'chat.disableAIFeatures': true }),
      'workbench.colorTheme': themes[theme].id,
      ...options.settings,
    };
    if (options.vsix) await installExtension(options.vsix, dataDir);
    const extensions = options.extensions ?? (options.vsix ? [] : [await linkedExtension()]);
    const start = { dataDir, env, builtInExtensions: isFull ? undefined : await leanExtensions() };
    const browser = await WorkbenchBrowser.take();
    const server = await browser.startServer({ ...start, settings });
    const page = await browser.newPage();
    await page.setViewportSize(options.viewport ?? { width: 1280, height: 800 });
    page.setDefaultTimeout(actionTimeoutMs);
    page.setDefaultNavigationTimeout(openTimeoutMs);
    const address = server.address({ folder, extensions, isAgentsWindow: options.isAgentsWindow });
    const workbench = new Workbench({ page, server, browser, folder, start, theme, address });
    try {
      if (options.language) await setLanguage(page, options.language);
      await options.prepare?.(page);
      await page.goto(address);
      await workbench.#waitUntilReady();
      return workbench;
    } catch (error) {
      await workbench.close();
      throw error;
    }
  }

  /** Ends everything and saves a final screenshot of the window next to its data. */
  async close(): Promise<void> {
    await this.page.screenshot({ path: join(dirname(this.dataDir), 'last.png') }).catch(() => {});
    await this.#browser.release();
    await this.#server.stop();
  }

  async tryDemo(): Promise<void> {
    await this.page.getByRole('button', { name: 'Try the Demo' }).click();
    await this.allowLocalGateway();
  }

  /** The folder with the files of our extension. */
  get storage(): string {
    return join(this.dataDir, 'data', 'User', 'globalStorage', 'model-gateway.model-gateway');
  }

  /** Confirms the dialog before the local gateway starts: a window in the browser works on another machine. */
  async allowLocalGateway(): Promise<void> {
    await this.dialog().getByRole('button', { name: 'Start There' }).click();
  }

  /** Opens another window on the same storage, with its own extension host. It ends with this one. */
  async openAnotherWindow(): Promise<Workbench> {
    const page = await this.#browser.newPage();
    page.setDefaultTimeout(actionTimeoutMs);
    page.setDefaultNavigationTimeout(openTimeoutMs);
    const viewport = this.page.viewportSize();
    if (viewport) await page.setViewportSize(viewport);
    const parts = {
      server: this.#server,
      browser: this.#browser,
      start: this.#start,
      theme: this.#theme,
      address: this.#address,
    };
    const window = new Workbench({ page, folder: this.folder, ...parts });
    await page.goto(this.#address);
    await window.#waitUntilReady();
    return window;
  }

  /** Reloads the window, which starts a new extension host. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.#waitUntilReady();
  }

  /** Kills the server with its extension host, and opens the window on a new one with the same data. */
  async crash(): Promise<void> {
    const { port } = this.#server;
    await this.#server.kill();
    this.#server = await startServer({ ...this.#start, port });
    await this.page.goto(this.#address);
    await this.#waitUntilReady();
  }

  /** Runs a command as the palette names it: `Category: Title`. */
  async runCommand(name: string): Promise<void> {
    await waitForFocus(this.page);
    // The palette would return the focus to a page, which may receive it late and close the command's own list.
    await this.page.locator('iframe:focus').evaluateAll((frames) => frames.map((frame) => frame.blur()));
    await this.#run(name, () => this.quickInput.pick(name, clickMs));
  }

  /** As `runCommand`, with the keyboard only. */
  async typeCommand(name: string): Promise<void> {
    await waitForFocus(this.page);
    await this.#run(name, () => this.quickInput.choose(name, roundMs));
  }

  /** Moves the focus of a page by Tab, or Shift+Tab, until it is on an element. */
  async tabTo(element: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    const isFocused = () =>
      element.evaluate((each) => each.matches(':focus') && each.ownerDocument.hasFocus());
    for (let steps = 0; !(await isFocused()); steps += 1) {
      if (steps === maxTabs) throw new Error(`${maxTabs} times ${key} does not lead to ${element}.`);
      await this.page.keyboard.press(key);
    }
  }

  /** Starts again if another element receives the focus before the command is accepted, which closes the palette. */
  async #run(name: string, accept: () => Promise<void>): Promise<void> {
    const attempt = poll(`command “${name}”`, async () => {
      if (!(await this.#findCommand(name).catch(() => undefined))) return undefined;
      return accept().then(
        () => true,
        () => undefined,
      );
    });
    await attempt.catch(async (cause: unknown) => {
      const shown = await this.quickInput.widget.allInnerTexts();
      throw new Error(`There is no command “${name}”. The input shows: ${shown.join('\n') || 'nothing'}`, {
        cause,
      });
    });
  }

  /** Waits until the palette has the command. Reopens it if another element took the focus, which closes it. */
  async #findCommand(name: string): Promise<true | undefined> {
    if (!(await this.quickInput.input.isVisible())) await this.page.keyboard.press('F1');
    // The palette notices the commands of a newly loaded extension only when the text changes.
    await this.quickInput.fill('>', roundMs);
    await this.quickInput.fill(`>${name}`, roundMs);
    return appears(this.quickInput.option(name));
  }

  async closeSideBar(): Promise<void> {
    const sideBar = this.page.locator('.part.sidebar');
    if (await sideBar.isVisible()) await this.runCommand('View: Close Primary Side Bar');
    await sideBar.waitFor({ state: 'hidden' });
  }

  /** Opens an empty editor and closes the side bar, so that no part of our extension is on the screen. */
  async hideExtension(): Promise<void> {
    await this.closeSideBar();
    await this.runCommand('File: New Untitled Text File');
    await this.tab(/Untitled/)
      .last()
      .waitFor();
  }

  /** The notifications on the screen whose text contains `text`. Their buttons are inside. */
  notification(text: string | RegExp): Locator {
    return this.page.locator('.notifications-toasts .notification-list-item').filter({ hasText: text });
  }

  /** Counts the window's notifications with this text, including earlier ones that have left the screen. */
  async countNotifications(text: string): Promise<number> {
    await this.runCommand('Notifications: Show Notifications');
    const center = this.page.locator('.notifications-center');
    await center
      .getByText(/notifications/i)
      .first()
      .waitFor();
    const count = await center.locator('.notification-list-item').filter({ hasText: text }).count();
    await this.runCommand('Notifications: Hide Notifications');
    return count;
  }

  /** The modal dialog, with its buttons. */
  dialog(): Locator {
    return this.page.locator('.monaco-dialog-box');
  }

  /** The tab of a view container in the activity bar. */
  activity(title: string): Locator {
    return this.page.locator('.activitybar').getByRole('tab', { name: title });
  }

  /** The rows on the screen of the tree view with this title. */
  treeRows(view: string): Locator {
    return this.page.getByRole('tree', { name: view }).getByRole('treeitem');
  }

  /**
   * Opens the context menu of a row and runs an item. Opens it again until it has the item: a menu has the items
   * that were valid when it opened. Uses the keyboard: a menu ignores clicks while it opens.
   *
   * @param meanwhile runs while the menu is open
   */
  async contextMenu(row: Locator, item: string, meanwhile?: () => Promise<void>): Promise<void> {
    const menuItem = this.page.getByRole('menuitem', { name: item });
    await poll(`“${item}” in the context menu`, async () => {
      await row.click({ button: 'right' });
      if (await appears(menuItem)) return true;
      await this.page.keyboard.press('Escape');
      return undefined;
    });
    await meanwhile?.();
    await menuItem.hover();
    await this.page.locator('.action-item.focused').filter({ hasText: item }).waitFor();
    await this.page.keyboard.press('Enter');
  }

  statusBarItem(text: string | RegExp): Locator {
    return this.page.locator('.statusbar-item').filter({ hasText: text });
  }

  /** The tab of an editor. */
  tab(title: string | RegExp): Locator {
    return this.page.locator('.tabs-container').getByRole('tab', { name: title });
  }

  /** The page inside the webview on the screen that has this title. */
  async webview(title: string | RegExp): Promise<FrameLocator> {
    const hasTitle = (text: string | null) =>
      title instanceof RegExp ? title.test(text ?? '') : text === title;
    return poll(`a webview titled “${title}”`, async () => {
      for (const outer of await this.page.locator('iframe.webview').filter({ visible: true }).all()) {
        const inner = outer.contentFrame().locator('iframe#active-frame');
        // A page that VS Code is about to replace never gets an inner frame.
        const shown = await inner.getAttribute('title', { timeout: roundMs }).catch(() => null);
        if (!hasTitle(shown)) continue;
        // Found by its own name: the position changes when another webview opens.
        const name = await outer.getAttribute('name');
        return this.page.frameLocator(`iframe[name="${name}"]`).frameLocator('iframe#active-frame');
      }
    });
  }

  async setTheme(theme: Theme): Promise<void> {
    const { label } = themes[theme];
    this.#theme = theme;
    await this.runCommand('Preferences: Color Theme');
    await this.quickInput.fill(label);
    await this.quickInput.pick(label);
    // A key that is pressed while the list closes does not open anything.
    await this.quickInput.waitUntilClosed();
    await this.#waitUntilReady();
  }

  /** Saves a screenshot of the window in .vscode-test/pictures, for review. */
  async screenshot(name: string): Promise<void> {
    if (!savesPictures) return;
    const path = join(workFolder, 'pictures', `${name}.png`);
    await mkdir(dirname(path), { recursive: true });
    await this.page.screenshot({ path });
  }

  async #waitUntilReady(): Promise<void> {
    const theme = `.vscode-theme-defaults-themes-${themes[this.#theme].class}-json`;
    await this.page.locator(`.monaco-workbench${theme} .activitybar`).waitFor({ timeout: openTimeoutMs });
  }
}

/** Waits for one round. @returns undefined if the element has not appeared */
export async function appears(locator: Locator): Promise<true | undefined> {
  return locator.waitFor({ timeout: roundMs }).then(
    () => true,
    () => undefined,
  );
}

/** Calls `read` repeatedly until it returns a value. */
export async function poll<T>(name: string, read: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + openTimeoutMs;
  while (Date.now() < deadline) {
    const value = await read();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`There is no ${name} after ${openTimeoutMs} ms.`);
}
