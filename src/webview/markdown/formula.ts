import type { FormulaNode } from '../maths/formulaTree.ts';
import { t } from '../words/l10n.ts';
import { element, textNodes } from './dom.ts';
import { textRuns } from './hiddenText.ts';
import { loadedMaths, loadMaths } from './mathsLibrary.ts';
import { keepWhole, replaceNode } from './patch.ts';

/** Formulas that were built before, because what arrives is painted again and again. */
const built = new Map<string, HTMLElement>();
const maxBuilt = 200;

interface Formula {
  readonly source: string;
  readonly display: boolean;
}

/** What each element shows. */
const formulas = new WeakMap<Element, Formula>();

/**
 * A formula. It is shown as it was written until the library has been loaded, and where it cannot be read or is
 * more than a page should draw.
 */
export function formulaElement(formula: Formula): HTMLElement {
  const key = `${formula.display ? 'display' : 'inline'} ${formula.source}`;
  const isLoaded = loadedMaths() !== undefined;
  const shown = isLoaded ? copyOf(builtOnce(formula, key)) : build(formula);
  keepWhole(shown, isLoaded ? key : `waiting ${key}`);
  formulas.set(shown, formula);
  if (isLoaded) return shown;
  shown.classList.add('waiting');
  loadMaths(showWaiting);
  return shown;
}

/** A formula as it was written; undefined for what is none. */
export function formulaSource(shown: Element): string | undefined {
  const formula = formulas.get(shown);
  return formula && (formula.display ? `$$${formula.source}$$` : `$${formula.source}$`);
}

function showWaiting(): void {
  if (!loadedMaths()) return;
  for (const shown of document.querySelectorAll('.formula.waiting')) {
    const formula = formulas.get(shown);
    if (formula) replaceNode(shown, formulaElement(formula));
  }
}

function builtOnce(formula: Formula, key: string): HTMLElement {
  const known = built.get(key) ?? build(formula);
  built.delete(key);
  built.set(key, known);
  const [oldest] = built.keys();
  if (built.size > maxBuilt && oldest !== undefined) built.delete(oldest);
  return known;
}

function copyOf(known: HTMLElement): HTMLElement {
  const copy = known.cloneNode(true);
  return copy instanceof HTMLElement ? copy : known;
}

function build({ source, display }: Formula): HTMLElement {
  const frame = element('span', display ? 'formula display' : 'formula');
  const maths = loadedMaths();
  // What nobody sees is told where it stands, which a formula has no place for (T20).
  const isVisible = textRuns(source).every((run) => 'text' in run);
  const tree = isVisible ? maths?.formulaTree(source, display) : { problem: t('it has hidden characters') };
  if (!tree || 'problem' in tree) {
    frame.classList.add('source');
    if (tree) frame.title = t('This formula is shown as it was written, because {0}', tree.problem);
    frame.append(...textNodes(source));
    return frame;
  }
  if (display) scrollable(frame);
  frame.append(nodeOf(tree));
  return frame;
}

function scrollable(frame: HTMLElement): void {
  frame.tabIndex = 0;
  frame.role = 'region';
  frame.ariaLabel = t('Formula');
}

const mathMl = 'http://www.w3.org/1998/Math/MathML';

function nodeOf(node: FormulaNode): Node {
  if ('text' in node) return document.createTextNode(node.text);
  const created = document.createElementNS(mathMl, node.tag);
  for (const [name, value] of Object.entries(node.attributes)) created.setAttribute(name, value);
  if (node.classes.length > 0) created.setAttribute('class', node.classes.join(' '));
  created.append(...node.children.map(nodeOf));
  return created;
}
