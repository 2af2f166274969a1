import type { MarkdownIt, Token } from 'markdown-it';

/** The kind of an alert, a quote that begins as on GitHub with `> [!NOTE]`. */
export type AlertKind = 'note' | 'tip' | 'important' | 'warning' | 'caution';

const alertMarker = /^\[!(note|tip|important|warning|caution)\][ \t]*$/i;
const taskMarker = /^\[([ xX])\](?=[ \t]+\S|[ \t]*$)[ \t]*/;

const alerts = new WeakMap<Token, AlertKind>();
const tasks = new WeakMap<Token, boolean>();

/** Returns the kind of alert of a quote; undefined for an ordinary quote. */
export function getAlertKind(quote: Token): AlertKind | undefined {
  return alerts.get(quote);
}

/** Returns whether the task of a list item is done; undefined for an ordinary item. */
export function getTaskState(item: Token): boolean | undefined {
  return tasks.get(item);
}

/** Adds the syntax of `[!NOTE]` at the beginning of quotes, and of `[ ]` and `[x]` at the beginning of items. */
export function addAlertAndTaskSyntax({ core }: MarkdownIt): void {
  core.ruler.push('annotations', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type === 'blockquote_open') readAlert(token, findFirstMarks(tokens, index));
      else if (token.type === 'list_item_open') readTask(token, findFirstMarks(tokens, index));
    }
  });
}

/** Returns the inline tokens of the paragraph at the beginning of a quote or item. */
function findFirstMarks(tokens: readonly Token[], index: number): Token[] {
  return tokens[index + 1]?.type === 'paragraph_open' ? (tokens[index + 2]?.children ?? []) : [];
}

function readAlert(quote: Token, marks: Token[]): void {
  const [first, second] = marks;
  if (first?.type !== 'text' || (second && second.type !== 'softbreak')) return;
  const kind = alertMarker.exec(first.content)?.[1]?.toLowerCase();
  if (kind === undefined) return;
  alerts.set(quote, kind as AlertKind);
  marks.splice(0, 2);
}

function readTask(item: Token, marks: readonly Token[]): void {
  const [first] = marks;
  const [marker, state] = (first?.type === 'text' && taskMarker.exec(first.content)) || [];
  if (!first || marker === undefined) return;
  tasks.set(item, state !== ' ');
  first.content = first.content.slice(marker.length);
}
