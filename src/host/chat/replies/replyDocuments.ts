import * as vscode from 'vscode';
import { showDifferences } from '../../kit/display/editors.ts';
import { clip } from '../../kit/display/plainText.ts';

const scheme = 'model-gateway-answer';

/** The maximum number of stored documents. The last documents are stored, so that VS Code can show them again. */
const maxDocuments = 40;

const maxNameLength = 60;

/** A reply as Markdown. */
interface ReplyDocument {
  readonly model: string;
  readonly text: string;
}

/** Shows replies as read-only documents, which VS Code does not offer to save. */
export class ReplyDocuments implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  #count = 0;

  provideTextDocumentContent({ query }: vscode.Uri): string {
    return this.#texts.get(query) ?? vscode.l10n.t('This reply was shown in an earlier session.');
  }

  /** Shows two replies in the diff editor. */
  async openDifferences(one: ReplyDocument, other: ReplyDocument): Promise<void> {
    const title = `${clip(one.model, maxNameLength)} ↔ ${clip(other.model, maxNameLength)}`;
    await showDifferences(this.#add(one), this.#add(other), title);
  }

  dispose(): void {
    this.#registration.dispose();
  }

  #add({ model, text }: ReplyDocument): vscode.Uri {
    const query = String(++this.#count);
    this.#texts.set(query, text);
    this.#texts.delete(String(this.#count - maxDocuments));
    return vscode.Uri.from({ scheme, path: `/${model.replaceAll('/', '-')}.md`, query });
  }
}
