import * as vscode from 'vscode';
import type { ConversationService } from '../../conversations/conversationService.ts';
import { usageReport } from './usageReport.ts';

const scheme = 'model-gateway-usage';

/** The usage of all chats as a document that cannot be edited, made anew whenever it is shown. */
export class UsageDocument {
  readonly #conversations: ConversationService;
  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly #registration: vscode.Disposable;

  constructor(conversations: ConversationService) {
    this.#conversations = conversations;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(scheme, {
      onDidChange: this.#onDidChange.event,
      provideTextDocumentContent: () => this.#report(),
    });
  }

  /** @throws {StorageError} when the chats cannot be read */
  async show(): Promise<void> {
    await this.#conversations.store();
    const uri = vscode.Uri.from({ scheme, path: '/Usage.md' });
    this.#onDidChange.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: false });
  }

  dispose(): void {
    this.#registration.dispose();
    this.#onDidChange.dispose();
  }

  async #report(): Promise<string> {
    const { usage } = await this.#conversations.store();
    return usageReport(usage, new Date());
  }
}
