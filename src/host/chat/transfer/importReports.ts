import * as vscode from 'vscode';
import { showDocument } from '../../kit/display/editors.ts';

export const reportScheme = 'model-gateway-import';

const maxReports = 5;

/** Shows the reports of imports as read-only documents. The last five reports of this window are stored. */
export class ImportReports implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(reportScheme, this);
  #count = 0;

  provideTextDocumentContent({ query }: vscode.Uri): string {
    return this.#texts.get(query) ?? vscode.l10n.t('This report is no longer available.');
  }

  /** @param text the report as Markdown */
  async show(text: string, title = vscode.l10n.t('Imported Chats')): Promise<void> {
    const id = String(++this.#count);
    this.#texts.set(id, text);
    this.#texts.delete(String(this.#count - maxReports));
    const uri = vscode.Uri.from({ scheme: reportScheme, path: `/${title}.md`, query: id });
    await showDocument(uri);
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
