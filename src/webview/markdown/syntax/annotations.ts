import type { MarkdownIt, Token } from 'markdown-it';

/** What a quote that is an alert is about, as GitHub writes it: `> [!NOTE]`. */
export type AlertKind = 'note' | 'tip' | 'important' | 'warning' | 'caution';

const alertMarker = /^\[!(note|tip|important|warning|caution)\][ \t]*$/i;
const taskMarker = /^\[([ xX])\](?=[ \t]+\S|[ \t]*$)[ \t]*/;

const alerts = new WeakMap<Token, AlertKind>();
const tasks = new WeakMap<Token, boolean>();

/** The kind of alert that a quote is; undefined for a mere quote. */
export function alertOf(quote: Token): AlertKind | undefined {
  return alerts.get(quote);
}

/** Whether an item of a list is a task that is done; undefined for a mere item. */
export function taskOf(item: Token): boolean | undefined {
  return tasks.get(item);
}

/** Reads `[!NOTE]` at the beginning of quotes, and `[ ]` and `[x]` at that of items, and takes them from the text. */
export function readAnnotations({ core }: MarkdownIt): void {
  core.ruler.push('annotations', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type === 'blockquote_open') readAlert(token, firstMarks(tokens, index));
      else if (token.type === 'list_item_open') readTask(token, firstMarks(tokens, index));
    }
  });
}

/** The marks of the paragraph with which a quote or an item begins. */
function firstMarks(tokens: readonly Token[], index: number): Token[] {
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
