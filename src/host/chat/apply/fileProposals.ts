import * as vscode from 'vscode';
import { showDifferences } from '../../kit/display/editors.ts';
import { removeHidden } from '../../kit/display/plainText.ts';

const scheme = 'model-gateway-proposed';

/** A proposed text of a file. */
export interface FileProposal {
  readonly id: string;
  readonly file: vscode.Uri;
  /** The text that the proposal is based on; undefined for a new file. */
  readonly original: string | undefined;
  readonly text: string;
  /** Creates a new proposal from the current text of the file, and shows it. */
  readonly compareAgain: () => Promise<void>;
}

/** The proposals that are shown in diff editors of VS Code, next to their files. */
export class FileProposals {
  readonly #proposals = new Map<string, FileProposal>();
  /** The proposals that are being applied. */
  readonly #applying = new Set<FileProposal>();
  readonly #subscriptions = [
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      provideTextDocumentContent: ({ query }) => this.#proposals.get(query)?.text ?? '',
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      if (uri.scheme === scheme) this.#proposals.delete(uri.query);
    }),
  ];

  /**
   * Opens the diff editor of a proposal.
   *
   * @param fileName the name of the file in the title of the diff editor
   */
  async compare(proposal: FileProposal, fileName: string): Promise<void> {
    const { id, file } = proposal;
    this.#proposals.set(id, proposal);
    const { path } = file;
    const right = vscode.Uri.from({ scheme, path, query: id });
    // A URI without an id has an empty text, for the comparison with a new file.
    const left = proposal.original === undefined ? vscode.Uri.from({ scheme, path }) : file;
    const title = vscode.l10n.t('{0} (proposed)', removeHidden(fileName));
    await showDifferences(left, right, title, { preview: false });
  }

  /**
   * Finds the id of the proposal in the clicked editor, otherwise in the active tab. A click on a button above an editor
   * does not activate the editor.
   *
   * @param clicked the first argument of a command: for a button above an editor, the URI of its document
   */
  findId(clicked: unknown): string | undefined {
    if (clicked instanceof vscode.Uri && clicked.scheme === scheme) return clicked.query;
    return readProposalId(vscode.window.tabGroups.activeTabGroup.activeTab);
  }

  /** Finds a proposal; undefined if VS Code restored its tab from an earlier session. */
  find(id: string | undefined): FileProposal | undefined {
    return id === undefined ? undefined : this.#proposals.get(id);
  }

  /** Calls `apply` for a proposal, unless the proposal is already being applied. */
  async applyOnce(proposal: FileProposal, apply: () => Promise<void>): Promise<void> {
    if (this.#applying.has(proposal)) return;
    this.#applying.add(proposal);
    await apply().finally(() => this.#applying.delete(proposal));
  }

  /** Closes the tabs of a proposal. */
  async close(id: string | undefined): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    await vscode.window.tabGroups.close(tabs.filter((tab) => id !== undefined && readProposalId(tab) === id));
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}

/** Reads the id of the proposal in a tab; undefined if the tab shows something else. */
function readProposalId(tab: vscode.Tab | undefined): string | undefined {
  return tab?.input instanceof vscode.TabInputTextDiff && tab.input.modified.scheme === scheme
    ? tab.input.modified.query
    : undefined;
}
