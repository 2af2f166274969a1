import { hiddenCharacters, spelledSequences } from '../../base/hiddenCharacters.ts';

/** A stretch of text: what the reader sees, or a number of characters that nobody sees. */
export type TextRun = { readonly text: string } | { readonly hidden: number };

const anyHidden = `[[${hiddenCharacters}]--[\\t\\n\\r]]`;
const hasHidden = new RegExp(anyHidden, 'v');

/** More marks on one letter than any writing has: they cost much to draw, and cover what is around them. */
const excessMarks = '(?<=\\p{M}{16})\\p{M}+';
const hasExcessMarks = /\p{M}{17}/v;

/** Runs of hidden characters in one text that are shown where they stand; further ones are counted together. */
const maxHiddenRuns = 50;

const spelledOrHidden = new RegExp(`(?:${spelledSequences})|(${anyHidden}+|${excessMarks})`, 'gv');

/** Splits text into visible runs and counts of hidden characters (T20). */
export function textRuns(text: string): readonly TextRun[] {
  if (!hasHidden.test(text) && !hasExcessMarks.test(text)) return [{ text }];
  const runs: TextRun[] = [];
  let start = 0;
  for (const match of text.matchAll(spelledOrHidden)) {
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
