import { hiddenCharacters, spelledSequences } from '../../base/hiddenCharacters.ts';

/** A part of a text: visible text, or a number of hidden characters. */
type TextRun = { readonly text: string } | { readonly hidden: number };

const anyHidden = `[[${hiddenCharacters}]--[\\t\\n\\r]]`;
const hasHidden = new RegExp(anyHidden, 'v');

/** More marks on one letter than any writing system uses. They are slow to draw and cover the text around them. */
const excessMarks = '(?<=\\p{M}{16})\\p{M}+';
const hasExcessMarks = /\p{M}{17}/v;

/** The maximum number of hidden runs that are marked at their positions. Further ones are counted together. */
const maxHiddenRuns = 50;

const spelledOrHidden = new RegExp(`(?:${spelledSequences})|(${anyHidden}+|${excessMarks})`, 'gv');

/** Splits text into visible runs and counts of hidden characters (T20). */
export function splitHiddenText(text: string): readonly TextRun[] {
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
  return limitRuns(runs);
}

/** Limits the markers, because thousands of them in one text would block the page for seconds. */
function limitRuns(runs: readonly TextRun[]): readonly TextRun[] {
  const maxRuns = 2 * maxHiddenRuns;
  if (runs.length <= maxRuns) return runs;
  let text = '';
  let hiddenCount = 0;
  for (const run of runs.slice(maxRuns)) {
    if ('text' in run) text += run.text;
    else hiddenCount += run.hidden;
  }
  return [...runs.slice(0, maxRuns), { hidden: hiddenCount }, { text }];
}
