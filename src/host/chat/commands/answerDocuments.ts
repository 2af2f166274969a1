import * as vscode from 'vscode';
import { showDifferences } from '../../kit/display/editors.ts';
import { clipped } from '../../kit/display/plainText.ts';

const scheme = 'model-gateway-answer';

/** So many documents of answers are kept: the diff editors opened last can be shown again. */
const maxKept = 40;

const maxNameLength = 60;

/** An answer as Markdown. */
interface AnswerDocument {
  readonly model: string;
  readonly text: string;
}

/** Answers as documents that cannot be changed and need not be saved. */
export class AnswerDocuments implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  #count = 0;

  provideTextDocumentContent({ query }: vscode.Uri): string {
    return this.#texts.get(query) ?? vscode.l10n.t('This reply was shown in an earlier session.');
  }

  /** Shows two answers in the diff editor. */
  async openDifferences(one: AnswerDocument, other: AnswerDocument): Promise<void> {
    const title = `${clipped(one.model, maxNameLength)} ↔ ${clipped(other.model, maxNameLength)}`;
    await showDifferences(this.#add(one), this.#add(other), title);
  }

  dispose(): void {
    this.#registration.dispose();
  }

  #add({ model, text }: AnswerDocument): vscode.Uri {
    const query = String(++this.#count);
    this.#texts.set(query, text);
    this.#texts.delete(String(this.#count - maxKept));
    return vscode.Uri.from({ scheme, path: `/${model.replaceAll('/', '-')}.md`, query });
  }
}
