import { randomBytes } from 'node:crypto';
import type * as vscode from 'vscode';
import type * as z from 'zod';
import { errorMessage, errorTrace } from '../../base/errors.ts';
import { Throttle } from '../../base/throttle.ts';
import { notify } from '../display/notify.ts';
import type { Log } from '../log.ts';
import { type PageElement, pageHtml } from './pageHtml.ts';
import { readPageMessage } from './pageMessage.ts';

/** What is shown soon is shown within this time. */
const soonMs = 50;

/** Where a page stands. */
export interface PageFrame {
  readonly panel: vscode.WebviewPanel;
  /** The element that the page consists of. */
  readonly element: PageElement;
  /** Where the bundle of the pages lies. */
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

/** `ready` is answered by the state, whatever the page. */
export type WithoutReady<R> = Exclude<R, { readonly type: 'ready' }>;

type Unnumbered<S> = S extends unknown ? Omit<S, 'seq'> : never;

export interface PageOptions<R extends Received, S extends Sent> {
  /** What the page may say. Anything else is dropped. */
  readonly messages: z.ZodType<R>;
  /** The message that tells everything the page shows; undefined when there is nothing to show any more. */
  readonly state: () => Unnumbered<S> | undefined;
  /** What the first state has to wait for. */
  readonly prepare?: () => Promise<unknown>;
  readonly handle: (message: WithoutReady<R>) => unknown;
  /** Folders beside the bundle whose files the page may show. */
  readonly folders?: readonly vscode.Uri[];
}

/**
 * The line to the page in a panel. What the page says is checked; what it is told is numbered. It is told everything
 * when it says `ready`: at first, after it was hidden, and when it missed a number. The host keeps the truth, so what
 * is posted while no page listens is dropped, and found in the state later.
 */
export class Page<R extends Received, S extends Sent> {
  readonly #frame: PageFrame;
  readonly #options: PageOptions<R, S>;
  readonly #channel = randomBytes(16).toString('base64url');
  readonly #owned: vscode.Disposable[] = [];
  /** What goes to the page once it listens: the last one of each type. */
  readonly #waiting = new Map<string, Unnumbered<S>>();
  /** What is posted soon, by its type. */
  readonly #due = new Map<string, () => unknown>();
  readonly #throttle = new Throttle(() => this.#runDue(), soonMs);
  #seq = 0;
  #listens = false;

  constructor(frame: PageFrame, options: PageOptions<R, S>) {
    this.#frame = frame;
    this.#options = options;
    const { panel, element, dist } = frame;
    this.#allow([dist, ...(options.folders ?? [])]);
    panel.webview.onDidReceiveMessage((message: unknown) => this.#receive(message));
    panel.onDidChangeViewState(() => {
      if (!panel.visible) this.#listens = false;
    });
    panel.onDidDispose(() => this.#dispose());
    panel.webview.html = pageHtml(panel.webview, dist, this.#channel, element);
  }

  post(message: Unnumbered<S>): void {
    if (!this.#listens) return;
    this.#seq += 1;
    void this.#frame.panel.webview.postMessage({ ...message, seq: this.#seq });
  }

  /** Posts what is no part of the state: it waits until the page listens. */
  postOnceReady(message: Unnumbered<S>): void {
    if (this.#listens) this.post(message);
    else this.#waiting.set(message.type, message);
  }

  /** Posts a message that is made when it goes: a burst of changes is shown once. */
  postSoon(type: S['type'], make: () => Unnumbered<S>): void {
    this.#soon(type, () => this.post(make()));
  }

  /** Shows everything anew. */
  show(): void {
    const message = this.#listens ? this.#options.state() : undefined;
    if (message) this.post(message);
  }

  showSoon(): void {
    this.#soon('state', () => this.show());
  }

  /** Lets the page show files of these folders too. It is loaded anew when there was one that it might not. */
  allow(folders: readonly vscode.Uri[]): void {
    const { localResourceRoots: allowed = [] } = this.#frame.panel.webview.options;
    const isAllowed = (folder: vscode.Uri) => allowed.some(({ fsPath }) => fsPath === folder.fsPath);
    if (!folders.every(isAllowed)) this.#allow([this.#frame.dist, ...folders]);
  }

  /** Disposes these with the panel. */
  own(...disposables: readonly vscode.Disposable[]): void {
    this.#owned.push(...disposables);
  }

  #allow(localResourceRoots: readonly vscode.Uri[]): void {
    this.#frame.panel.webview.options = { enableScripts: true, localResourceRoots };
  }

  async #receive(received: unknown): Promise<void> {
    const { element, log } = this.#frame;
    const message = readPageMessage(this.#options.messages, received, this.#channel);
    if (message === undefined) return log.warn('page', `dropped a message that ${element} may not send`);
    await this.#guarded(() =>
      message.type === 'ready' ? this.#welcome() : this.#options.handle(message as WithoutReady<R>),
    );
  }

  async #welcome(): Promise<void> {
    this.#listens = true;
    if (this.#options.prepare) await this.#options.prepare();
    this.show();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const message of waiting) this.postOnceReady(message);
  }

  #soon(type: string, act: () => unknown): void {
    this.#due.set(type, act);
    this.#throttle.schedule();
  }

  #runDue(): void {
    const due = [...this.#due.values()];
    this.#due.clear();
    for (const act of due) void this.#guarded(act);
  }

  async #guarded(act: () => unknown): Promise<void> {
    const { element, log } = this.#frame;
    try {
      await act();
    } catch (error) {
      log.error('page', `${element}: ${errorTrace(error)}`);
      void notify('error', errorMessage(error));
    }
  }

  #dispose(): void {
    this.#listens = false;
    this.#throttle.dispose();
    for (const owned of this.#owned) owned.dispose();
  }
}
