import { createElement } from '../../markdown/dom.ts';
import { getFormulaSource } from '../../markdown/formulaElement.ts';
import { parseOpenableLink } from '../../markdown/linkTargets.ts';
import { t } from '../../words/l10n.ts';

/** Selects the elements that become blocks of their own in Markdown. */
const blocks =
  'p, li, h1, h2, h3, h4, h5, h6, pre, blockquote, table, tr, .code-block, .question-text, ul, ol, div, dt, dd';

/** Selects elements in a message that are not part of its text. */
const nonContent =
  'button, .code-header, .code-tools, .table-tools, .link-host, .visually-hidden, [aria-hidden=true]';

/** The distance of the quote button from the selection and from the edges, in pixels. */
const buttonGap = 4;

/** Converts the selection in a message to a Markdown quotation; undefined without a selection in a message. */
export function quoteSelection(): string | undefined {
  const range = findSelectedRange();
  if (!range) return undefined;
  const text = convertToMarkdown(range).trim();
  return text === '' ? undefined : formatQuotation(text);
}

/** The button above selected text of a message, which quotes the selection. */
export class QuoteButton {
  readonly element = createElement('button', 'quote-button', { type: 'button' });
  readonly #scroller: HTMLElement;

  /** @param scroller scrolls the messages */
  constructor(scroller: HTMLElement) {
    this.#scroller = scroller;
    this.element.textContent = t('Quote');
    this.element.title = t('Quote in Message Box');
    this.element.dataset.action = 'quote';
    this.element.hidden = true;
    // A press on the button would otherwise end the selection.
    this.element.addEventListener('pointerdown', (event) => event.preventDefault());
    document.addEventListener('selectionchange', () => this.#updatePosition());
    scroller.addEventListener('scroll', () => this.#updatePosition(), { passive: true });
  }

  #updatePosition(): void {
    const range = findSelectedRange();
    this.element.hidden = range === undefined;
    if (!range) return;
    const first = range.getClientRects()[0] ?? range.getBoundingClientRect();
    const { top, right } = this.#scroller.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this.element;
    this.element.style.top = `${Math.max(top + buttonGap, first.top - offsetHeight - buttonGap)}px`;
    this.element.style.left = `${Math.min(first.left, right - offsetWidth - buttonGap)}px`;
  }
}

/**
 * Finds the selected range of one message; undefined without a selection, or if the selection extends beyond the
 * message.
 */
function findSelectedRange(): Range | undefined {
  const selection = document.getSelection();
  if (!selection || selection.rangeCount === 0) return undefined;
  const range = selection.getRangeAt(0).cloneRange();
  if (range.collapsed) return undefined;
  const message = findElement(range.startContainer)?.closest('.reply-text, .reasoning-text, .question-text');
  if (!message) return undefined;
  if (message.contains(range.endContainer)) return range;
  // A triple click extends the selection to the beginning of the next element.
  const remainder = range.cloneRange();
  remainder.setStartAfter(message);
  range.setEnd(message, message.childNodes.length);
  return remainder.toString().trim() === '' ? range : undefined;
}

function findElement(node: Node): Element | null {
  return node instanceof Element ? node : node.parentElement;
}

/** Puts `>` before each line, as in a Markdown quotation. */
function formatQuotation(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/** Converts a range of a message to Markdown. */
function convertToMarkdown(range: Range): string {
  const text = range.toString();
  const container = findElement(range.commonAncestorContainer);
  const code = container?.closest('.code-block');
  if (code) return fenceCode(text, readLanguage(code));
  // A question is shown as it was written.
  if (container?.closest('.question-text')) return text;
  return convertChildren(copyRange(range)).replaceAll(/\n{3,}/g, '\n\n');
}

/** Copies a range, and replaces formulas by their sources. A part of a formula counts as the whole formula. */
function copyRange(range: Range): DocumentFragment {
  const selection = range.cloneRange();
  const [first, last] = [range.startContainer, range.endContainer].map((node) =>
    findElement(node)?.closest('.formula'),
  );
  if (first) selection.setStartBefore(first);
  if (last) selection.setEndAfter(last);
  const message = findElement(selection.commonAncestorContainer);
  const formulas = [...(message?.querySelectorAll('.formula') ?? [])].filter((each) =>
    selection.intersectsNode(each),
  );
  const copy = selection.cloneContents();
  for (const [index, formula] of [...copy.querySelectorAll('.formula')].entries()) {
    const shown = formulas[index];
    const source = (shown && getFormulaSource(shown)) ?? formula.textContent;
    const isBlock = formula.matches('.display') && !formula.closest('p');
    formula.replaceWith(isBlock ? `\n\n${source}\n\n` : source);
  }
  return copy;
}

/** Converts the content of a node to Markdown. */
function convertChildren(node: Node): string {
  return [...node.childNodes].map(convertNode).join('');
}

function convertNode(node: Node): string {
  if (!(node instanceof Element)) return node.textContent ?? '';
  if (node.matches(nonContent)) return '';
  if (node.matches('br')) return '\n';
  if (node.matches('.code-block, pre')) {
    return `\n\n${fenceCode(node.querySelector('code')?.textContent ?? node.textContent, readLanguage(node))}\n\n`;
  }
  const inner = convertChildren(node);
  if (node.matches('code')) return `\`${inner}\``;
  if (node.matches('strong')) return `**${inner}**`;
  if (node.matches('em')) return `*${inner}*`;
  if (node.matches('s')) return `~~${inner}~~`;
  const url = node.matches('a.link') ? node.getAttribute('data-url') : null;
  // An address in the text becomes a link without brackets.
  if (url !== null) return parseOpenableLink(inner)?.href === url ? inner : `[${inner}](${url})`;
  if (node.matches('li')) return `\n${createListMark(node)}${inner.trim().replaceAll('\n', '\n  ')}`;
  const level = /\bheading-(\d)/.exec(node.className)?.[1];
  if (level !== undefined) return `\n\n${'#'.repeat(Number(level))} ${inner.trim()}\n\n`;
  if (node.matches('td, th')) return `${inner} `;
  if (node.matches('tr')) return `\n${inner.trim()}`;
  return node.matches(blocks) ? `\n\n${inner.trim()}\n\n` : inner;
}

/** Creates the bullet or the number of a list item. */
function createListMark(item: Element): string {
  const list = item.parentElement;
  if (!list?.matches('ol')) return '- ';
  const first = Number(list.getAttribute('start') ?? 1);
  return `${first + [...list.children].indexOf(item)}. `;
}

/** Puts code into a Markdown code block, whose fence is longer than any fence in the code. */
function fenceCode(code: string, language: string): string {
  let longest = 2;
  for (const [run] of code.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${code.replace(/\n$/, '')}\n${fence}`;
}

function readLanguage(block: Element): string {
  const label = block.querySelector('.code-language')?.textContent.trim() ?? '';
  return /^[\w+#.-]{1,30}$/.test(label) ? label : '';
}
