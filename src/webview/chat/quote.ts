import { element } from '../markdown/dom.ts';
import { t } from '../words/l10n.ts';

const blocks =
  'p, li, h1, h2, h3, h4, h5, h6, pre, blockquote, table, tr, .code-block, .question-text, ul, ol, div, dt, dd';

/** What is shown beside the words of a message, and is none of them. */
const furniture = 'button, .code-header, .code-tools, .table-tools, .visually-hidden, [aria-hidden=true]';

/** How far the quote button stands above what is selected, in pixels. */
const gap = 4;

/** The selection in a message as a Markdown quotation; undefined where nothing of one is selected. */
export function quotedSelection(): string | undefined {
  const selection = document.getSelection();
  const range = selection ? rangeInMessage(selection) : undefined;
  if (!range) return undefined;
  const text = markdownOf(range).trim();
  return text === '' ? undefined : quotation(text);
}

/** The button that stands above text which is selected in a message, and quotes it. */
export class QuoteButton {
  readonly element = element('button', 'quote-button', { type: 'button' });
  readonly #scroller: HTMLElement;

  /** @param scroller scrolls the messages */
  constructor(scroller: HTMLElement) {
    this.#scroller = scroller;
    this.element.textContent = t('Quote');
    this.element.title = t('Quote in Message Box');
    this.element.dataset.action = 'quote';
    this.element.hidden = true;
    // A press would end the selection.
    this.element.addEventListener('pointerdown', (event) => event.preventDefault());
    document.addEventListener('selectionchange', () => this.#place());
    scroller.addEventListener('scroll', () => this.#place(), { passive: true });
  }

  #place(): void {
    const selection = document.getSelection();
    const range = selection ? rangeInMessage(selection) : undefined;
    this.element.hidden = range === undefined;
    if (!range) return;
    const first = range.getClientRects()[0] ?? range.getBoundingClientRect();
    const { top, right } = this.#scroller.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this.element;
    this.element.style.top = `${Math.max(top + gap, first.top - offsetHeight - gap)}px`;
    this.element.style.left = `${Math.min(first.left, right - offsetWidth - gap)}px`;
  }
}

/** What is selected of one message; undefined where nothing is, or the selection leads out of it. */
function rangeInMessage(selection: Selection): Range | undefined {
  const range = selection.rangeCount > 0 ? selection.getRangeAt(0).cloneRange() : undefined;
  if (!range || range.collapsed) return undefined;
  const message = elementOf(range.startContainer)?.closest('.reply-text, .reasoning-text, .question-text');
  if (!message) return undefined;
  if (message.contains(range.endContainer)) return range;
  // A triple click selects up to the beginning of what comes next.
  const rest = range.cloneRange();
  rest.setStartAfter(message);
  range.setEnd(message, message.childNodes.length);
  return rest.toString().trim() === '' ? range : undefined;
}

function elementOf(node: Node): Element | null {
  return node instanceof Element ? node : node.parentElement;
}

/** Each line behind `>`, as Markdown quotes. */
function quotation(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

function markdownOf(range: Range): string {
  const text = range.toString();
  const inner = elementOf(range.commonAncestorContainer);
  const code = inner?.closest('.code-block');
  if (code) return fenced(text, languageOf(code));
  // A question is shown as it was written.
  if (inner?.closest('.question-text')) return text;
  return written(range.cloneContents()).replaceAll(/\n{3,}/g, '\n\n');
}

/** The words of a part of a reply, with the Markdown that they were made of where it matters. */
function written(node: Node): string {
  return [...node.childNodes].map(writtenNode).join('');
}

function writtenNode(node: Node): string {
  if (!(node instanceof Element)) return node.textContent ?? '';
  if (node.matches(furniture)) return '';
  if (node.matches('br')) return '\n';
  if (node.matches('.code-block, pre')) {
    return `\n\n${fenced(node.querySelector('code')?.textContent ?? node.textContent, languageOf(node))}\n\n`;
  }
  const inner = written(node);
  if (node.matches('code')) return `\`${inner}\``;
  if (node.matches('strong')) return `**${inner}**`;
  if (node.matches('em')) return `*${inner}*`;
  if (node.matches('li')) return `\n${listMark(node)}${inner.trim().replaceAll('\n', '\n  ')}`;
  if (/^H[1-6]$/.test(node.tagName)) return `\n\n${'#'.repeat(Number(node.tagName[1]))} ${inner.trim()}\n\n`;
  if (node.matches('td, th')) return `${inner} `;
  if (node.matches('tr')) return `\n${inner.trim()}`;
  return node.matches(blocks) ? `\n\n${inner.trim()}\n\n` : inner;
}

function listMark(item: Element): string {
  const list = item.parentElement;
  if (!list?.matches('ol')) return '- ';
  const first = Number(list.getAttribute('start') ?? 1);
  return `${first + [...list.children].indexOf(item)}. `;
}

/** A fence that is longer than any in the code. */
function fenced(code: string, language: string): string {
  let longest = 2;
  for (const [run] of code.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${code.replace(/\n$/, '')}\n${fence}`;
}

function languageOf(block: Element): string {
  const label = block.querySelector('.code-language')?.textContent.trim() ?? '';
  return /^[\w+#.-]{1,30}$/.test(label) ? label : '';
}
