import { t } from '../words/l10n.ts';
import { element, toolButtons } from './dom.ts';
import { formulaSource } from './formulaElement.ts';
import { csvOf, markdownTableOf, type Rows } from './tableFormats.ts';

const buttons = toolButtons([
  { icon: 'table', label: t('Copy Table as CSV'), action: 'copy-csv' },
  { icon: 'markdown', label: t('Copy Table as Markdown'), action: 'copy-markdown' },
]);

/** The buttons of a table, which are visible while the pointer or the focus is in it. */
export function tableTools(): HTMLElement {
  const tools = element('div', 'table-tools');
  tools.append(...buttons.map((button) => button.cloneNode(true)));
  return tools;
}

/** The table of a button as CSV. */
export function tableAsCsv(button: HTMLElement): string {
  return csvOf(rowsOf(button, (cell) => cellText(cell, spreadsheetFormat)));
}

/** The table of a button as Markdown. */
export function tableAsMarkdown(button: HTMLElement): string {
  const [first] = boxesOf(button);
  const head = [...(first?.querySelectorAll('thead th') ?? [])];
  const alignments = head.map(({ className }) => className.replace('align-', ''));
  return markdownTableOf(
    rowsOf(button, (cell) => cellText(cell, markdownFormat)),
    alignments,
  );
}

function rowsOf(button: HTMLElement, textOf: (cell: Element) => string): Rows {
  const [first, ...others] = boxesOf(button);
  const rows = [
    ...(first?.querySelectorAll('tr') ?? []),
    ...others.flatMap((box) => [...box.querySelectorAll('tbody tr')]),
  ];
  return rows.map((row) => [...row.children].map((cell) => textOf(cell).trim()));
}

/** A long table is split into several boxes, one after another. */
function boxesOf(button: HTMLElement): readonly Element[] {
  const first = button.closest('.table');
  const boxes: Element[] = [];
  for (let box = first; box; box = box.nextElementSibling) {
    if (box !== first && !box.matches('.table.continued')) break;
    boxes.push(box);
  }
  return boxes;
}

/** How the content of a cell is converted to another format. */
interface CellFormat {
  readonly lineBreak: string;
  /** Converts a reference to a footnote, by its label. */
  readonly mention: (label: string) => string;
  /** Converts any other element, with its converted content. */
  readonly wrap: (element: HTMLElement, inner: string) => string;
}

/**
 * For spreadsheets: footnote references are omitted and exponents are written as `^2`, so that they do not become
 * digits of a number.
 */
const spreadsheetFormat: CellFormat = {
  lineBreak: '\n',
  mention: () => '',
  wrap: ({ tagName }, inner) => (tagName === 'SUP' && /^[+−-]?\d+$/.test(inner) ? `^${inner}` : inner),
};

const marks: Readonly<Record<string, string>> = { STRONG: '**', EM: '*', S: '~~', CODE: '`' };
const tags: Readonly<Record<string, string>> = { SUP: 'sup', SUB: 'sub', KBD: 'kbd' };

const markdownFormat: CellFormat = {
  lineBreak: '<br>',
  mention: (label) => `[^${label}]`,
  wrap(element, inner) {
    const { tagName, dataset } = element;
    if (element.matches('a.link[data-url]')) return `[${inner}](${dataset.url ?? ''})`;
    const tag = tags[tagName];
    if (tag !== undefined) return isMention(element) ? inner : `<${tag}>${inner}</${tag}>`;
    const mark = marks[tagName] ?? '';
    return `${mark}${inner}${mark}`;
  },
};

function isMention(raised: HTMLElement): boolean {
  return raised.firstElementChild?.matches('.footnote-mention') === true;
}

/** The text of a node, without the text that only the page adds. */
function cellText(node: Node, format: CellFormat): string {
  if (!(node instanceof HTMLElement)) return node.textContent ?? '';
  const formula = formulaSource(node);
  if (formula !== undefined) return formula;
  if (node.tagName === 'BR') return format.lineBreak;
  if (node.matches('.link-host')) return '';
  if (node.matches('.footnote-mention')) return format.mention(node.dataset.label ?? '');
  const inner = [...node.childNodes].map((child) => cellText(child, format)).join('');
  return format.wrap(node, inner);
}
