import type { FormulaNode } from '../maths/formulaTree.ts';
import { t } from '../words/l10n.ts';
import { createElement, createTextNodes } from './dom.ts';
import { splitHiddenText } from './hiddenText.ts';
import { loadedMaths, loadMaths } from './mathsLibrary.ts';
import { replaceNode, setContentKey } from './patchNodes.ts';

/** The newest formulas by key, because arriving text is painted repeatedly. */
const cachedFormulas = new Map<string, HTMLElement>();
const maxCached = 200;

interface Formula {
  readonly source: string;
  readonly isDisplay: boolean;
}

/** The formula of each element. */
const formulas = new WeakMap<Element, Formula>();

/**
 * A formula. It is shown as source until the library is loaded, and also if it cannot be read or is too large for
 * a page.
 */
export function createFormulaElement(formula: Formula): HTMLElement {
  const key = `${formula.isDisplay ? 'display' : 'inline'} ${formula.source}`;
  const isLoaded = loadedMaths() !== undefined;
  const frame = isLoaded ? copyElement(getCachedFormula(formula, key)) : buildFormula(formula);
  setContentKey(frame, isLoaded ? key : `waiting ${key}`);
  formulas.set(frame, formula);
  if (isLoaded) return frame;
  frame.classList.add('waiting');
  loadMaths(updateWaitingFormulas);
  return frame;
}

/** The source of a formula; undefined if the element is not a formula. */
export function getFormulaSource(shown: Element): string | undefined {
  const formula = formulas.get(shown);
  return formula && (formula.isDisplay ? `$$${formula.source}$$` : `$${formula.source}$`);
}

function updateWaitingFormulas(): void {
  if (!loadedMaths()) return;
  for (const frame of document.querySelectorAll('.formula.waiting')) {
    const formula = formulas.get(frame);
    if (formula) replaceNode(frame, createFormulaElement(formula));
  }
}

function getCachedFormula(formula: Formula, key: string): HTMLElement {
  const node = cachedFormulas.get(key) ?? buildFormula(formula);
  cachedFormulas.delete(key);
  cachedFormulas.set(key, node);
  const [oldest] = cachedFormulas.keys();
  if (cachedFormulas.size > maxCached && oldest !== undefined) cachedFormulas.delete(oldest);
  return node;
}

function copyElement(node: HTMLElement): HTMLElement {
  const copy = node.cloneNode(true);
  return copy instanceof HTMLElement ? copy : node;
}

function buildFormula({ source, isDisplay }: Formula): HTMLElement {
  const frame = createElement('span', isDisplay ? 'formula display' : 'formula');
  const maths = loadedMaths();
  // Hidden characters are marked at their position, which a formula cannot show (T20).
  const isVisible = splitHiddenText(source).every((run) => 'text' in run);
  const tree = isVisible
    ? maths?.parseFormula(source, isDisplay)
    : { problem: t('it has hidden characters') };
  if (!tree || 'problem' in tree) {
    frame.classList.add('source');
    if (tree) frame.title = t('This formula is shown as it was written, because {0}', tree.problem);
    frame.append(...createTextNodes(source));
    return frame;
  }
  if (isDisplay) {
    // A wide formula scrolls.
    frame.tabIndex = 0;
    frame.role = 'region';
    frame.ariaLabel = t('Formula');
  }
  frame.append(createNode(tree));
  return frame;
}

const mathMl = 'http://www.w3.org/1998/Math/MathML';

function createNode(node: FormulaNode): Node {
  if ('text' in node) return document.createTextNode(node.text);
  const created = document.createElementNS(mathMl, node.tag);
  for (const [name, value] of Object.entries(node.attributes)) created.setAttribute(name, value);
  if (node.classes.length > 0) created.setAttribute('class', node.classes.join(' '));
  created.append(...node.children.map(createNode));
  return created;
}
