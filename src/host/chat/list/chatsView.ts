import * as vscode from 'vscode';
import type { Disposable } from '../../../base/disposable.ts';
import { Throttle } from '../../../base/throttle.ts';
import type { ConversationService } from '../../../conversations/conversationService.ts';
import type { ListedConversation } from '../../../conversations/store/listing.ts';
import type { ChangedConversations } from '../../../conversations/store/storeChanges.ts';
import type { Database } from '../../../storage/sharedDatabase.ts';
import { KnownRows, type TreeRow } from '../../kit/display/knownRows.ts';
import { describeView, treeItem } from '../../kit/display/rows.ts';
import { TreeSelection } from '../../kit/display/treeSelection.ts';
import { setContextKey, viewId } from '../../kit/manifest/contributions.ts';
import type { Panels } from '../../kit/pages/panels.ts';
import type { ChatPanel } from '../tab/chatPanel.ts';
import type { ChatOpening } from '../tab/chatPanels.ts';
import type { ChatGroup } from './chatGroups.ts';
import { type ChatsNode, chatRows } from './chatRows.ts';
import { type ChosenFilter, filterOf, showFilter } from './chatsFilter.ts';
import { LoadedChats } from './loadedChats.ts';
import { failureRow, healthRows } from './storeNotices.ts';

/** Changes are shown at most this often, in milliseconds. */
const refreshMs = 100;

/** How often the view looks whether another day began, or the file can be written again, in milliseconds. */
const tickMs = 60_000;

/** The open file of chats. */
interface OpenFile {
  readonly loaded: LoadedChats;
  readonly database: Database;
}

/** The Chats view: the kept chats in groups by their last change. The file opens when the view is first seen. */
export class ChatsView implements vscode.TreeDataProvider<ChatsNode> {
  readonly #conversations: ConversationService;
  readonly #chats: Panels<ChatPanel, ChatOpening>;
  readonly #onDidChange = new vscode.EventEmitter<ChatsNode[] | undefined>();
  readonly onDidChangeTreeData = this.#onDidChange.event;
  readonly #view: vscode.TreeView<ChatsNode>;
  readonly selection: TreeSelection<ChatsNode>;
  readonly #subscriptions: readonly Disposable[];
  readonly #throttle = new Throttle(() => this.#takeChanges(), refreshMs);
  readonly #rows = new KnownRows<ChatsNode>();
  /** What changed since the last refresh; undefined when any chat may have. */
  #changed: Set<string> | undefined = new Set();
  #opening: Promise<void> | undefined;
  #file: OpenFile | undefined;
  #failure: unknown;
  #filter: readonly ChosenFilter[] = [];

  constructor(conversations: ConversationService, chats: Panels<ChatPanel, ChatOpening>) {
    this.#conversations = conversations;
    this.#chats = chats;
    this.#view = vscode.window.createTreeView(viewId('chats'), {
      treeDataProvider: this,
      showCollapseAll: true,
      canSelectMany: true,
    });
    this.selection = new TreeSelection(this.#view);
    if (vscode.env.remoteName !== undefined) {
      describeView(this.#view, vscode.l10n.t('on the remote machine'));
    }
    const tick = setInterval(() => this.#tick(), tickMs);
    this.#subscriptions = [
      conversations.onDidChange((changed) => this.#note(changed)),
      chats.onDidChange(() => this.#throttle.schedule()),
      this.#view.onDidChangeVisibility(() => this.#throttle.schedule()),
      { dispose: () => clearInterval(tick) },
    ];
  }

  get filter(): readonly ChosenFilter[] {
    return this.#filter;
  }

  /** A chat that the view has read. */
  find(id: string): ListedConversation | undefined {
    return this.#file?.loaded.find(id);
  }

  filterBy(filter: readonly ChosenFilter[]): Promise<void> {
    this.#filter = filter;
    showFilter(this.#view, filter);
    setContextKey('chatsFiltered', filter.length > 0);
    return this.refresh();
  }

  showMore(group: ChatGroup): void {
    this.#show(({ loaded }) => loaded.more(group));
  }

  /** Reads the chats anew, and tries to open a file that could not be opened. */
  async refresh(): Promise<void> {
    await this.#open();
    this.#show(({ loaded }) => loaded.reload(filterOf(this.#filter)));
  }

  async getChildren(node?: ChatsNode): Promise<ChatsNode[]> {
    if (node === undefined) {
      await this.#open();
      this.#update();
    }
    this.selection.listed();
    return [...(node === undefined ? this.#rows.roots : this.#rows.childrenOf(node))];
  }

  getTreeItem(node: ChatsNode): vscode.TreeItem {
    return this.#rows.itemOf(node) ?? treeItem({ id: 'gone', label: '' });
  }

  getParent(node: ChatsNode): ChatsNode | undefined {
    return this.#rows.parentOf(node);
  }

  dispose(): void {
    this.#throttle.dispose();
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#view.dispose();
    this.#onDidChange.dispose();
  }

  /** Opens the file unless it is open. A failure is a row of the view. */
  #open(): Promise<void> {
    if (this.#file) return Promise.resolve();
    this.#opening ??= this.#read().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #read(): Promise<void> {
    try {
      const store = await this.#conversations.store();
      const loaded = new LoadedChats(store);
      loaded.reload(filterOf(this.#filter));
      this.#file = { loaded, database: store.database };
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
    }
  }

  #note(changed: ChangedConversations): void {
    if (changed === undefined) this.#changed = undefined;
    else for (const id of changed) this.#changed?.add(id);
    this.#throttle.schedule();
  }

  /** A hidden view takes over what changed when it is seen again. */
  #takeChanges(): void {
    if (!this.#view.visible || !this.#file) return;
    const changed = this.#changed;
    this.#changed = new Set();
    this.#show(({ loaded }) => {
      if (!changed || loaded.isOfYesterday) loaded.reload();
      else if (changed.size > 0) loaded.update([...changed]);
    });
  }

  #tick(): void {
    this.#throttle.schedule();
  }

  #show(read: (file: OpenFile) => void): void {
    try {
      if (this.#file) read(this.#file);
      this.#failure = this.#file ? undefined : this.#failure;
    } catch (error) {
      this.#changed = undefined;
      this.#failure = error;
    }
    const changed = this.#update();
    if (changed?.length !== 0) this.#onDidChange.fire(changed && [...changed]);
  }

  /** @returns the rows that changed; undefined when the list of groups and notices did */
  #update(): readonly ChatsNode[] | undefined {
    const rows = this.#content();
    setContextKey('hasChats', rows.length > 0);
    return this.#rows.update(rows);
  }

  #content(): readonly TreeRow<ChatsNode>[] {
    const failure = this.#failure === undefined ? [] : [failureRow(this.#failure)];
    if (!this.#file) return failure;
    const open = new Set(this.#chats.all.map(({ session }) => session.id));
    const { loaded, database } = this.#file;
    return [...failure, ...healthRows(database), ...chatRows(loaded, (id) => open.has(id))];
  }
}
