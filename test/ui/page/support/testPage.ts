import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Frame, Page, Request } from 'playwright-core';
import { leavesPictures } from '../../../support/longRuns.ts';
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
    violations: string[];
  }
}

const pictures = new URL('../../../../.vscode-test/pictures/page/', import.meta.url);

/** A message to a page, before it gets its number. */
export type Unnumbered<M> = M extends unknown ? Omit<M, 'seq'> : never;

/** A page alone, with the test in the place of the extension host. */
export class TestPage<
  Incoming = unknown,
  Outgoing extends Posted = Posted,
  Options extends PageOptions = PageOptions,
> {
  /** Requests after the page has loaded, and documents it went to. */
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

  /** @param path one of those that the page's server has */
  constructor(browser: () => Promise<PageBrowser>, path: string) {
    this.#browser = browser;
    this.#path = path;
  }

  /** What it is shown in while it is open. */
  get page(): Page {
    if (!this.#tab) throw new Error('The page is not open.');
    return this.#tab.page;
  }

  /** Opens the page, in place of the one that is open, and waits until it asks for what it shows. */
  async open(options: Options = {} as Options): Promise<void> {
    await this.close();
    const browser = await this.#browser();
    this.#tab = await browser.tab(playHost, options);
    this.#isClean = true;
    this.#seq = 0;
    for (const seen of [this.requests, this.navigations, this.errors]) seen.length = 0;
    await this.prepare(options);
    const query = options.language === undefined ? '' : `?${options.language}`;
    await this.#load(browser.server.origin + this.#path + query, options.theme ?? 'dark');
  }

  /** What has to be there before the page loads. */
  protected async prepare(_options: Options): Promise<void> {}

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
    await page.waitForFunction(() => window.posted.length > 0);
    await page.evaluate(() => document.fonts.load('16px codicon'));
    page.on('request', onRequest).on('framenavigated', onNavigation);
    context.on('page', onPage);
  }

  /**
   * Posts a message as VS Code does, with the next number unless one is given, and waits until the page has taken
   * it: what it renders at once is there then. What it paints frame by frame, such as Markdown, may still follow.
   */
  async post(message: Unnumbered<Incoming>, seq = this.#seq + 1): Promise<void> {
    this.#seq = seq;
    await this.#deliver([{ ...message, seq }]);
  }

  /** Posts several messages one after another, as `post` does each. */
  async postAll(messages: readonly Unnumbered<Incoming>[]): Promise<void> {
    const first = this.#seq + 1;
    this.#seq += messages.length;
    await this.#deliver(messages.map((message, at) => ({ ...message, seq: first + at })));
  }

  async #deliver(messages: readonly object[]): Promise<void> {
    await this.page.evaluate(async (all) => {
      for (const data of all) {
        await new Promise<void>((resolve) => {
          // The page listens since it was loaded: it comes first, and renders before this is called.
          addEventListener('message', () => resolve(), { once: true });
          window.postMessage(data, window.origin);
        });
      }
    }, messages);
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

  /** What the page's policy refused since this was asked last. */
  async violations(): Promise<readonly string[]> {
    return this.page.evaluate(() => window.violations.splice(0));
  }

  /** Stops the page's clock at a time, in milliseconds since 1970; call it before the page loads. */
  protected async stopClock(now: number): Promise<void> {
    this.#isClean = false;
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

  /** Gives the window another size, and waits until the page is laid out in it. */
  async resize(width: number, height: number): Promise<void> {
    await this.page.setViewportSize({ width, height });
    await this.page.waitForFunction((size) => innerWidth === size.width && innerHeight === size.height, {
      width,
      height,
    });
    await this.nextFrames();
  }

  /** Two frames of the browser: everything that was to be painted is painted. */
  async nextFrames(): Promise<void> {
    await this.page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
  }

  /** Leaves a picture of the page in .vscode-test/pictures/page, where somebody is to look at it. */
  async picture(name: string): Promise<void> {
    if (!leavesPictures) return;
    const path = fileURLToPath(new URL(`${name}.png`, pictures));
    await mkdir(dirname(path), { recursive: true });
    await this.page.screenshot({ path });
  }

  /** Closes the page where one is open, and checks that nothing in it failed or was refused by its policy. */
  async close(): Promise<void> {
    if (!this.#tab) return;
    const faults = [...this.errors, ...(await this.violations())];
    this.#unwatch();
    const tab = this.#tab;
    this.#tab = undefined;
    await tab.page.unrouteAll();
    await tab.end(this.#isClean);
    assert.deepEqual(faults, []);
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
