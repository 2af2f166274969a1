import type { FormulaNode } from '../maths/formulaTree.ts';
import { t } from '../words/l10n.ts';
import { createElement, createTextNodes } from './dom.ts';
import { splitHiddenText } from './hiddenText.ts';
import { replaceNode, setContentKey } from './patchNodes.ts';

/** The exports of `dist/maths.js`, a separate bundle that is half as large as the rest of the page. */
type Maths = typeof import('../maths/formulaTree.ts');

/** The library that parses formulas; undefined until it is loaded. */
let maths: Maths | undefined;
let isLoading = false;

/** The newest formulas by key. They are cached because arriving text is painted repeatedly. */
const cachedFormulas = new Map<string, HTMLElement>();
const maxCached = 200;

interface Formula {
  readonly source: string;
  readonly isDisplay: boolean;
}

/** The formula of each element that shows one. */
const formulas = new WeakMap<Element, Formula>();

/**
 * Creates the element of a formula. It shows the source until the library is loaded, and also if the formula cannot
 * be parsed or is too large.
 */
export function createFormulaElement(formula: Formula): HTMLElement {
  const key = `${formula.isDisplay ? 'display' : 'inline'} ${formula.source}`;
  const isLoaded = maths !== undefined;
  const frame = isLoaded ? copyElement(getCachedFormula(formula, key)) : buildFormula(formula);
  setContentKey(frame, isLoaded ? key : `waiting ${key}`);
  formulas.set(frame, formula);
  if (isLoaded) return frame;
  frame.classList.add('waiting');
  loadMaths();
  return frame;
}

/** Returns the source of a formula with its delimiters; undefined if the element is not a formula. */
export function getFormulaSource(element: Element): string | undefined {
  const formula = formulas.get(element);
  return formula && (formula.isDisplay ? `$$${formula.source}$$` : `$${formula.source}$`);
}

/** Loads the library on the first call only. If loading fails, formulas are still shown as source. */
function loadMaths(): void {
  if (isLoading) return;
  isLoading = true;
  void importMaths().then(updateWaitingFormulas);
}

async function importMaths(): Promise<void> {
  const address = new URL('./maths.js', import.meta.url).href;
  maths = await (import(address) as Promise<Maths>).catch(() => undefined);
}

function updateWaitingFormulas(): void {
  if (!maths) return;
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
    // A wide formula scrolls, so it must be focusable.
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
  const element = document.createElementNS(mathMl, node.tag);
  for (const [name, value] of Object.entries(node.attributes)) element.setAttribute(name, value);
  if (node.classes.length > 0) element.setAttribute('class', node.classes.join(' '));
  element.append(...node.children.map(createNode));
  return element;
}
