import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumFlags, findChromium } from '../../../../scripts/chromium.mjs';
import { PageServer } from './pageServer.ts';
import type { TestPage } from './testPage.ts';
import type { ThemeName } from './themes.ts';

/** The hosts that payloads name. */
const outsideHosts = ['*.example', 'example.com', '*.vscode-cdn.net'];

/** A Chromium and the server of the pages. The hosts that payloads name lead to a port that counts connections. */
export class PageBrowser {
  readonly server: PageServer;
  readonly #browser: Browser;
  readonly #outside: Server;
  /** Connections to a host that a payload names, those made ahead of a click included. */
  readonly outsideConnections: string[];

  static async launch(): Promise<PageBrowser> {
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
    return new PageBrowser(await PageServer.start(), browser, outside, connections);
  }

  private constructor(server: PageServer, browser: Browser, outside: Server, connections: string[]) {
    this.server = server;
    this.#browser = browser;
    this.#outside = outside;
    this.outsideConnections = connections;
  }

  /** Opens one of the pages that the server has, and waits until it asks for what it shows. */
  async open<P extends TestPage>(
    path: string,
    pageOf: (page: Page) => P,
    { theme = 'dark', width = 800, height = 700 }: PageOptions = {},
  ): Promise<P> {
    const test = pageOf(await this.#browser.newPage({ viewport: { width, height } }));
    await test.load(this.server.origin + path, theme);
    return test;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#outside.close();
    this.server.close();
  }
}

export interface PageOptions {
  readonly theme?: ThemeName;
  readonly width?: number;
  readonly height?: number;
}
