import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { channel } from './pageServer.ts';
import { setTheme, type ThemeName } from './themes.ts';

interface Posted {
  readonly type: string;
  readonly channel: string;
}

/** A message as a page posts it. */
export type SentMessage<M> = M & { readonly channel: string };

declare global {
  interface Window {
    posted: Posted[];
    violations: string[];
  }
}

const pictures = new URL('../../../../.vscode-test/pictures/page/', import.meta.url);

/** A message to a page, before it gets its number. */
export type Unnumbered<M> = M extends unknown ? Omit<M, 'seq'> : never;

/** A page alone, with the test in the place of the extension host. */
export class TestPage<Incoming = unknown, Outgoing extends Posted = Posted> {
  readonly page: Page;
  /** Requests after the page has loaded, and documents it went to. */
  readonly requests: string[] = [];
  readonly navigations: string[] = [];
  readonly errors: string[] = [];
  #seq = 0;
  #now = 0;

  constructor(page: Page) {
    this.page = page;
  }

  /** Opens the address and waits until the page asks for what it shows. */
  async load(url: string, theme: ThemeName): Promise<void> {
    const { page } = this;
    page.on('pageerror', (error) => this.errors.push(error.stack ?? error.message));
    await page.addInitScript(playHost);
    await page.goto(url);
    await this.setTheme(theme);
    await page.waitForFunction(() => window.posted.length > 0);
    await page.evaluate(() => document.fonts.load('16px codicon'));
    page.on('request', (request) => this.requests.push(request.url()));
    page.on('framenavigated', (frame) => this.navigations.push(frame.url()));
    page.context().on('page', (opened) => this.navigations.push(opened.url()));
  }

  /** Posts a message as VS Code does, with the next number unless one is given. */
  async post(message: Unnumbered<Incoming>, seq = this.#seq + 1): Promise<void> {
    this.#seq = seq;
    await this.page.evaluate((data) => window.postMessage(data, window.origin), { ...message, seq });
  }

  /** What the page told the host, except for `ready`; checks that each message carries the channel. */
  async posted(): Promise<readonly Outgoing[]> {
    const messages = await this.page.evaluate(() => window.posted);
    for (const message of messages) {
      if (message.channel !== channel) throw new Error(`A message without the channel: ${message.type}`);
    }
    return messages.filter(({ type }) => type !== 'ready') as readonly Posted[] as readonly Outgoing[];
  }

  async readyCount(): Promise<number> {
    return this.page.evaluate(() => window.posted.filter(({ type }) => type === 'ready').length);
  }

  async violations(): Promise<readonly string[]> {
    return this.page.evaluate(() => window.violations);
  }

  /** Stops the page's clock at a time, in milliseconds since 1970; call it before the page loads. */
  protected async stopClock(now: number): Promise<void> {
    await this.page.clock.install({ time: now });
    await this.page.clock.setFixedTime(now);
    this.#now = now;
  }

  /** Moves the stopped clock on, and lets what is due by then happen. */
  async passTime(ms: number): Promise<void> {
    this.#now += ms;
    await this.page.clock.setFixedTime(this.#now);
    await this.page.clock.runFor(ms);
  }

  async setTheme(name: ThemeName): Promise<void> {
    await setTheme(this.page, name);
  }

  /** Two frames of the browser: everything that was to be painted is painted. */
  async nextFrames(): Promise<void> {
    await this.page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
  }

  async picture(name: string): Promise<void> {
    const path = fileURLToPath(new URL(`${name}.png`, pictures));
    await mkdir(dirname(path), { recursive: true });
    await this.page.screenshot({ path });
  }

  async close(): Promise<void> {
    await this.page.close();
  }
}

/** Runs in the page before its script: the in-memory twin of VS Code's side. */
function playHost(): void {
  window.posted = [];
  window.violations = [];
  document.addEventListener('securitypolicyviolation', (event) => {
    window.violations.push(`${event.violatedDirective} ${event.blockedURI}`);
  });
  const saved = () => sessionStorage.getItem('state');
  Object.assign(window, {
    acquireVsCodeApi: () => ({
      postMessage: (message: Posted) => window.posted.push(message),
      getState: () => JSON.parse(saved() ?? 'null') ?? undefined,
      setState: (state: unknown) => sessionStorage.setItem('state', JSON.stringify(state)),
    }),
  });
}
