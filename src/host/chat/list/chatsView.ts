import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors.ts';
import { Throttle } from '../../../base/throttle.ts';
import type { ConversationService } from '../../../conversations/conversationService.ts';
import type { ChangedConversations } from '../../../conversations/store/storeChanges.ts';
import type { Database } from '../../../storage/sharedDatabase.ts';
import { RowView } from '../../kit/display/rowView.ts';
import { describeStorageProblem } from '../../kit/display/storageNotice.ts';
import type { TreeRow } from '../../kit/display/treeRowCache.ts';
import { createRow, showViewDescription } from '../../kit/display/treeRows.ts';
import { commandName, setContextKey } from '../../kit/manifest/contributions.ts';
import type { Panels } from '../../kit/pages/panels.ts';
import type { ChatPanel } from '../tab/chatPanel.ts';
import type { ChatOpening } from '../tab/chatPanels.ts';
import { type ChatsNode, createChatRows } from './chatRows.ts';
import { type ChosenFilter, showFilter, toChatFilter } from './chatsFilter.ts';
import { type ChatGroup, LoadedChats } from './loadedChats.ts';

/** The minimum interval between updates of the view, in milliseconds. */
const refreshMs = 100;

/** The interval of the checks for a new day and for a file that can be written again, in milliseconds. */
const checkIntervalMs = 60_000;

/** The open file of chats. */
interface OpenFile {
  readonly loaded: LoadedChats;
  readonly database: Database;
}

/**
 * The Chats view: the stored chats, grouped by their last change. The file is opened when the view is first shown.
 */
export class ChatsView extends RowView<ChatsNode> {
  readonly #conversations: ConversationService;
  readonly #chats: Panels<ChatPanel, ChatOpening>;
  readonly #throttle = new Throttle(() => this.#applyChanges(), refreshMs);
  /** The chats that changed since the last refresh; undefined if any chat may have changed. */
  #changed: Set<string> | undefined = new Set();
  #opening: Promise<void> | undefined;
  #file: OpenFile | undefined;
  #failure: unknown;
  #filter: readonly ChosenFilter[] = [];

  constructor(conversations: ConversationService, chats: Panels<ChatPanel, ChatOpening>) {
    super('chats', { showCollapseAll: true, canSelectMany: true });
    this.#conversations = conversations;
    this.#chats = chats;
    if (vscode.env.remoteName !== undefined) {
      showViewDescription(this.view, vscode.l10n.t('on the remote machine'));
    }
    const interval = setInterval(() => this.#throttle.schedule(), checkIntervalMs);
    this.addDisposables(
      conversations.onDidChange((changed) => this.#noteChanges(changed)),
      chats.onDidChange(() => this.#throttle.schedule()),
      this.view.onDidChangeVisibility(() => this.#throttle.schedule()),
      { dispose: () => clearInterval(interval) },
      this.#throttle,
    );
  }

  get filter(): readonly ChosenFilter[] {
    return this.#filter;
  }

  filterBy(filter: readonly ChosenFilter[]): Promise<void> {
    this.#filter = filter;
    showFilter(this.view, filter);
    setContextKey('chatsFiltered', filter.length > 0);
    return this.refresh();
  }

  showMore(group: ChatGroup): void {
    this.#readAndRedraw(({ loaded }) => loaded.loadMore(group));
  }

  /** Reads the chats again. If the file could not be opened, tries to open it again. */
  async refresh(): Promise<void> {
    await this.#open();
    this.#readAndRedraw(({ loaded }) => loaded.reload(toChatFilter(this.#filter)));
  }

  async getChildren(node?: ChatsNode): Promise<ChatsNode[]> {
    if (node === undefined) {
      await this.#open();
      this.#updateRows();
    }
    return this.listChildren(node);
  }

  /** Opens the file unless it is already open. A failure is shown as a row. */
  #open(): Promise<void> {
    if (this.#file) return Promise.resolve();
    this.#opening ??= this.#load().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #load(): Promise<void> {
    try {
      const store = await this.#conversations.store();
      const loaded = new LoadedChats(store);
      loaded.reload(toChatFilter(this.#filter));
      this.#file = { loaded, database: store.database };
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
    }
  }

  #noteChanges(changed: ChangedConversations): void {
    if (changed === undefined) this.#changed = undefined;
    else for (const id of changed) this.#changed?.add(id);
    this.#throttle.schedule();
  }

  /** Applies the noted changes, unless the view is hidden. They are then applied when the view is shown again. */
  #applyChanges(): void {
    if (!this.view.visible || !this.#file) return;
    const changed = this.#changed;
    this.#changed = new Set();
    this.#readAndRedraw(({ loaded }) => {
      if (!changed || loaded.isFromEarlierDay) loaded.reload();
      else if (changed.size > 0) loaded.update([...changed]);
    });
  }

  /** Reads chats from the open file and updates the view. */
  #readAndRedraw(read: (file: OpenFile) => void): void {
    try {
      if (this.#file) read(this.#file);
      this.#failure = this.#file ? undefined : this.#failure;
    } catch (error) {
      this.#changed = undefined;
      this.#failure = error;
    }
    this.redraw(this.#updateRows());
  }

  /** @returns the changed rows; undefined if the list of groups and notices changed */
  #updateRows(): readonly ChatsNode[] | undefined {
    const rows = this.#createRows();
    setContextKey('hasChats', rows.length > 0);
    return this.rows.update(rows);
  }

  #createRows(): readonly TreeRow<ChatsNode>[] {
    const failure = this.#failure === undefined ? [] : [createFailureRow(this.#failure)];
    if (!this.#file) return failure;
    const openIds = new Set(this.#chats.all.map(({ session }) => session.id));
    const { loaded, database } = this.#file;
    return [...failure, ...createHealthRows(database), ...createChatRows(loaded, (id) => openIds.has(id))];
  }
}

/** Creates the row that shows why the chats cannot be listed. A click reads them again. */
function createFailureRow(error: unknown): TreeRow<ChatsNode> {
  const label = vscode.l10n.t('The chat file cannot be read');
  return createRow(
    { kind: 'notice' },
    {
      id: 'failure',
      label,
      icon: 'error',
      color: 'list.errorForeground',
      description: vscode.l10n.t('click to try again'),
      tooltip: vscode.l10n.t('{0}\n{1}\nClick to try again.', label, errorMessage(error)),
      command: { command: commandName('chats.refresh'), title: label },
    },
  );
}

/** Creates the rows that report that changes are not stored, or that the file was damaged. */
function createHealthRows({
  readOnly,
  setAside,
  path,
}: Pick<Database, 'readOnly' | 'setAside' | 'path'>): readonly TreeRow<ChatsNode>[] {
  return [
    ...(readOnly ? [createReadOnlyRow(readOnly, path)] : []),
    ...(setAside ? [createDamagedRow(setAside)] : []),
  ];
}

function createReadOnlyRow(reason: NonNullable<Database['readOnly']>, path: string): TreeRow<ChatsNode> {
  const label = vscode.l10n.t('Changes to chats are not saved');
  const problem = describeStorageProblem(reason, path, vscode.l10n.t('chat file'));
  return createRow(
    { kind: 'notice' },
    {
      id: 'readOnly',
      label,
      icon: 'warning',
      color: 'list.warningForeground',
      description: problem,
      tooltip: `${label}\n${problem}`,
      command: { command: commandName('chats.refresh'), title: label },
    },
  );
}

function createDamagedRow(file: string): TreeRow<ChatsNode> {
  const label = vscode.l10n.t('The chat file was damaged');
  return createRow(
    { kind: 'notice', file },
    {
      id: 'damaged',
      label,
      icon: 'warning',
      color: 'list.warningForeground',
      description: vscode.l10n.t('click to show it'),
      tooltip: vscode.l10n.t(
        '{0}\nThe readable part was recovered. The damaged file was moved to: {1}',
        label,
        file,
      ),
      command: { command: commandName('chats.openChat'), title: vscode.l10n.t('Reveal File') },
    },
  );
}
