import { randomBytes } from 'node:crypto';
import type * as vscode from 'vscode';
import type * as z from 'zod';
import { notify } from '../display/notify.ts';
import type { Log } from '../log.ts';
import { type PageElement, pageHtml } from './pageHtml.ts';
import { readPageMessage } from './pageMessage.ts';

type Unnumbered<M> = M extends unknown ? Omit<M, 'seq'> : never;

export interface PageOptions<Received> {
  readonly panel: vscode.WebviewPanel;
  /** Where the bundle of the pages lies. */
  readonly dist: vscode.Uri;
  readonly element: PageElement;
  /** The messages that the page may send. */
  readonly messages: () => Promise<z.ZodType<Received>>;
  readonly handle: (message: Received) => unknown;
  readonly log: Log;
}

/** The line to the page in a panel: what the page says is checked, what it is told is numbered. */
export class Page<Received, Sent extends { readonly seq: number }> {
  readonly #panel: vscode.WebviewPanel;
  readonly #options: PageOptions<Received>;
  readonly #channel = randomBytes(16).toString('base64url');
  #seq = 0;
  #disposed = false;

  constructor(options: PageOptions<Received>) {
    const { panel, dist, element } = options;
    this.#panel = panel;
    this.#options = options;
    panel.webview.onDidReceiveMessage((message: unknown) => this.#receive(message));
    panel.onDidDispose(() => {
      this.#disposed = true;
    });
    panel.webview.html = pageHtml(panel.webview, dist, this.#channel, element);
  }

  /** A hidden page gets nothing: it asks for everything when it is shown again. */
  post(message: Unnumbered<Sent>): void {
    if (this.#disposed) return;
    this.#seq += 1;
    void this.#panel.webview.postMessage({ ...message, seq: this.#seq });
  }

  async #receive(received: unknown): Promise<void> {
    const { messages, handle, element, log } = this.#options;
    const message = readPageMessage(await messages(), received, this.#channel);
    if (message === undefined) return log.warn('page', `dropped a message that ${element} may not send`);
    try {
      await handle(message);
    } catch (error) {
      log.error('page', `${element}: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
      void notify('error', error instanceof Error ? error.message : String(error));
    }
  }
}
