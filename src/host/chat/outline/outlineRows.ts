import * as vscode from 'vscode';
import type { OutlineItem } from '../../../conversations/outline.ts';
import type { TreeRow } from '../../kit/display/knownRows.ts';
import { factLine } from '../../kit/display/listed.ts';
import { treeItem } from '../../kit/display/rows.ts';
import { commandName } from '../../kit/manifest/contributions.ts';
import { blocksOf, type RowBlock } from './outlineBlocks.ts';

/** What VS Code and the commands know a row of the outline by. */
export interface OutlineNode {
  /** A block is of questions that follow each other in a long chat. */
  readonly kind: 'message' | 'block';
  /** The id of the message. */
  readonly id: string;
}

/** The command of a click, and of Enter. */
const show = { command: commandName('outline.show'), title: 'Show' } as const;

/** The rows of an outline; those of a long chat in blocks. */
export function outlineRows(items: readonly OutlineItem[]): readonly TreeRow<OutlineNode>[] {
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

/** At any depth. */
function rowsOf(items: readonly OutlineItem[]): readonly TreeRow<OutlineNode>[] {
  return items.map((item) => {
    const { id, items: inner, ...look } = item;
    const children = rowsOf(inner);
    return {
      ...{ id, node: { kind: 'message', id }, children },
      look: { ...look, opens: opens(item) },
      item: () => itemOf(item),
    };
  });
}

function itemOf(item: OutlineItem): vscode.TreeItem {
  const { id, of, isShown, model, state } = item;
  const words = firstLine(item);
  return treeItem({
    id,
    label: of === 'question' ? words : model || vscode.l10n.t('No model'),
    description: [place(item), of === 'answer' ? words : ''].filter((text) => text !== '').join(' · '),
    icon: state === 'arriving' ? 'loading~spin' : iconOf(item),
    color: isShown ? undefined : 'disabledForeground',
    tooltip: item.words,
    context: 'message',
    command: show,
    spoken: spoken(item, words),
    children: opens(item),
  });
}

/** Alternatives are open at first; the answer of a question without any is one step away. */
function opens({ items }: OutlineItem): 'expanded' | 'collapsed' | undefined {
  if (items.length === 0) return undefined;
  return items.length > 1 ? 'expanded' : 'collapsed';
}

function iconOf({ of, isShown }: OutlineItem): string {
  if (!isShown) return 'git-branch';
  return of === 'question' ? 'comment' : 'sparkle';
}

function place({ number, count }: OutlineItem): string {
  return count < 2 ? '' : `${number}/${count}`;
}

function spoken(item: OutlineItem, words: string): string {
  const { of, model, isShown, number, count, state } = item;
  return factLine([
    of === 'question'
      ? vscode.l10n.t('Question: {0}', words)
      : vscode.l10n.t('Reply of {0}: {1}', model, words),
    ...(count < 2 ? [] : [vscode.l10n.t('alternative {0} of {1}', number, count)]),
    isShown ? vscode.l10n.t('shown') : vscode.l10n.t('on another branch'),
    ...(state === 'arriving' ? [vscode.l10n.t('arriving')] : []),
  ]);
}

/** Without the marks of Markdown that a line begins with. */
function firstLine({ words }: OutlineItem): string {
  const [line = ''] = words.trim().split('\n', 1);
  return line.replace(/^[#>*_`~\s-]+/, '') || line || vscode.l10n.t('(no text)');
}
