import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { showDifferences } from '../../kit/display/editors.ts';
import { visibleText } from '../../kit/display/plainText.ts';

const scheme = 'model-gateway-proposed';

/** A proposed text of a file. */
export interface FileProposal {
  readonly file: vscode.Uri;
  /** The text that the proposal is based on; undefined for a new file. */
  readonly original: string | undefined;
  readonly text: string;
  /** Creates the proposal again from the current file, and shows it. */
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

  /** Opens the diff editor of a proposal. */
  async compare(proposal: FileProposal, name: string): Promise<void> {
    const id = randomUUID();
    this.#proposals.set(id, proposal);
    const { path } = proposal.file;
    const right = vscode.Uri.from({ scheme, path, query: id });
    // A new file is compared with an empty text.
    const left = proposal.original === undefined ? vscode.Uri.from({ scheme, path }) : proposal.file;
    const title = vscode.l10n.t('{0} (proposed)', visibleText(name));
    await showDifferences(left, right, title, { preview: false });
  }

  /** The proposal in the active tab. */
  get active(): FileProposal | undefined {
    const id = proposalIdOf(vscode.window.tabGroups.activeTabGroup.activeTab);
    return id === undefined ? undefined : this.#proposals.get(id);
  }

  /** Runs an action for a proposal, unless an action is already running for it. */
  async runOnce(proposal: FileProposal, act: () => Promise<void>): Promise<void> {
    if (this.#applying.has(proposal)) return;
    this.#applying.add(proposal);
    await act().finally(() => this.#applying.delete(proposal));
  }

  /** Closes the active tab if it shows a proposal. */
  async closeActive(): Promise<void> {
    const { activeTab } = vscode.window.tabGroups.activeTabGroup;
    if (activeTab && proposalIdOf(activeTab) !== undefined) await vscode.window.tabGroups.close(activeTab);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}

/** The id of the proposal in a tab; undefined if the tab shows something else. */
function proposalIdOf(tab: vscode.Tab | undefined): string | undefined {
  return tab?.input instanceof vscode.TabInputTextDiff && tab.input.modified.scheme === scheme
    ? tab.input.modified.query
    : undefined;
}
