import * as vscode from 'vscode';
import { Throttle } from '../../../base/throttle.ts';
import { createOutline, type OutlineItem } from '../../../conversations/conversation/outline.ts';
import type { ConversationService } from '../../../conversations/conversationService.ts';
import { joinFacts } from '../../kit/display/joinNames.ts';
import { RowView } from '../../kit/display/rowView.ts';
import {
  type RowBlock,
  splitIntoBlocks,
  type TreeRow,
  TreeRowCache,
} from '../../kit/display/treeRowCache.ts';
import { createTreeItem, showViewDescription } from '../../kit/display/treeRows.ts';
import { commandName, setContextKey } from '../../kit/manifest/contributions.ts';
import type { Panels } from '../../kit/pages/panels.ts';
import type { ChatPanel } from '../tab/chatPanel.ts';
import type { ChatOpening } from '../tab/chatPanels.ts';

/** The command for a click or for Enter. */
const showCommand = { command: commandName('outline.show'), title: 'Show' } as const;

/** A row of the outline, as VS Code passes it to commands. */
interface OutlineNode {
  /** A block contains consecutive questions of a long chat. */
  readonly kind: 'message' | 'block';
  /** The id of the message or of the block. */
  readonly id: string;
}

/** The minimum interval between updates of the view, in milliseconds. */
const refreshMs = 200;

/** The Chat Outline view: all branches of the last active chat. The view is visible once the chat has messages. */
export class OutlineView extends RowView<OutlineNode> {
  readonly #chats: Panels<ChatPanel, ChatOpening>;
  readonly #throttle = new Throttle(() => this.#refresh(), refreshMs);
  #chat: ChatPanel | undefined;
  #subscription: vscode.Disposable | undefined;

  constructor(conversations: ConversationService, chats: Panels<ChatPanel, ChatOpening>) {
    super('outline', { showCollapseAll: true });
    this.#chats = chats;
    const refresh = () => this.#throttle.schedule();
    this.addDisposables(
      // Other windows may change branches that are not shown here.
      conversations.onDidChange((changed) => {
        if (changed === undefined || this.#isAffected(changed)) refresh();
      }),
      chats.onDidChange(refresh),
      vscode.window.tabGroups.onDidChangeTabs(refresh),
      vscode.window.tabGroups.onDidChangeTabGroups(refresh),
      this.view.onDidChangeVisibility(refresh),
      this.#throttle,
      { dispose: () => this.#subscription?.dispose() },
    );
  }

  /** The chat of the outline; undefined if no chat is open. */
  get chat(): ChatPanel | undefined {
    return this.#chat;
  }

  getChildren(node?: OutlineNode): OutlineNode[] {
    return this.listChildren(node);
  }

  /** Whether changed chats include the shown chat. An arriving reply in another chat must not update the outline. */
  #isAffected(changed: readonly string[]): boolean {
    return this.#chat === undefined || changed.includes(this.#chat.session.id);
  }

  #refresh(): void {
    const hasSwitched = this.#switchTo(this.#chats.lastActive);
    const conversation = this.#chat?.session.conversation;
    setContextKey('hasOutline', conversation !== undefined && !conversation.isEmpty);
    if (!this.view.visible) return;
    const rows = createOutlineRows(conversation ? createOutline(conversation) : []);
    const changed = this.rows.update(rows);
    this.redraw(hasSwitched ? undefined : changed);
  }

  /** Switches to a chat. @returns false if the chat is already shown */
  #switchTo(chat: ChatPanel | undefined): boolean {
    showViewDescription(this.view, chat?.panel.title);
    if (chat === this.#chat) return false;
    this.#subscription?.dispose();
    this.#chat = chat;
    this.rows = new TreeRowCache();
    this.#subscription = chat?.session.onDidChange(({ type }) => {
      if (type !== 'deltas') this.#throttle.schedule();
    });
    return true;
  }
}

/** Creates the rows of an outline, in blocks for a long chat. */
function createOutlineRows(items: readonly OutlineItem[]): readonly TreeRow<OutlineNode>[] {
  return splitIntoBlocks(items)?.map(createBlockRow) ?? createMessageRows(items);
}

function createBlockRow({ first, rows }: RowBlock<OutlineItem>): TreeRow<OutlineNode> {
  const id = `block ${first}`;
  const label = vscode.l10n.t('Questions {0} to {1}', first, first + rows.length - 1);
  return {
    id,
    node: { kind: 'block', id },
    look: label,
    children: createMessageRows(rows),
    item: () => createTreeItem({ id, label, context: 'block', children: 'expanded' }),
  };
}

function createMessageRows(items: readonly OutlineItem[]): readonly TreeRow<OutlineNode>[] {
  return items.map((item) => {
    const { id, items: inner, ...look } = item;
    const children = createMessageRows(inner);
    return {
      id,
      node: { kind: 'message', id },
      children,
      look: { ...look, opens: chooseChildrenState(item) },
      item: () => createOutlineItem(item),
    };
  });
}

function createOutlineItem(item: OutlineItem): vscode.TreeItem {
  const { id, kind, isShown, model, state } = item;
  const text = extractFirstLine(item);
  return createTreeItem({
    id,
    label: kind === 'question' ? text : model || vscode.l10n.t('No model'),
    description: [formatPosition(item), kind === 'reply' ? text : '']
      .filter((part) => part !== '')
      .join(' · '),
    icon: state === 'arriving' ? 'loading~spin' : chooseIcon(item),
    color: isShown ? undefined : 'disabledForeground',
    tooltip: item.excerpt,
    context: 'message',
    command: showCommand,
    spoken: formatSpokenText(item, text),
    children: chooseChildrenState(item),
  });
}

/** Chooses the initial state of a row with children: several alternatives are expanded, a single child is collapsed. */
function chooseChildrenState({ items }: OutlineItem): 'expanded' | 'collapsed' | undefined {
  if (items.length === 0) return undefined;
  return items.length > 1 ? 'expanded' : 'collapsed';
}

function chooseIcon({ kind, isShown }: OutlineItem): string {
  if (!isShown) return 'git-branch';
  return kind === 'question' ? 'comment' : 'sparkle';
}

function formatPosition({ number, count }: OutlineItem): string {
  return count < 2 ? '' : `${number}/${count}`;
}

function formatSpokenText(item: OutlineItem, text: string): string {
  const { kind, model, isShown, number, count, state } = item;
  return joinFacts([
    kind === 'question'
      ? vscode.l10n.t('Question: {0}', text)
      : vscode.l10n.t('Reply from {0}: {1}', model, text),
    ...(count < 2 ? [] : [vscode.l10n.t('alternative {0} of {1}', number, count)]),
    isShown ? vscode.l10n.t('shown') : vscode.l10n.t('on another branch'),
    ...(state === 'arriving' ? [vscode.l10n.t('receiving')] : []),
  ]);
}

/** Extracts the first line of a message, without Markdown marks at its start. */
function extractFirstLine({ excerpt }: OutlineItem): string {
  const [line = ''] = excerpt.trim().split('\n', 1);
  return line.replace(/^[#>*_`~\s-]+/, '') || line || vscode.l10n.t('(no text)');
}
