import * as vscode from 'vscode';
import { Throttle } from '../../../base/throttle.ts';
import { type OutlineItem, outlineOf } from '../../../conversations/conversation/outline.ts';
import type { ConversationService } from '../../../conversations/conversationService.ts';
import { factLine } from '../../kit/display/joinNames.ts';
import { RowView } from '../../kit/display/rowView.ts';
import { type TreeRow, TreeRowCache } from '../../kit/display/treeRowCache.ts';
import { describeView, treeItem } from '../../kit/display/treeRows.ts';
import { commandName, setContextKey } from '../../kit/manifest/contributions.ts';
import type { Panels } from '../../kit/pages/panels.ts';
import type { ChatPanel } from '../tab/chatPanel.ts';
import type { ChatOpening } from '../tab/chatPanels.ts';
import { blocksOf, type RowBlock } from './outlineBlocks.ts';

/** The command for a click or for Enter. */
const show = { command: commandName('outline.show'), title: 'Show' } as const;

/** A row of the outline, as VS Code passes it to commands. */
interface OutlineNode {
  /** A block contains consecutive questions of a long chat. */
  readonly kind: 'message' | 'block';
  /** The id of the message. */
  readonly id: string;
}

/** The minimum interval between updates of the view, in milliseconds. */
const refreshMs = 200;

/** The Chat Outline view: all branches of the last active chat. It is visible once the chat has messages. */
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
        if (changed === undefined || this.#isShown(changed)) refresh();
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

  /** Whether the shown chat changed. An arriving reply in another chat must not update the outline. */
  #isShown(changed: readonly string[]): boolean {
    return this.#chat === undefined || changed.includes(this.#chat.session.id);
  }

  #refresh(): void {
    const hasSwitched = this.#follow(this.#chats.lastActive);
    const conversation = this.#chat?.session.conversation;
    setContextKey('hasOutline', conversation !== undefined && !conversation.isEmpty);
    if (!this.view.visible) return;
    const rows = outlineRows(conversation ? outlineOf(conversation) : []);
    const changed = this.rows.update(rows);
    this.redraw(hasSwitched ? undefined : changed);
  }

  /** Shows another chat. @returns whether it is a different chat than before */
  #follow(chat: ChatPanel | undefined): boolean {
    describeView(this.view, chat?.panel.title);
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

/** The rows of an outline, in blocks for a long chat. */
function outlineRows(items: readonly OutlineItem[]): readonly TreeRow<OutlineNode>[] {
  return blocksOf(items)?.map(blockRow) ?? rowsOf(items);
}

function blockRow({ first, rows }: RowBlock<OutlineItem>): TreeRow<OutlineNode> {
  const id = `block ${first}`;
  const label = vscode.l10n.t('Questions {0} to {1}', first, first + rows.length - 1);
  return {
    ...{ id, node: { kind: 'block', id }, look: label, children: rowsOf(rows) },
    item: () => treeItem({ id, label, context: 'block', children: 'expanded' }),
  };
}

function rowsOf(items: readonly OutlineItem[]): readonly TreeRow<OutlineNode>[] {
  return items.map((item) => {
    const { id, items: inner, ...look } = item;
    const children = rowsOf(inner);
    return {
      ...{ id, node: { kind: 'message', id }, children },
      look: { ...look, opens: childrenState(item) },
      item: () => itemOf(item),
    };
  });
}

function itemOf(item: OutlineItem): vscode.TreeItem {
  const { id, kind, isShown, model, state } = item;
  const words = firstLine(item);
  return treeItem({
    id,
    label: kind === 'question' ? words : model || vscode.l10n.t('No model'),
    description: [positionText(item), kind === 'answer' ? words : '']
      .filter((text) => text !== '')
      .join(' · '),
    icon: state === 'arriving' ? 'loading~spin' : iconOf(item),
    color: isShown ? undefined : 'disabledForeground',
    tooltip: item.excerpt,
    context: 'message',
    command: show,
    spoken: spokenText(item, words),
    children: childrenState(item),
  });
}

/** The initial state of a row with children: several alternatives are expanded, a single child is collapsed. */
function childrenState({ items }: OutlineItem): 'expanded' | 'collapsed' | undefined {
  if (items.length === 0) return undefined;
  return items.length > 1 ? 'expanded' : 'collapsed';
}

function iconOf({ kind, isShown }: OutlineItem): string {
  if (!isShown) return 'git-branch';
  return kind === 'question' ? 'comment' : 'sparkle';
}

function positionText({ number, count }: OutlineItem): string {
  return count < 2 ? '' : `${number}/${count}`;
}

function spokenText(item: OutlineItem, words: string): string {
  const { kind, model, isShown, number, count, state } = item;
  return factLine([
    kind === 'question'
      ? vscode.l10n.t('Question: {0}', words)
      : vscode.l10n.t('Reply from {0}: {1}', model, words),
    ...(count < 2 ? [] : [vscode.l10n.t('alternative {0} of {1}', number, count)]),
    isShown ? vscode.l10n.t('shown') : vscode.l10n.t('on another branch'),
    ...(state === 'arriving' ? [vscode.l10n.t('receiving')] : []),
  ]);
}

/** The first line of a message without Markdown marks at its start. */
function firstLine({ excerpt }: OutlineItem): string {
  const [line = ''] = excerpt.trim().split('\n', 1);
  return line.replace(/^[#>*_`~\s-]+/, '') || line || vscode.l10n.t('(no text)');
}
