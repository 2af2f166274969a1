import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { showDifferences } from '../../kit/display/editors.ts';
import { visibleText } from '../../kit/display/plainText.ts';

const scheme = 'model-gateway-proposed';

/** What is proposed for a file. */
export interface Proposal {
  readonly file: vscode.Uri;
  /** The text of the file that it is made for; undefined for a file that is not there yet. */
  readonly original: string | undefined;
  readonly text: string;
  /** Makes it anew from what the file is now, and shows that. */
  readonly again: () => Promise<void>;
}

/** The proposals that are compared with their files, each in VS Code's own editor of differences. */
export class Proposals {
  readonly #proposals = new Map<string, Proposal>();
  /** Those that are being put into their files. */
  readonly #underWay = new Set<Proposal>();
  readonly #subscriptions = [
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      provideTextDocumentContent: ({ query }) => this.#proposals.get(query)?.text ?? '',
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      if (uri.scheme === scheme) this.#proposals.delete(uri.query);
    }),
  ];

  /** Shows what a proposal changes. */
  async compare(proposal: Proposal, name: string): Promise<void> {
    const id = randomUUID();
    this.#proposals.set(id, proposal);
    const { path } = proposal.file;
    const right = vscode.Uri.from({ scheme, path, query: id });
    // A file that is not there is compared with nothing.
    const left = proposal.original === undefined ? vscode.Uri.from({ scheme, path }) : proposal.file;
    const title = vscode.l10n.t('{0} (proposed)', visibleText(name));
    await showDifferences(left, right, title, { preview: false });
  }

  /** The proposal in the active tab. */
  get active(): Proposal | undefined {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    return input instanceof vscode.TabInputTextDiff && input.modified.scheme === scheme
      ? this.#proposals.get(input.modified.query)
      : undefined;
  }

  /** Does something with a proposal, unless it is under way already. */
  async once(proposal: Proposal, act: () => Promise<void>): Promise<void> {
    if (this.#underWay.has(proposal)) return;
    this.#underWay.add(proposal);
    await act().finally(() => this.#underWay.delete(proposal));
  }

  /** Closes the comparison in the active tab. */
  async closeActive(): Promise<void> {
    const { activeTab } = vscode.window.tabGroups.activeTabGroup;
    const isProposal =
      activeTab?.input instanceof vscode.TabInputTextDiff && activeTab.input.modified.scheme === scheme;
    if (isProposal) await vscode.window.tabGroups.close(activeTab);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}
