import * as vscode from 'vscode';
import { showDocument } from '../kit/display/editors.ts';

const scheme = 'model-gateway-check';

/** The checks of connections in this window, as documents that cannot be edited. */
export class ConnectionReports implements vscode.TextDocumentContentProvider {
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  readonly #texts = new Map<string, string>();

  provideTextDocumentContent({ query }: vscode.Uri): string {
    return this.#texts.get(query) ?? vscode.l10n.t('This check is no longer stored.');
  }

  /** Shows a check in an editor, in preview like a file that is clicked once. */
  async show(text: string): Promise<void> {
    const query = String(this.#texts.size + 1);
    this.#texts.set(query, text);
    const uri = vscode.Uri.from({ scheme, path: `/${vscode.l10n.t('Connection')}`, query });
    await showDocument(uri, { preview: true });
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
