import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumFlags, findChromium } from '../../../../scripts/chromium.mjs';
import { PageServer, type ServedFile } from './pageServer.ts';
import type { ThemeName } from './themes.ts';

/** The hosts that payloads name. */
const outsideHosts = ['*.example', 'example.com', '*.vscode-cdn.net'];

/** A tab of the browser, which shows one page after another. */
export interface Tab {
  readonly page: Page;
  /** Returns the tab. @param isClean whether the page has no leftovers that outlive its document */
  end(isClean: boolean): Promise<void>;
}

/** A Chromium and the server of the pages. The hosts that payloads name lead to a port that counts connections. */
export class PageBrowser {
  readonly server: PageServer;
  readonly #browser: Browser;
  readonly #outside: Server;
  /** Connections to the hosts of payloads, including preconnections before a click. */
  readonly outsideConnections: string[];

  /** Returned tabs. */
  readonly #idle: Page[] = [];
  readonly #reusesTabs: boolean;

  /** @param reusesTabs whether a returned tab shows the next page, which is faster than a new tab */
  static async launch({ reusesTabs = false } = {}): Promise<PageBrowser> {
    const connections: string[] = [];
    const outside = createServer((socket) => {
      connections.push(`connection from port ${socket.remotePort}`);
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(outside, 'listening');
    const { port } = outside.address() as AddressInfo;
    const rules = [
      ...outsideHosts.map((host) => `MAP ${host} 127.0.0.1:${port}`),
      'MAP * ~NOTFOUND',
      'EXCLUDE 127.0.0.1',
    ];
    const browser = await chromium.launch({
      executablePath: await findChromium(),
      args: [...chromiumFlags, `--host-resolver-rules=${rules}`],
    });
    return new PageBrowser(await PageServer.start(), browser, outside, connections, reusesTabs);
  }

  private constructor(
    server: PageServer,
    browser: Browser,
    outside: Server,
    connections: string[],
    reusesTabs: boolean,
  ) {
    this.#reusesTabs = reusesTabs;
    this.server = server;
    this.#browser = browser;
    this.#outside = outside;
    this.outsideConnections = connections;
  }

  /**
   * A tab of the wanted size, in which `init` runs before each document. A returned tab is reused, because opening
   * a new one takes half a second.
   */
  async tab(init: () => void, { width = 800, height = 700, files = [] }: PageOptions): Promise<Tab> {
    this.outsideConnections.length = 0;
    this.server.unknownPaths.length = 0;
    this.server.testFiles = new Map(files.map((file) => [file.path, file]));
    const viewport = { width, height };
    const page = this.#idle.pop() ?? (await this.#newTab(init, viewport));
    await page.setViewportSize(viewport);
    return { page, end: (isClean) => this.#end(page, isClean) };
  }

  async #newTab(init: () => void, viewport: { width: number; height: number }): Promise<Page> {
    const page = await this.#browser.newPage({ viewport });
    await page.addInitScript(init);
    return page;
  }

  async #end(page: Page, isClean: boolean): Promise<void> {
    if (!this.#reusesTabs || !isClean || page.context().pages().length > 1) return page.close();
    await page.evaluate(() => {
      sessionStorage.clear();
      // The page must not store data for the next one when it is left.
      Storage.prototype.setItem = () => {};
    });
    await page.mouse.move(-1, -1);
    this.#idle.push(page);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#outside.close();
    this.server.close();
  }
}

export interface PageOptions {
  readonly files?: readonly ServedFile[];
  /** Stops the page's clock at this time, in milliseconds since 1970. */
  readonly now?: number;
  readonly theme?: ThemeName;
  readonly width?: number;
  readonly height?: number;
  /** The language of its texts; English if absent. */
  readonly language?: 'zh-CN';
}
