import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { AskedFile } from '../../../conversations/conversation/askedFile.ts';
import { showDocument } from '../../kit/display/editors.ts';
import { visibleText } from '../../kit/display/plainText.ts';
import { besideChat } from '../replies/openFile.ts';

const scheme = 'model-gateway-sent';

/** What went along with questions, as documents that cannot be edited. */
export class AskedDocuments {
  readonly #texts = new Map<string, string>();
  readonly #subscriptions = [
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      provideTextDocumentContent: ({ query }) => this.#texts.get(query) ?? '',
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      if (uri.scheme === scheme) this.#texts.delete(uri.query);
    }),
  ];

  /** Shows a text beside the chat, as it was sent. */
  async show({ name, language, text }: AskedFile): Promise<void> {
    const id = randomUUID();
    this.#texts.set(id, text);
    // Its tab is named after the last part of the path.
    const path = `/${visibleText(name).replace(/[#?:]/g, ' ')}`.replace(/^\/+/, '/');
    const document = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme, path, query: id }));
    if ((await vscode.languages.getLanguages()).includes(language)) {
      await vscode.languages.setTextDocumentLanguage(document, language);
    }
    await showDocument(document, { viewColumn: besideChat(), preview: true });
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}
