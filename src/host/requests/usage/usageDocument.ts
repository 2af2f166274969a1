import * as vscode from 'vscode';
import { showMarkdown } from '../../kit/display/editors.ts';
import { type UsageSources, usageReport } from './usageReport.ts';

const scheme = 'model-gateway-usage';
const uri = vscode.Uri.from({ scheme, path: '/Usage.md' });

/** The usage of chats and videos as a read-only document. Each call of `show` creates its text again. */
export class UsageDocument {
  readonly #sources: UsageSources;
  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly #registration: vscode.Disposable;
  #report: Promise<string> | undefined;

  constructor(sources: UsageSources) {
    this.#sources = sources;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(scheme, {
      onDidChange: this.#onDidChange.event,
      // VS Code reopens the document with a window, without a call of `show`.
      provideTextDocumentContent: () => this.#report ?? this.#createReport(),
    });
  }

  /**
   * Shows the document as rendered Markdown, because the source of its tables is not readable if lines wrap.
   *
   * @throws {StorageError} when the chats cannot be read
   */
  async show(): Promise<void> {
    const report = this.#createReport();
    await report;
    this.#report = report;
    this.#onDidChange.fire(uri);
    await showMarkdown(uri);
  }

  dispose(): void {
    this.#registration.dispose();
    this.#onDidChange.dispose();
  }

  #createReport(): Promise<string> {
    return usageReport(this.#sources, new Date());
  }
}
