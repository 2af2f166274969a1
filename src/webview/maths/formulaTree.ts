import temml from 'temml';
import { hiddenCharacters } from '../../base/hiddenCharacters.ts';
import { maxFormulaDepth, maxFormulaElements } from '../markdown/syntax/limits.ts';
import { t } from '../words/l10n.ts';
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

/** How often macros of the library may be expanded in one formula. */
const maxExpansions = 500;

/** How much text a formula's own macros may become, about, in UTF-16 units. */
const maxExpanded = 20_000;

/** How often the parameters of a formula's own macros may stand in it: each use of one copies words. */
const maxParameters = 12;

/** How much text a formula may become, in UTF-16 units, where each command that the library builds twice doubles it. */
const maxDoubled = 4000;

/** The longest formula of chemistry, which the library reads slowly. */
const maxChemistry = 600;

const definition =
  /\\(?:[egx]?def|(?:provide|(?:re)?new)command|(?:future|q)?let|DeclareMathOperator)(?![a-z])/i;
const doubling = /\\(?:cancelto|equilibrium(?:Right|Left))(?![a-z])|<=>>|<<=>/gi;
const chemistry = /\\(?:ce|pu)(?![a-z])/i;

/**
 * How often the library may expand macros in a formula, so that it reads none for longer than a page may stand
 * still. It counts expansions, not what they become: a formula that defines macros of its own may be small and
 * become a million signs.
 */
function formulaCost(source: string): { readonly maxExpansions: number } | { readonly problem: string } {
  if (depthOf(source) > maxFormulaDepth) return { problem: t('it is nested too deep') };
  if (chemistry.test(source) && source.length > maxChemistry)
    return { problem: t('it is too long for chemistry') };
  const isDefining = definition.test(source);
  const doubled = source.match(doubling)?.length ?? 0;
  const isTooOften = isDefining ? doubled > 0 : source.length * 2 ** doubled > maxDoubled;
  if (isTooOften) return { problem: t('it would be built too often') };
  if (!isDefining) return { maxExpansions };
  const parameters = source.match(/#/g)?.length ?? 0;
  if (parameters > maxParameters) return { problem: t('its macros are too large') };
  return {
    maxExpansions: Math.min(maxExpansions, Math.floor(maxExpanded / source.length / (1 + parameters))),
  };
}

function depthOf(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [mark] of source.matchAll(/\\.|[{}]/gs)) {
    if (mark === '{') depth += 1;
    else if (mark === '}') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
