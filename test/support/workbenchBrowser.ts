import { setTimeout as pause } from 'node:timers/promises';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { chromiumFlags, findChromium } from '../../scripts/chromium.mjs';
import { type Server, startServer } from '../../scripts/vscodeServer.mjs';

type ServerOptions = Parameters<typeof startServer>[0];

/** How long a browser without a window waits for the next one, in milliseconds. */
const idleMs = 5000;

/** The browser without a window, if there is one. */
let idle: WorkbenchBrowser | undefined;

/**
 * A browser for the windows of one server at a time. The next server gets the same browser and the same port, so
 * that the browser has VS Code's scripts in its cache, already compiled.
 */
export class WorkbenchBrowser {
  /** The port of its last server; 0 for a new browser. */
  #port = 0;
  readonly #context: BrowserContext;
  readonly #pages: Page[] = [];
  #uses = 0;

  /** Takes the browser that has no window, or launches one. Always `release` it. */
  static async take(): Promise<WorkbenchBrowser> {
    const browser = idle ?? (await WorkbenchBrowser.#launch());
    idle = undefined;
    browser.#uses += 1;
    return browser;
  }

  private constructor(context: BrowserContext) {
    this.#context = context;
  }

  static async #launch(): Promise<WorkbenchBrowser> {
    // A temporary profile on disk: the cache in memory does not accept files of VS Code's size.
    const options = { executablePath: await findChromium(), args: chromiumFlags };
    return new WorkbenchBrowser(await chromium.launchPersistentContext('', options));
  }

  async newPage(): Promise<Page> {
    const page = await this.#context.newPage();
    this.#pages.push(page);
    return page;
  }

  /** Starts the server of the next windows, which find nothing of the earlier ones but the cache. */
  async startServer(options: ServerOptions): Promise<Server> {
    try {
      await this.#clear();
      const server = await this.#startServer(options);
      this.#port = server.port;
      return server;
    } catch (error) {
      await this.release();
      throw error;
    }
  }

  /** Uses the last port, unless another program has it now. */
  async #startServer(options: ServerOptions): Promise<Server> {
    if (this.#port === 0) return startServer(options);
    return startServer({ ...options, port: this.#port }).catch(() => startServer(options));
  }

  async #clear(): Promise<void> {
    const [blank] = this.#context.pages();
    if (!blank || this.#port === 0) return;
    const session = await this.#context.newCDPSession(blank);
    const origin = `http://127.0.0.1:${this.#port}`;
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await session.detach();
  }

  /** Closes its windows. Ends after a while if no other server takes it. */
  async release(): Promise<void> {
    for (const page of this.#pages.splice(0)) await page.close();
    if (idle) return this.#context.close();
    idle = this;
    void this.#endIfIdle(this.#uses);
  }

  async #endIfIdle(uses: number): Promise<void> {
    await pause(idleMs);
    if (idle !== this || this.#uses !== uses) return;
    idle = undefined;
    await this.#context.close();
  }
}

/** Sets the display language where VS Code reads it: at the end of its message file. */
export async function setLanguage(page: Page, language: string): Promise<void> {
  await page.route('**/nls.messages.js', async (route) => {
    const response = await route.fetch();
    const body = `${await response.text()}\nglobalThis._VSCODE_NLS_LANGUAGE = ${JSON.stringify(language)};`;
    await route.fulfill({ response, body });
  });
}
