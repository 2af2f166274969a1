import { t } from '../words/l10n.ts';
import { createElement, createToolButtons } from './dom.ts';
import { getFormulaSource } from './formulaElement.ts';
import { formatCsv, formatMarkdownTable, type Rows } from './tableFormats.ts';

const buttons = createToolButtons([
  { icon: 'table', label: t('Copy Table as CSV'), action: 'copy-csv' },
  { icon: 'markdown', label: t('Copy Table as Markdown'), action: 'copy-markdown' },
]);

/** Creates the buttons of a table, which are visible while the pointer or the focus is in it. */
export function createTableTools(): HTMLElement {
  const tools = createElement('div', 'table-tools');
  tools.append(...buttons.map((button) => button.cloneNode(true)));
  return tools;
}

/** Converts the table of a button to CSV. */
export function convertTableToCsv(button: HTMLElement): string {
  return formatCsv(readRows(button, (cell) => convertCell(cell, spreadsheetFormat)));
}

/** Converts the table of a button to Markdown. */
export function convertTableToMarkdown(button: HTMLElement): string {
  const [first] = findBoxes(button);
  const head = [...(first?.querySelectorAll('thead th') ?? [])];
  const alignments = head.map(({ className }) => className.replace('align-', ''));
  return formatMarkdownTable(
    readRows(button, (cell) => convertCell(cell, markdownFormat)),
    alignments,
  );
}

function readRows(button: HTMLElement, readCell: (cell: Element) => string): Rows {
  const [first, ...others] = findBoxes(button);
  const rows = [
    ...(first?.querySelectorAll('tr') ?? []),
    ...others.flatMap((box) => [...box.querySelectorAll('tbody tr')]),
  ];
  return rows.map((row) => [...row.children].map((cell) => readCell(cell).trim()));
}

/** Finds the boxes of a table. A long table is split into several, one after another. */
function findBoxes(button: HTMLElement): readonly Element[] {
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
  readonly convertMention: (label: string) => string;
  /** Converts any other element, with its converted content. */
  readonly convertElement: (element: HTMLElement, inner: string) => string;
}

/**
 * For spreadsheets: footnote references are omitted and exponents are written as `^2`, so that they do not become
 * digits of a number.
 */
const spreadsheetFormat: CellFormat = {
  lineBreak: '\n',
  convertMention: () => '',
  convertElement: ({ tagName }, inner) =>
    tagName === 'SUP' && /^[+−-]?\d+$/.test(inner) ? `^${inner}` : inner,
};

const marks: Readonly<Record<string, string>> = { STRONG: '**', EM: '*', S: '~~', CODE: '`' };
const tags: Readonly<Record<string, string>> = { SUP: 'sup', SUB: 'sub', KBD: 'kbd' };

const markdownFormat: CellFormat = {
  lineBreak: '<br>',
  convertMention: (label) => `[^${label}]`,
  convertElement(element, inner) {
    const { tagName, dataset } = element;
    if (element.matches('a.link[data-url]')) return `[${inner}](${dataset.url ?? ''})`;
    const tag = tags[tagName];
    if (tag !== undefined) return isFootnoteMention(element) ? inner : `<${tag}>${inner}</${tag}>`;
    const mark = marks[tagName] ?? '';
    return `${mark}${inner}${mark}`;
  },
};

function isFootnoteMention(element: HTMLElement): boolean {
  return element.firstElementChild?.matches('.footnote-mention') === true;
}

/** Converts the content of a cell, without the text that only the page adds. */
function convertCell(node: Node, format: CellFormat): string {
  if (!(node instanceof HTMLElement)) return node.textContent ?? '';
  const formula = getFormulaSource(node);
  if (formula !== undefined) return formula;
  if (node.tagName === 'BR') return format.lineBreak;
  if (node.matches('.link-host')) return '';
  if (node.matches('.footnote-mention')) return format.convertMention(node.dataset.label ?? '');
  const inner = [...node.childNodes].map((child) => convertCell(child, format)).join('');
  return format.convertElement(node, inner);
}
