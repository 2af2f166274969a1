import * as vscode from 'vscode';
import type { Disposable } from '../../../base/disposable.ts';
import { Throttle } from '../../../base/throttle.ts';
import type { ConversationService } from '../../../conversations/conversationService.ts';
import { outlineOf } from '../../../conversations/outline.ts';
import { KnownRows } from '../../kit/display/knownRows.ts';
import { describeView, treeItem } from '../../kit/display/rows.ts';
import { TreeSelection } from '../../kit/display/treeSelection.ts';
import { setContextKey, viewId } from '../../kit/manifest/contributions.ts';
import type { Panels } from '../../kit/pages/panels.ts';
import type { ChatPanel } from '../tab/chatPanel.ts';
import type { ChatOpening } from '../tab/chatPanels.ts';
import { type OutlineNode, outlineRows } from './outlineRows.ts';

/** Changes are shown at most this often, in milliseconds. */
const refreshMs = 200;

/** The Chat Outline view: all branches of the chat that was active last. It is there once that has messages. */
export class OutlineView implements vscode.TreeDataProvider<OutlineNode> {
  readonly #chats: Panels<ChatPanel, ChatOpening>;
  readonly #onDidChange = new vscode.EventEmitter<OutlineNode[] | undefined>();
  readonly onDidChangeTreeData = this.#onDidChange.event;
  readonly #view: vscode.TreeView<OutlineNode>;
  readonly selection: TreeSelection<OutlineNode>;
  readonly #subscriptions: readonly Disposable[];
  readonly #throttle = new Throttle(() => this.#refresh(), refreshMs);
  #rows = new KnownRows<OutlineNode>();
  #chat: ChatPanel | undefined;
  #following: vscode.Disposable | undefined;

  constructor(conversations: ConversationService, chats: Panels<ChatPanel, ChatOpening>) {
    this.#chats = chats;
    this.#view = vscode.window.createTreeView(viewId('outline'), {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.selection = new TreeSelection(this.#view);
    const look = () => this.#throttle.schedule();
    this.#subscriptions = [
      // Other windows change branches that are not shown here.
      conversations.onDidChange((changed) => {
        if (changed === undefined || this.#isOf(changed)) look();
      }),
      chats.onDidChange(look),
      vscode.window.tabGroups.onDidChangeTabs(look),
      vscode.window.tabGroups.onDidChangeTabGroups(look),
      this.#view.onDidChangeVisibility(look),
    ];
  }

  /** The chat whose outline it is; undefined when none is open. */
  get chat(): ChatPanel | undefined {
    return this.#chat;
  }

  getChildren(node?: OutlineNode): OutlineNode[] {
    this.selection.listed();
    return [...(node === undefined ? this.#rows.roots : this.#rows.childrenOf(node))];
  }

  getTreeItem(node: OutlineNode): vscode.TreeItem {
    return this.#rows.itemOf(node) ?? treeItem({ id: 'gone', label: '' });
  }

  dispose(): void {
    this.#throttle.dispose();
    this.#following?.dispose();
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#view.dispose();
    this.#onDidChange.dispose();
  }

  /** A reply that arrives in another chat is no reason to look at all messages of this one. */
  #isOf(changed: readonly string[]): boolean {
    return this.#chat === undefined || changed.includes(this.#chat.session.id);
  }

  #refresh(): void {
    const isOther = this.#follow(this.#chats.lastActive);
    const conversation = this.#chat?.session.conversation;
    setContextKey('hasOutline', conversation !== undefined && !conversation.isEmpty);
    if (!this.#view.visible) return;
    const rows = outlineRows(conversation ? outlineOf(conversation) : []);
    const changed = this.#rows.update(rows);
    if (isOther || changed === undefined) this.#onDidChange.fire(undefined);
    else if (changed.length > 0) this.#onDidChange.fire([...changed]);
  }

  /** @returns whether it is another chat than before */
  #follow(chat: ChatPanel | undefined): boolean {
    describeView(this.#view, chat?.panel.title);
    if (chat === this.#chat) return false;
    this.#following?.dispose();
    this.#chat = chat;
    this.#rows = new KnownRows();
    this.#following = chat?.session.onDidChange(({ type }) => {
      if (type !== 'deltas') this.#throttle.schedule();
    });
    return true;
  }
}
