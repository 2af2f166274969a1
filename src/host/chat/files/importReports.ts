import * as vscode from 'vscode';
import { showDocument } from '../../kit/display/editors.ts';

export const reportScheme = 'model-gateway-import';

const maxKept = 5;

/** The reports of the last imports of this window, as documents that cannot be changed and need not be saved. */
export class ImportReports implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(reportScheme, this);
  #count = 0;

  provideTextDocumentContent({ query }: vscode.Uri): string {
    return this.#texts.get(query) ?? vscode.l10n.t('This report was shown in an earlier session.');
  }

  async show(text: string, title = vscode.l10n.t('Imported Chats')): Promise<void> {
    const id = String(++this.#count);
    this.#texts.set(id, text);
    this.#texts.delete(String(this.#count - maxKept));
    const uri = vscode.Uri.from({ scheme: reportScheme, path: `/${title}.md`, query: id });
    await showDocument(uri);
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
