/** The maximum nesting depth of quotes and lists. Deeper ones would be columns of single letters. */
export const maxBlockDepth = 12;

/**
 * The maximum number of folds in one text; further fold markers are shown as text. Each fold is added to the page
 * separately.
 */
export const maxFolds = 200;

/** The maximum nesting depth of emphasis and links. */
export const maxMarkDepth = 12;

/** The maximum number of formatted words, marks and line breaks of one paragraph, as tokens. */
export const maxMarks = 1000;

/**
 * The longest formula, in UTF-16 units, the maximum number of its elements and texts, and their maximum depth.
 * Building such a formula and its layout block the page for about 20 ms.
 */
export const maxFormulaLength = 2000;
export const maxFormulaElements = 1000;
export const maxFormulaDepth = 40;

/** The maximum number of columns of a table. */
export const maxColumns = 50;

/** The maximum number of link labels that one text may define. */
export const maxLabels = 1000;

/** The maximum number of formatted tokens of one text: about two for each element in the page. */
export const maxTokens = 100_000;

/** The maximum number of colour runs in one code block. */
export const maxColourRuns = 20_000;

/** Why the page stops formatting. */
export type Limit = 'long' | 'dense' | 'deep' | 'wide' | 'labels' | 'tokens' | 'colours';
