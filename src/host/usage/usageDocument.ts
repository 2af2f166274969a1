import * as vscode from 'vscode';
import { type SumUsage, usageReport } from './usageReport.ts';

const scheme = 'model-gateway-usage';
const uri = vscode.Uri.from({ scheme, path: '/Usage.md' });

/** Stays with its file. VS Code's other preview turns to whichever Markdown file is opened next. */
const preview = 'vscode.markdown.preview.editor';

/** The usage of all chats as a document that cannot be edited, made anew whenever it is shown. */
export class UsageDocument {
  readonly #sumUsage: SumUsage;
  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly #registration: vscode.Disposable;
  #report: Promise<string> | undefined;

  constructor(sumUsage: SumUsage) {
    this.#sumUsage = sumUsage;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(scheme, {
      onDidChange: this.#onDidChange.event,
      // VS Code asks by itself for one that was open when the window was closed.
      provideTextDocumentContent: () => this.#report ?? this.#summedUp(),
    });
  }

  /**
   * Shows it as VS Code renders Markdown, whose tables are not readable where lines wrap.
   *
   * @throws {StorageError} when the chats cannot be read
   */
  async show(): Promise<void> {
    this.#report = this.#summedUp();
    await this.#report;
    this.#onDidChange.fire(uri);
    if (vscode.extensions.getExtension('vscode.markdown-language-features')) {
      await vscode.commands.executeCommand('vscode.openWith', uri, preview, { preview: false });
      return;
    }
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: false });
  }

  dispose(): void {
    this.#registration.dispose();
    this.#onDidChange.dispose();
  }

  #summedUp(): Promise<string> {
    return usageReport(this.#sumUsage, new Date());
  }
}
