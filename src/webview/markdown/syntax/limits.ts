/** How deep quotes and lists may stand in one another. Deeper ones would be columns of single letters. */
export const maxBlockDepth = 12;

/** How many folds one text may have; lines about further ones are text. Each goes into the page by itself. */
export const maxFolds = 200;

/** How deep emphasis and links may stand in one another. */
export const maxMarkDepth = 12;

/** How many words, marks and line breaks of one paragraph are formatted, as tokens. */
export const maxMarks = 1000;

/**
 * The longest formula, in UTF-16 units, the most elements and texts it may become, and how deep they may stand in
 * one another: a page stands still for about 20 ms while it builds and lays out as many.
 */
export const maxFormulaLength = 2000;
export const maxFormulaElements = 1000;
export const maxFormulaDepth = 40;

/** How many columns a table may have. */
export const maxColumns = 50;

/** How many labels of links one text may define. */
export const maxLabels = 1000;

/** How many tokens of one text are formatted: about two for each element in the page. */
export const maxTokens = 100_000;

/** How many stretches of colour one block of code may have. */
export const maxColourRuns = 20_000;

/** Why the page stops formatting. */
export type Limit = 'long' | 'dense' | 'deep' | 'wide' | 'labels' | 'tokens' | 'colours';
