import * as vscode from 'vscode';
import type { RequestFigures } from '../../requests/requestRecord.ts';
import { showDocument } from '../kit/display/editors.ts';
import { plainLine } from '../kit/display/plainText.ts';
import { commandName } from '../kit/manifest/contributions.ts';

const maxNameLength = 100;

/** Requests that the user edits to send them again, each in a JSON document with a code lens that sends it. */
export class RequestDrafts implements vscode.CodeLensProvider {
  /** The original requests, by the addresses of the documents. */
  readonly #drafts = new Map<string, RequestFigures>();
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#onDidChange.event;
  readonly #subscriptions = [
    vscode.languages.registerCodeLensProvider({ scheme: 'untitled', language: 'json' }, this),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#drafts.delete(uri.toString())),
  ];

  /** Opens a body in an editor. Sends nothing. */
  async open(figures: RequestFigures, body: object): Promise<void> {
    const content = JSON.stringify(body, undefined, 2);
    const document = await vscode.workspace.openTextDocument({ language: 'json', content });
    this.#drafts.set(document.uri.toString(), figures);
    this.#onDidChange.fire();
    await showDocument(document, { preview: false });
  }

  /** The original request of a draft; undefined for any other document. */
  getRequest({ uri }: vscode.TextDocument): RequestFigures | undefined {
    return this.#drafts.get(uri.toString());
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const figures = this.getRequest(document);
    if (!figures) return [];
    const title = vscode.l10n.t('Send to {0}', plainLine(figures.gateway, maxNameLength));
    const command = commandName('requests.send');
    return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { title, command })];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#onDidChange.dispose();
  }
}
