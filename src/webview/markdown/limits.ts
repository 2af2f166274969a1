/** How deep quotes and lists may stand in one another. Deeper ones would be columns of single letters. */
export const maxBlockDepth = 12;

/** How deep emphasis and links may stand in one another. */
export const maxMarkDepth = 12;

/** How many words, marks and line breaks of one paragraph are formatted, as tokens. */
export const maxMarks = 1000;

/** How many columns a table may have. */
export const maxColumns = 50;

/** How many labels of links one text may define. */
export const maxLabels = 1000;

/** How many tokens of one text are formatted: about two for each element in the page. */
export const maxTokens = 100_000;

/** How many stretches of colour one block of code may have. */
export const maxColourRuns = 20_000;

/**
 * Where the page stops formatting, and why, in words for the reader. They hold no colon: what stands before
 * one looks like the scheme of an address, and `sanitize` takes it out.
 */
export const limitWords = {
  long: 'Too long to be formatted, so this is shown as it was written',
  dense: 'Too many marks to be formatted, so this is shown as it was written',
  deep: 'Nested too deep to be formatted, so this is shown as it was written',
  wide: `A table of more than ${maxColumns} columns, shown as it was written`,
  labels: `From here on links by label stay text, because the reply defines more than ${maxLabels.toLocaleString('en')} labels`,
  tokens: 'Too many parts to format them all, so the rest is shown as it was written',
  colours: 'No colours from here on, because there is too much code',
} as const;

export type Limit = keyof typeof limitWords;
