import * as vscode from 'vscode';

/** A panel without a real page: the test posts the messages of the page and sees the messages to it. */
export class TestPanel<ToPage> {
  readonly posted: ToPage[] = [];
  readonly #onDidReceiveMessage = new vscode.EventEmitter<unknown>();
  readonly #onDidChangeViewState = new vscode.EventEmitter<void>();
  readonly #onDidDispose = new vscode.EventEmitter<void>();
  readonly #onDidPost = new vscode.EventEmitter<void>();
  readonly onDidChangeViewState = this.#onDidChangeViewState.event;
  readonly onDidDispose = this.#onDidDispose.event;
  visible = true;
  readonly webview = {
    options: {} as vscode.WebviewOptions,
    html: '',
    cspSource: 'test:',
    asWebviewUri: (uri: vscode.Uri) => uri,
    onDidReceiveMessage: this.#onDidReceiveMessage.event,
    postMessage: (message: ToPage) => {
      this.posted.push(message);
      this.#onDidPost.fire();
    },
  };

  /** The panel as a `vscode.WebviewPanel`. */
  get asPanel(): vscode.WebviewPanel {
    return this as unknown as vscode.WebviewPanel;
  }

  receive(message: object, channel = /data-channel="([^"]+)"/.exec(this.webview.html)?.[1]): void {
    this.#onDidReceiveMessage.fire({ ...message, channel });
  }

  show(visible: boolean): void {
    this.visible = visible;
    this.#onDidChangeViewState.fire();
  }

  dispose(): void {
    this.#onDidDispose.fire();
  }

  /** The posted messages, once there are this many. */
  async waitForPosts(count: number): Promise<readonly ToPage[]> {
    while (this.posted.length < count) {
      await new Promise<void>((resolve) => {
        const subscription = this.#onDidPost.event(() => {
          subscription.dispose();
          resolve();
        });
      });
    }
    return this.posted;
  }
}
