import temml from 'temml';
import { hiddenCharacters } from '../../base/hiddenCharacters.ts';
import { maxFormulaDepth, maxFormulaElements } from '../markdown/syntax/markdownLimits.ts';
import { t } from '../words/l10n.ts';
import { mathMlAttributes, mathMlClasses, mathMlTags } from './mathMl.ts';

const allowedTags = new Set(mathMlTags);
const allowedAttributes = new Set(mathMlAttributes);
const allowedClasses = new Set(mathMlClasses);

/** A formula as MathML elements, limited to the allow-list of elements and attributes. */
export type FormulaNode =
  | { readonly text: string }
  | {
      readonly tag: string;
      readonly attributes: Readonly<Record<string, string>>;
      readonly classes: readonly string[];
      readonly children: readonly FormulaNode[];
    };

/** The library's output for TeX: elements, texts, and fragments, which have only children. */
interface LibraryNode {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly classes?: readonly string[];
  readonly style?: Readonly<Record<string, unknown>>;
  readonly children?: readonly LibraryNode[];
}

/** The largest size that a formula may set, in em. */
const maxSize: [number, number] = [10, 10];

/**
 * The characters that draw nothing, except the characters that the library adds to functions and variants of signs.
 */
const hiddenCharacter = new RegExp(`[[${hiddenCharacters}]--[\\u2061-\\u2064\\ufe00\\ufe0e]]`, 'v');

/**
 * Parses TeX (T10).
 *
 * @returns the formula; or the problem, often the library's message, if it cannot be parsed or becomes too large
 */
export function parseFormula(source: string, isDisplay: boolean): FormulaNode | { readonly problem: string } {
  const limit = limitExpansions(source);
  if ('problem' in limit) return limit;
  try {
    // Macros apply only to the formula that defines them.
    const options = { displayMode: isDisplay, throwOnError: true, annotate: false, trust: false, macros: {} };
    const tree = temml.__renderToMathMLTree(source, { ...options, maxExpand: limit.maxExpansions, maxSize });
    const [root] = new NodeCopier().copy(tree, 0);
    return root ?? { problem: t('it is empty') };
  } catch (error) {
    return { problem: error instanceof Error ? readFirstLine(error.message) : t('it cannot be read') };
  }
}

/** Copies one formula, and counts its nodes. */
class NodeCopier {
  #count = 0;

  /** Copies the allowed parts of a node and its descendants. */
  copy(node: LibraryNode, depth: number): readonly FormulaNode[] {
    this.#count += 1;
    if (this.#count > maxFormulaElements) throw new Error(t('it is too large'));
    if (depth > maxFormulaDepth) throw new Error(t('it is nested too deeply'));
    if (typeof node.text === 'string') return [{ text: checkVisible(node.text) }];
    const { type: tag } = node;
    const children = (node.children ?? []).flatMap((child) => this.copy(child, depth + 1));
    if (typeof tag !== 'string' || !allowedTags.has(tag)) return children;
    return [{ tag, attributes: copyAttributes(node), classes: copyClasses(node), children }];
  }
}

/** Refuses hidden characters. A character that is written as a number is not visible in the source (T20). */
function checkVisible(text: string): string {
  if (hiddenCharacter.test(text)) throw new Error(t('it has hidden characters'));
  return text;
}

function copyAttributes({ attributes = {} }: LibraryNode): Readonly<Record<string, string>> {
  const allowed = Object.entries(attributes).filter(
    ([name, value]) =>
      allowedAttributes.has(name) &&
      /^[\w\s.%+-]{0,40}$/.test(String(value)) &&
      !isTooNegative(String(value)),
  );
  return Object.fromEntries(allowed.map(([name, value]) => [name, String(value)]));
}

/** Whether a size would move the formula over other text. The library limits positive sizes only. */
function isTooNegative(value: string): boolean {
  return Number.parseFloat(value) < -maxSize[0];
}

/**
 * Copies the classes that the style sheet supports, and replaces styles, which the page forbids, by classes.
 */
function copyClasses({ classes = [], style = {} }: LibraryNode): readonly string[] {
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

function readFirstLine(message: string): string {
  return (message.split('\n')[0] ?? '').trim().slice(0, 200);
}

/** How often macros of the library may be expanded in one formula. */
const maxExpansions = 500;

/** The approximate limit of the text that a formula's own macros may become, in UTF-16 units. */
const maxExpanded = 20_000;

/** How often parameters may occur in a formula's own macros: each use of a parameter copies text. */
const maxParameters = 12;

/**
 * The limit of the text that a formula may become, in UTF-16 units. Each command that the library builds twice
 * doubles it.
 */
const maxDoubled = 4000;

/** The longest chemical formula, which the library reads slowly. */
const maxChemistry = 600;

const macroDefinition =
  /\\(?:[egx]?def|(?:provide|(?:re)?new)command|(?:future|q)?let|DeclareMathOperator)(?![a-z])/i;
const doublingCommand = /\\(?:cancelto|equilibrium(?:Right|Left))(?![a-z])|<=>>|<<=>/gi;
const chemistryCommand = /\\(?:ce|pu)(?![a-z])/i;

/**
 * Returns how often the library may expand macros in a formula, so that it does not block the page for too long. The
 * library counts expansions, not their length: a short formula that defines its own macros may become a million
 * characters.
 */
function limitExpansions(source: string): { readonly maxExpansions: number } | { readonly problem: string } {
  if (measureDepth(source) > maxFormulaDepth) return { problem: t('it is nested too deeply') };
  if (chemistryCommand.test(source) && source.length > maxChemistry)
    return { problem: t('it is too long for a chemical formula') };
  const definesMacros = macroDefinition.test(source);
  const doublings = source.match(doublingCommand)?.length ?? 0;
  const isTooExpensive = definesMacros ? doublings > 0 : source.length * 2 ** doublings > maxDoubled;
  if (isTooExpensive) return { problem: t('it would be expanded too many times') };
  if (!definesMacros) return { maxExpansions };
  const parameters = source.match(/#/g)?.length ?? 0;
  if (parameters > maxParameters) return { problem: t('its macros are too large') };
  return {
    maxExpansions: Math.min(maxExpansions, Math.floor(maxExpanded / source.length / (1 + parameters))),
  };
}

function measureDepth(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [mark] of source.matchAll(/\\.|[{}]/gs)) {
    if (mark === '{') depth += 1;
    else if (mark === '}') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
