import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumFlags, findChromium } from '../../../../scripts/chromium.mjs';
import type {
  ChatState,
  FromChatPage,
  ReplyView,
  ToChatPage,
  Turn,
} from '../../../../src/protocol/chatPage.ts';
import type { MarkdownElement } from '../../../../src/webview/markdown/markdownElement.ts';
import { channel, PageServer } from './pageServer.ts';
import { type ThemeName, themes } from './themes.ts';

type Unnumbered<M> = M extends unknown ? Omit<M, 'seq'> : never;
export type HostMessage = Unnumbered<ToChatPage>;

declare global {
  interface Window {
    posted: FromChatPage[];
    violations: string[];
  }
  interface HTMLElementTagNameMap {
    'mg-markdown': MarkdownElement;
  }
}

const pictures = new URL('../../../../.vscode-test/pictures/page/', import.meta.url);

/** The hosts that payloads name. */
const outsideHosts = ['*.example', 'example.com', '*.vscode-cdn.net'];

/** A Chromium and the server of the page. The hosts that payloads name lead to a port that counts connections. */
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

  async open({ theme = 'dark', width = 800, height = 700 }: PageOptions = {}): Promise<TestPage> {
    const page = await this.#browser.newPage({ viewport: { width, height } });
    return TestPage.load(page, this.server.origin, theme);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#outside.close();
    this.server.close();
  }
}

interface PageOptions {
  readonly theme?: ThemeName;
  readonly width?: number;
  readonly height?: number;
}

/** The chat page alone, with the test in the place of the extension host. */
export class TestPage {
  readonly page: Page;
  /** Requests after the page has loaded, and documents it went to. */
  readonly requests: string[] = [];
  readonly navigations: string[] = [];
  readonly errors: string[] = [];
  #seq = 0;
  #shown = 0;

  static async load(page: Page, origin: string, theme: ThemeName): Promise<TestPage> {
    const test = new TestPage(page);
    page.on('pageerror', (error) => test.errors.push(error.stack ?? error.message));
    await page.addInitScript(playHost);
    await page.goto(origin);
    await test.setTheme(theme);
    await page.waitForFunction(() => window.posted.length > 0);
    await page.evaluate(() => document.fonts.load('16px codicon'));
    page.on('request', (request) => test.requests.push(request.url()));
    page.on('framenavigated', (frame) => test.navigations.push(frame.url()));
    page.context().on('page', (opened) => test.navigations.push(opened.url()));
    return test;
  }

  private constructor(page: Page) {
    this.page = page;
  }

  /** Posts a message as VS Code does, with the next number unless one is given. */
  async post(message: HostMessage, seq = this.#seq + 1): Promise<void> {
    this.#seq = seq;
    await this.page.evaluate((data) => window.postMessage(data, window.origin), { ...message, seq });
  }

  async show(turns: readonly Turn[], target: Partial<ChatState['target']> = {}): Promise<void> {
    await this.post({
      type: 'state',
      state: { turns, target: { ...defaultTarget, ...target }, attachments: [] },
    });
  }

  /** Shows finished replies, each in a turn of its own, and waits until all of them are painted. */
  async showReplies(...texts: readonly string[]): Promise<void> {
    this.#shown += 1;
    const end = `End of ${this.#shown}.`;
    const turns = texts.map((text, at) => reply({ id: `${this.#shown}-${at}`, text: `${text}\n\n${end}` }));
    await this.show(turns);
    await this.page.waitForFunction(
      ({ words, count }) => {
        const shown = [...document.querySelectorAll('mg-markdown')];
        return shown.filter(({ textContent }) => textContent.includes(words)).length === count;
      },
      { words: end, count: texts.length },
    );
  }

  /** What the page told the host, except for `ready`; checks that each message carries the channel. */
  async posted(): Promise<readonly FromChatPage[]> {
    const messages = await this.page.evaluate(() => window.posted);
    for (const message of messages) {
      if (message.channel !== channel) throw new Error(`A message without the channel: ${message.type}`);
    }
    return messages.filter(({ type }) => type !== 'ready');
  }

  async readyCount(): Promise<number> {
    return this.page.evaluate(() => window.posted.filter(({ type }) => type === 'ready').length);
  }

  async violations(): Promise<readonly string[]> {
    return this.page.evaluate(() => window.violations);
  }

  async setTheme(name: ThemeName): Promise<void> {
    await this.page.evaluate(({ bodyClass, variables }) => {
      document.body.className = bodyClass;
      const { style } = document.documentElement;
      for (const property of [...style]) style.removeProperty(property);
      for (const [variable, value] of Object.entries(variables))
        style.setProperty(`--vscode-${variable}`, value);
    }, themes[name]);
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

const defaultTarget: ChatState['target'] = {
  profile: 'work-gateway',
  model: 'gpt-x-mini',
  style: 'Chat completions',
  parametersSet: 0,
};

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
      postMessage: (message: FromChatPage) => window.posted.push(message),
      getState: () => JSON.parse(saved() ?? 'null') ?? undefined,
      setState: (state: unknown) => sessionStorage.setItem('state', JSON.stringify(state)),
    }),
  });
}

/** What a test says about a turn and its only reply. */
export type TurnDraft = Partial<Omit<Turn, 'replies'>> & Partial<ReplyView>;

/** A finished turn with one reply, with what a test says about it. */
export function reply({ text, reasoning, toolCalls, images, citations, ...turn }: TurnDraft): Turn {
  return {
    id: 'turn-1',
    question: 'How do I do this?',
    images: [],
    model: 'gpt-x-mini',
    state: 'done',
    replies: [
      {
        text: text ?? '',
        reasoning: reasoning ?? '',
        toolCalls: toolCalls ?? [],
        images: images ?? [],
        citations: citations ?? [],
      },
    ],
    lost: [],
    figures: {},
    ...turn,
  };
}
