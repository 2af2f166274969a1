import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { showDifferences } from '../../kit/display/editors.ts';
import { removeHidden } from '../../kit/display/plainText.ts';

const scheme = 'model-gateway-proposed';

/** A proposed text of a file. */
export interface FileProposal {
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
    const id = randomUUID();
    this.#proposals.set(id, proposal);
    const { path } = proposal.file;
    const right = vscode.Uri.from({ scheme, path, query: id });
    // A URI without an id has an empty text, for the comparison with a new file.
    const left = proposal.original === undefined ? vscode.Uri.from({ scheme, path }) : proposal.file;
    const title = vscode.l10n.t('{0} (proposed)', removeHidden(fileName));
    await showDifferences(left, right, title, { preview: false });
  }

  /** The proposal in the active tab. */
  get active(): FileProposal | undefined {
    const id = readProposalId(vscode.window.tabGroups.activeTabGroup.activeTab);
    return id === undefined ? undefined : this.#proposals.get(id);
  }

  /** Calls `apply` for a proposal, unless the proposal is already being applied. */
  async applyOnce(proposal: FileProposal, apply: () => Promise<void>): Promise<void> {
    if (this.#applying.has(proposal)) return;
    this.#applying.add(proposal);
    await apply().finally(() => this.#applying.delete(proposal));
  }

  /** Closes the active tab if it shows a proposal. */
  async closeActive(): Promise<void> {
    const { activeTab } = vscode.window.tabGroups.activeTabGroup;
    if (activeTab && readProposalId(activeTab) !== undefined) await vscode.window.tabGroups.close(activeTab);
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
