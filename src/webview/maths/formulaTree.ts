import temml from 'temml';
import { hiddenCharacters } from '../../base/hiddenCharacters.ts';
import { maxFormulaDepth, maxFormulaElements } from '../markdown/limits.ts';
import { t } from '../words/l10n.ts';
import { formulaCost } from './formulaCost.ts';
import { allowedAttributes, allowedClasses, allowedTags } from './mathMl.ts';

/** A formula as elements of MathML: only those, and only the attributes, of the allow-list. */
export type FormulaNode =
  | { readonly text: string }
  | {
      readonly tag: string;
      readonly attributes: Readonly<Record<string, string>>;
      readonly classes: readonly string[];
      readonly children: readonly FormulaNode[];
    };

/** What the library makes of TeX: elements, texts, and fragments, which have children and no name. */
interface LibraryNode {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly classes?: readonly string[];
  readonly style?: Readonly<Record<string, unknown>>;
  readonly children?: readonly LibraryNode[];
}

/** The largest size that a formula may ask for, in em. */
const maxSize: [number, number] = [10, 10];

/** Characters that draw nothing, but for those by which the library tells functions and variants of signs. */
const hidden = new RegExp(`[[${hiddenCharacters}]--[\\u2061-\\u2064\\ufe00\\ufe0e]]`, 'v');

/**
 * Reads TeX (T10).
 *
 * @returns the reason, in the library's words, where it cannot be read or becomes too large
 */
export function formulaTree(source: string, display: boolean): FormulaNode | { readonly problem: string } {
  const cost = formulaCost(source);
  if ('problem' in cost) return cost;
  try {
    // Macros are defined in their own formula only.
    const options = { displayMode: display, throwOnError: true, annotate: false, trust: false, macros: {} };
    const tree = temml.__renderToMathMLTree(source, { ...options, maxExpand: cost.maxExpansions, maxSize });
    const [root] = new Copier().copy(tree, 0);
    return root ?? { problem: t('it is empty') };
  } catch (error) {
    return { problem: error instanceof Error ? firstLine(error.message) : t('it cannot be read') };
  }
}

class Copier {
  #count = 0;

  /** Copies what is allowed of a node, and of those in it. */
  copy(node: LibraryNode, depth: number): readonly FormulaNode[] {
    this.#count += 1;
    if (this.#count > maxFormulaElements) throw new Error(t('it is too large'));
    if (depth > maxFormulaDepth) throw new Error(t('it is nested too deep'));
    if (typeof node.text === 'string') return [{ text: visible(node.text) }];
    const { type: tag } = node;
    const children = (node.children ?? []).flatMap((child) => this.copy(child, depth + 1));
    if (typeof tag !== 'string' || !allowedTags.has(tag)) return children;
    return [{ tag, attributes: attributesOf(node), classes: classesOf(node), children }];
  }
}

/** A character by its number is seen in no source (T20). */
function visible(text: string): string {
  if (hidden.test(text)) throw new Error(t('it has hidden characters'));
  return text;
}

function attributesOf({ attributes = {} }: LibraryNode): Readonly<Record<string, string>> {
  const allowed = Object.entries(attributes).filter(
    ([name, value]) =>
      allowedAttributes.has(name) && /^[\w\s.%+-]{0,40}$/.test(String(value)) && !isTooFar(String(value)),
  );
  return Object.fromEntries(allowed.map(([name, value]) => [name, String(value)]));
}

/** The library limits sizes, but not those below zero, which move a formula over other words. */
function isTooFar(value: string): boolean {
  const [size] = maxSize;
  return Number.parseFloat(value) < -size;
}

/** The library's classes that the style sheet knows, and classes in the place of styles, which the page forbids. */
function classesOf({ classes = [], style = {} }: LibraryNode): readonly string[] {
  const styles = Object.entries(style).map(([property, value]) => styleClasses[`${property} ${value}`] ?? '');
  return [...new Set([...classes, ...styles])].filter((name) => allowedClasses.has(name));
}

const styleClasses: Readonly<Record<string, string>> = {
  'paddingLeft 0em': 'pad-left-none',
  'paddingRight 0em': 'pad-right-none',
  'paddingLeft 1em': 'pad-left-wide',
  'paddingRight 1em': 'pad-right-wide',
  'border 1px solid': 'boxed',
  'borderLeft 0.06em solid': 'line-left',
  'borderRight 0.06em solid': 'line-right',
  'borderTop 0.06em solid': 'line-top',
  'borderBottom 0.06em solid': 'line-bottom',
  'width 100%': 'whole-width',
  'width 50%': 'half-width',
};

function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').trim().slice(0, 200);
}
