import { element } from './dom.ts';
import { formulaSource } from './formula.ts';
import { csvOf, markdownTableOf, type Rows } from './tableText.ts';
import { toolButtons } from './toolButtons.ts';

const buttons = toolButtons([
  { icon: 'table', label: 'Copy Table as CSV', action: 'copy-csv' },
  { icon: 'markdown', label: 'Copy Table as Markdown', action: 'copy-markdown' },
]);

/** The buttons of a table, which show while the pointer or the focus is in it. */
export function tableTools(): HTMLElement {
  const tools = element('div', 'table-tools');
  tools.append(...buttons.map((button) => button.cloneNode(true)));
  return tools;
}

/** The table of a button as CSV. */
export function tableAsCsv(button: HTMLElement): string {
  return csvOf(rowsOf(button, (cell) => cell.textContent));
}

/** The table of a button as Markdown. */
export function tableAsMarkdown(button: HTMLElement): string {
  const [first] = boxesOf(button);
  const head = [...(first?.querySelectorAll('thead th') ?? [])];
  const alignments = head.map(({ className }) => className.replace('align-', ''));
  return markdownTableOf(
    rowsOf(button, (cell) => markdownOf(cell)),
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

/** A long table stands in several boxes, one after another. */
function boxesOf(button: HTMLElement): readonly Element[] {
  const first = button.closest('.table');
  const boxes: Element[] = [];
  for (let box = first; box; box = box.nextElementSibling) {
    if (box !== first && !box.matches('.table.continued')) break;
    boxes.push(box);
  }
  return boxes;
}

const wrapping: Readonly<Record<string, string>> = { STRONG: '**', EM: '*', S: '~~', CODE: '`' };

function markdownOf(node: Node): string {
  if (!(node instanceof HTMLElement)) return node.textContent ?? '';
  const formula = formulaSource(node);
  if (formula !== undefined) return formula;
  if (node.tagName === 'BR') return '<br>';
  if (node.matches('.link-host')) return '';
  const inner = [...node.childNodes].map(markdownOf).join('');
  if (node.matches('a.link[data-url]')) return `[${inner}](${node.dataset.url ?? ''})`;
  const mark = wrapping[node.tagName] ?? '';
  return `${mark}${inner}${mark}`;
}
