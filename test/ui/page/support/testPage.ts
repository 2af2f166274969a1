import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Frame, Page, Request } from 'playwright-core';
import { savesPictures } from '../../../support/longRuns.ts';
import type { PageBrowser, PageOptions, Tab } from './pageBrowser.ts';
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
    /** Resolves when the page posts its first message. */
    firstPost: Promise<void>;
    violations: string[];
  }
}

const pictures = new URL('../../../../.vscode-test/pictures/page/', import.meta.url);

/** A message to a page, before it gets its number. */
export type Unnumbered<M> = M extends unknown ? Omit<M, 'seq'> : never;

/** A page alone, with the test in the role of the extension host. */
export class TestPage<Incoming = unknown, Outgoing extends Posted = Posted> {
  /** Requests after the page has loaded, and documents to which it navigated. */
  readonly requests: string[] = [];
  readonly navigations: string[] = [];
  readonly errors: string[] = [];
  readonly #browser: () => Promise<PageBrowser>;
  readonly #path: string;
  #tab: Tab | undefined;
  #unwatch = () => {};
  #isClean = true;
  #seq = 0;
  #now = 0;

  /** @param path one of the paths of the page's server */
  constructor(browser: () => Promise<PageBrowser>, path: string) {
    this.#browser = browser;
    this.#path = path;
  }

  /** The tab of the open page. */
  get page(): Page {
    if (!this.#tab) throw new Error('The page is not open.');
    return this.#tab.page;
  }

  /** Opens the page, replacing the open one, and waits until it requests its state. */
  async open(options: PageOptions = {}): Promise<void> {
    await this.close();
    const browser = await this.#browser();
    this.#tab = await browser.tab(simulateHost, options);
    this.#isClean = true;
    this.#seq = 0;
    for (const seen of [this.requests, this.navigations, this.errors]) seen.length = 0;
    if (options.now !== undefined) await this.#stopClock(options.now);
    const query = options.language === undefined ? '' : `?${options.language}`;
    await this.#load(browser.server.origin + this.#path + query, options.theme ?? 'dark');
  }

  async #load(url: string, theme: ThemeName): Promise<void> {
    const { page } = this;
    const context = page.context();
    const onError = ({ stack, message }: Error) => this.errors.push(stack ?? message);
    const onRequest = (request: Request) => this.requests.push(request.url());
    const onNavigation = (frame: Frame) => this.navigations.push(frame.url());
    const onPage = (opened: Page) => this.navigations.push(opened.url());
    this.#unwatch = () => {
      page.off('pageerror', onError).off('request', onRequest).off('framenavigated', onNavigation);
      context.off('page', onPage);
    };
    page.on('pageerror', onError);
    await page.goto(url);
    await this.setTheme(theme);
    await page.evaluate(() => Promise.all([window.firstPost, document.fonts.load('16px codicon')]));
    page.on('request', onRequest).on('framenavigated', onNavigation);
    context.on('page', onPage);
  }

  /**
   * Posts a message as VS Code does, with the next number unless one is given, and waits until the page has
   * handled it and rendered the synchronous part. The part that it paints frame by frame, such as Markdown, may
   * still follow.
   */
  async post(message: Unnumbered<Incoming>, seq = this.#seq + 1): Promise<void> {
    this.#seq = seq;
    await this.#deliver([{ ...message, seq }]);
  }

  /** Posts several messages one after another, as `post` does for each. */
  async postAll(messages: readonly Unnumbered<Incoming>[]): Promise<void> {
    const first = this.#seq + 1;
    this.#seq += messages.length;
    await this.#deliver(messages.map((message, at) => ({ ...message, seq: first + at })));
  }

  async #deliver(messages: readonly object[]): Promise<void> {
    await this.page.evaluate(async (all) => {
      for (const data of all) {
        await new Promise<void>((resolve) => {
          // The page added its listener when it was loaded, so it runs first and renders before this one is
          // called.
          addEventListener('message', () => resolve(), { once: true });
          window.postMessage(data, window.origin);
        });
      }
    }, messages);
  }

  /**
   * The messages that the page posted to the host, except for `ready`; checks that each message carries the
   * channel.
   */
  async readPosted(): Promise<readonly Outgoing[]> {
    const messages = await this.page.evaluate(() => window.posted);
    for (const message of messages) {
      if (message.channel !== channel) throw new Error(`A message without the channel: ${message.type}`);
    }
    return messages.filter(({ type }) => type !== 'ready') as readonly Posted[] as readonly Outgoing[];
  }

  async countReadyMessages(): Promise<number> {
    return this.page.evaluate(() => window.posted.filter(({ type }) => type === 'ready').length);
  }

  /** The violations of the page's policy since the last call. */
  async takeViolations(): Promise<readonly string[]> {
    return this.page.evaluate(() => window.violations.splice(0));
  }

  /** Call it before the page loads. */
  async #stopClock(now: number): Promise<void> {
    this.#isClean = false;
    await this.page.clock.install({ time: now });
    await this.page.clock.setFixedTime(now);
    this.#now = now;
  }

  /** Advances the stopped clock and runs the timers that are due by then. */
  async passTime(ms: number): Promise<void> {
    this.#now += ms;
    await this.page.clock.setFixedTime(this.#now);
    await this.page.clock.runFor(ms);
  }

  async setTheme(name: ThemeName): Promise<void> {
    await setTheme(this.page, name);
  }

  /** Resizes the window, and waits until the page has its new layout. */
  async resize(width: number, height: number): Promise<void> {
    await this.page.setViewportSize({ width, height });
    await this.page.waitForFunction((size) => innerWidth === size.width && innerHeight === size.height, {
      width,
      height,
    });
    await this.nextFrames();
  }

  /** Waits for two frames of the browser: all pending work is painted then. */
  async nextFrames(): Promise<void> {
    await this.page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
  }

  /** Saves a screenshot of the page in .vscode-test/pictures/page, for review. */
  async savePicture(name: string): Promise<void> {
    if (!savesPictures) return;
    const path = fileURLToPath(new URL(`${name}.png`, pictures));
    await mkdir(dirname(path), { recursive: true });
    await this.page.screenshot({ path });
  }

  /** Closes the page if it is open, and checks that it had no errors and no violations of its policy. */
  async close(): Promise<void> {
    if (!this.#tab) return;
    const faults = [...this.errors, ...(await this.takeViolations())];
    this.#unwatch();
    const tab = this.#tab;
    this.#tab = undefined;
    await tab.end(this.#isClean);
    assert.deepEqual(faults, []);
  }
}

/** Runs in the page before its script, and simulates VS Code. */
function simulateHost(): void {
  window.posted = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  window.firstPost = promise;
  window.violations = [];
  document.addEventListener('securitypolicyviolation', (event) => {
    window.violations.push(`${event.violatedDirective} ${event.blockedURI}`);
  });
  const saved = () => sessionStorage.getItem('state');
  Object.assign(window, {
    acquireVsCodeApi: () => ({
      postMessage: (message: Posted) => {
        window.posted.push(message);
        resolve();
      },
      getState: () => JSON.parse(saved() ?? 'null') ?? undefined,
      setState: (state: unknown) => sessionStorage.setItem('state', JSON.stringify(state)),
    }),
  });
}
