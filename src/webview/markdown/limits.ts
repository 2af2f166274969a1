/** How deep quotes and lists may stand in one another. Deeper ones would be columns of single letters. */
export const deepestBlocks = 12;

/** How deep emphasis and links may stand in one another. */
export const deepestMarks = 12;

/** How many columns a table may have. */
export const mostColumns = 50;

/** How many labels of links one text may define. */
export const mostLabels = 1000;

/** How many tokens of one text are formatted: about two for each element in the page. */
export const mostTokens = 100_000;

/** How many stretches of colour one block of code may have. */
export const mostColours = 20_000;

/** Where the page stops formatting, and why, in words for the reader. */
export const limitWords = {
  long: 'Shown as it was written: too long to be formatted',
  deep: 'Shown as it was written: nested too deep to be formatted',
  wide: `Shown as it was written: a table of more than ${mostColumns} columns`,
  labels: `Links by label are links up to here: the reply defines more than ${mostLabels.toLocaleString('en')} labels`,
  tokens: 'The rest is shown as it was written: the reply has too many parts to format them all',
  colours: 'No colours from here on: too much code for them',
} as const;

export type Limit = keyof typeof limitWords;
