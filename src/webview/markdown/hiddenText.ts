/** A stretch of text: what the reader sees, or a number of characters that nobody sees. */
export type TextRun = { readonly text: string } | { readonly hidden: number };

/**
 * Characters that draw nothing or reorder what is drawn: controls, zero-width and bidirectional format
 * characters, fillers, variation selectors, and the Unicode tags that can spell a hidden message.
 */
const hidden = /[[\p{Default_Ignorable_Code_Point}\p{Control}\ufff9-\ufffb]--[\t\n\r]]/v;

const styleSelector = '(?:\\p{Emoji_Modifier}|\\ufe0e|\\ufe0f)';
const joinedEmoji = `\\p{Extended_Pictographic}${styleSelector}?(?:\\u200d\\p{Extended_Pictographic}${styleSelector}?)*`;
/** England, Scotland and Wales are a black flag followed by tags. */
const taggedFlag =
  '\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}';
const keycap = '[0-9#*]\\ufe0f\\u20e3';
const ideographVariant = '\\p{Ideographic}(?:[\\ufe00-\\ufe0f]|[\\u{e0100}-\\u{e01ef}])';
/** Scripts in which a joiner or non-joiner is part of the spelling. */
const joiningScripts =
  'Arabic Bengali Devanagari Gujarati Gurmukhi Kannada Khmer Malayalam Mongolian Oriya Sinhala Tamil Telugu'
    .split(' ')
    .map((script) => `\\p{Script=${script}}`)
    .join('');
const spelledJoiner = `(?<=[${joiningScripts}])[\\u200c\\u200d]`;

/** More marks on one letter than any writing has: they cost much to draw, and cover what is around them. */
const excessMarks = '(?<=\\p{M}{16})\\p{M}+';
const hasExcessMarks = /\p{M}{17}/v;

/** Runs of hidden characters in one text that are shown where they stand; further ones are counted together. */
const maxHiddenRuns = 50;

const honest = [taggedFlag, joinedEmoji, keycap, ideographVariant, spelledJoiner].join('|');
const honestOrHidden = new RegExp(`(?:${honest})|(${hidden.source}+|${excessMarks})`, 'gv');

/** Splits text into visible runs and counts of hidden characters (T20). */
export function textRuns(text: string): readonly TextRun[] {
  if (!hidden.test(text) && !hasExcessMarks.test(text)) return [{ text }];
  const runs: TextRun[] = [];
  let start = 0;
  for (const match of text.matchAll(honestOrHidden)) {
    const characters = match[1];
    if (characters === undefined) continue;
    if (match.index > start) runs.push({ text: text.slice(start, match.index) });
    runs.push({ hidden: [...characters].length });
    start = match.index + characters.length;
  }
  if (start < text.length) runs.push({ text: text.slice(start) });
  return bounded(runs);
}

/** Thousands of markers in one text would be all that the page draws for seconds. */
function bounded(runs: readonly TextRun[]): readonly TextRun[] {
  const shown = 2 * maxHiddenRuns;
  if (runs.length <= shown) return runs;
  let text = '';
  let hiddenCount = 0;
  for (const run of runs.slice(shown)) {
    if ('text' in run) text += run.text;
    else hiddenCount += run.hidden;
  }
  return [...runs.slice(0, shown), { hidden: hiddenCount }, { text }];
}
