import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';

const scheme = 'model-gateway-text';

/** The maximum number of stored texts. The last texts are stored, so that VS Code can show them again. */
const maxTexts = 40;

/** The texts that this window shows as read-only documents, which VS Code does not offer to save. */
export class TextDocuments implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);

  provideTextDocumentContent({ query }: vscode.Uri): string {
    return this.#texts.get(query) ?? vscode.l10n.t('This text is no longer stored.');
  }

  /** @param path the last part of the path is the title of the tab */
  add(text: string, path: string): vscode.Uri {
    const query = randomUUID();
    this.#texts.set(query, text);
    if (this.#texts.size > maxTexts) this.#texts.delete([...this.#texts.keys()][0] ?? '');
    return vscode.Uri.from({ scheme, path: `/${path}`, query });
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
