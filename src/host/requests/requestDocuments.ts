import * as vscode from 'vscode';
import type { RequestHistory } from '../../requests/requestHistory.ts';
import type { RequestFigures } from '../../requests/requestRecord.ts';
import { showDocument } from '../kit/display/editors.ts';
import { withStatusBarProgress } from '../kit/display/progress.ts';
import { requestDocument } from './requestDocument.ts';
import { requestName } from './requestWords.ts';

const scheme = 'model-gateway-request';
const maxNameLength = 60;

/** Requests as documents that cannot be changed and need not be saved. */
export class RequestDocuments implements vscode.TextDocumentContentProvider {
  readonly #history: RequestHistory;
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);

  constructor(history: RequestHistory) {
    this.#history = history;
  }

  async provideTextDocumentContent({ query }: vscode.Uri): Promise<string> {
    const opened = await this.#history.open(query);
    return opened ? requestDocument(opened) : vscode.l10n.t('This request is no longer stored.');
  }

  /** Shows a request in an editor, in preview like a file that is clicked once. */
  async show(figures: RequestFigures): Promise<void> {
    // Megabytes take seconds.
    const document = await withStatusBarProgress(vscode.l10n.t('Opening the request'), async () =>
      vscode.workspace.openTextDocument(documentUri(figures)),
    );
    await showDocument(document, { preview: true });
  }

  dispose(): void {
    this.#registration.dispose();
  }
}

/** The id of the request that an editor shows. */
export function requestIdOf({ scheme: used, query }: vscode.Uri): string | undefined {
  return used === scheme ? query : undefined;
}

function documentUri(figures: RequestFigures): vscode.Uri {
  // The name is the title of the tab: letters that no file system and no address minds.
  const name = requestName(figures).replaceAll(/[^\p{L}\p{N}._-]+/gu, ' ');
  return vscode.Uri.from({
    scheme,
    path: `/${name.trim().slice(0, maxNameLength)}.md`,
    query: figures.id,
  });
}
