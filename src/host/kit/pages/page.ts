import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type * as z from 'zod';
import { errorMessage, errorTrace } from '../../../base/errors.ts';
import { Throttle } from '../../../base/throttle.ts';
import type { Log } from '../display/log.ts';
import { notify } from '../display/notify.ts';
import { escapeHtml, readPageWords, toLanguageTag } from './pageDocument.ts';
import { readPageMessage } from './pageMessage.ts';

/** The delay for merging changes before they are posted, in milliseconds. */
const soonMs = 50;

/** The panel of a page, with the data that the page needs. */
export interface PageFrame {
  readonly panel: vscode.WebviewPanel;
  /** The custom element of the page. */
  readonly element: PageElement;
  /** The folder of the pages' bundle. */
  readonly dist: vscode.Uri;
  readonly log: Log;
}

interface Received {
  readonly type: string;
}

interface Sent {
  readonly seq: number;
  readonly type: string;
}

/** The messages that the owner of the page handles. `Page` handles `ready` itself by posting the state. */
export type WithoutReady<R> = Exclude<R, { readonly type: 'ready' }>;

/** A message to a page without its number. */
export type Unnumbered<S> = S extends unknown ? Omit<S, 'seq'> : never;

interface PageOptions<R extends Received, S extends Sent> {
  /** The schema of the page's messages. Other messages are dropped. */
  readonly messages: z.ZodType<R>;
  /** Creates the message with the whole state; undefined if the page has no content any more. */
  readonly state: () => Unnumbered<S> | undefined;
  /** Runs before the state is sent. The page waits for it. */
  readonly prepare?: () => Promise<unknown>;
  readonly handle: (message: WithoutReady<R>) => unknown;
  /** Further folders whose files the page may show, in addition to the bundle. */
  readonly folders?: readonly vscode.Uri[];
}

/**
 * The connection to the page in a panel. Checks the messages of the page, and numbers the messages to the page. The
 * page sends `ready` when it starts, after it was hidden, and after it missed a number. The page then receives the
 * whole state. Messages to a page that is not listening are dropped, because the state contains the same data.
 */
export class Page<R extends Received, S extends Sent> {
  readonly #frame: PageFrame;
  readonly #options: PageOptions<R, S>;
  readonly #channel = randomBytes(16).toString('base64url');
  readonly #owned: vscode.Disposable[] = [];
  /** The messages to post once the page listens: the last message of each type. */
  readonly #waiting = new Map<string, Unnumbered<S>>();
  /** Functions that run at the end of the current interval, by message type. */
  readonly #due = new Map<string, () => unknown>();
  readonly #throttle = new Throttle(() => this.#runDue(), soonMs);
  #seq = 0;
  #isListening = false;

  constructor(frame: PageFrame, options: PageOptions<R, S>) {
    this.#frame = frame;
    this.#options = options;
    const { panel, element, dist } = frame;
    this.#allow([dist, ...(options.folders ?? [])]);
    panel.webview.onDidReceiveMessage((message: unknown) => this.#receive(message));
    panel.onDidChangeViewState(() => {
      if (!panel.visible) this.#isListening = false;
    });
    panel.onDidDispose(() => this.#dispose());
    panel.webview.html = buildHtml(panel.webview, dist, this.#channel, element);
  }

  /** Posts a message. Drops the message if the page is not listening. */
  post(message: Unnumbered<S>): void {
    if (!this.#isListening) return;
    this.#seq += 1;
    void this.#frame.panel.webview.postMessage({ ...message, seq: this.#seq });
  }

  /** Posts a message that is not part of the state, once the page listens. */
  postOnceReady(message: Unnumbered<S>): void {
    if (this.#isListening) this.post(message);
    else this.#waiting.set(message.type, message);
  }

  /** Posts a message after a short delay. `create` is called then, once for all calls during the delay. */
  postSoon(type: S['type'], create: () => Unnumbered<S>): void {
    this.#runSoon(type, () => this.post(create()));
  }

  /** Posts the whole state. */
  postState(): void {
    const message = this.#isListening ? this.#options.state() : undefined;
    if (message) this.post(message);
  }

  postStateSoon(): void {
    this.#runSoon('state', () => this.postState());
  }

  /** Allows the page to show files of these folders. Reloads the page if a folder is new. */
  allow(folders: readonly vscode.Uri[]): void {
    const { localResourceRoots: allowed = [] } = this.#frame.panel.webview.options;
    const isAllowed = (folder: vscode.Uri) => allowed.some(({ fsPath }) => fsPath === folder.fsPath);
    if (!folders.every(isAllowed)) this.#allow([this.#frame.dist, ...folders]);
  }

  /** Registers objects that are disposed with the panel. */
  addDisposables(...disposables: readonly vscode.Disposable[]): void {
    this.#owned.push(...disposables);
  }

  #allow(localResourceRoots: readonly vscode.Uri[]): void {
    this.#frame.panel.webview.options = { enableScripts: true, localResourceRoots };
  }

  async #receive(received: unknown): Promise<void> {
    const { element, log } = this.#frame;
    const message = readPageMessage(this.#options.messages, received, this.#channel);
    if (message === undefined) return log.warn('page', `dropped a message that ${element} may not send`);
    await this.#runGuarded(() =>
      message.type === 'ready' ? this.#handleReady() : this.#options.handle(message as WithoutReady<R>),
    );
  }

  async #handleReady(): Promise<void> {
    this.#isListening = true;
    if (this.#options.prepare) await this.#options.prepare();
    this.postState();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const message of waiting) this.postOnceReady(message);
  }

  #runSoon(type: string, act: () => unknown): void {
    this.#due.set(type, act);
    this.#throttle.schedule();
  }

  #runDue(): void {
    const due = [...this.#due.values()];
    this.#due.clear();
    for (const act of due) void this.#runGuarded(act);
  }

  async #runGuarded(act: () => unknown): Promise<void> {
    const { element, log } = this.#frame;
    try {
      await act();
    } catch (error) {
      log.error('page', `${element}: ${errorTrace(error)}`);
      void notify('error', errorMessage(error));
    }
  }

  #dispose(): void {
    this.#isListening = false;
    this.#throttle.dispose();
    for (const owned of this.#owned) owned.dispose();
  }
}

/** The name of a page's custom element. */
type PageElement = `mg-${string}`;

/**
 * Builds the document of a page. Its policy forbids requests, inline scripts and styles, and frames. Only the bundle of
 * the extension can run, with a new nonce for each document.
 *
 * @param channel a random id that the page adds to every message
 */
function buildHtml(webview: vscode.Webview, dist: vscode.Uri, channel: string, element: PageElement): string {
  const nonce = randomBytes(16).toString('base64url');
  const script = webview.asWebviewUri(vscode.Uri.joinPath(dist, 'webview.js'));
  const style = webview.asWebviewUri(vscode.Uri.joinPath(dist, 'webview.css'));
  const words = readPageWords(dist.fsPath, vscode.env.language);
  return `<!DOCTYPE html>
<html lang="${toLanguageTag(vscode.env.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${buildContentSecurityPolicy(webview.cspSource, nonce)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style}">
</head>
<body data-channel="${channel}"${words === undefined ? '' : ` data-words="${escapeHtml(words)}"`}>
<${element}></${element}>
<script type="module" nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}

function buildContentSecurityPolicy(cspSource: string, nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    `font-src ${cspSource}`,
    `img-src ${cspSource} blob:`,
    `media-src ${cspSource} blob:`,
    // Regular expressions of the user run in a worker, which the page creates from its own source.
    'worker-src blob:',
    "connect-src 'none'",
    "frame-src 'none'",
    "object-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
}
