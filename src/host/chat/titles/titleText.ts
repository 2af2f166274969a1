import { limitLength } from '../../../base/truncate.ts';
import { clip, removeHidden } from '../../kit/display/plainText.ts';

/** The maximum length of a title, in UTF-16 units. */
const maxTitleLength = 80;

/** The maximum length of the searched text, in UTF-16 units. */
const maxReadLength = 10_000;

/** Pairs of quotes. A single character is both the opening and the closing quote. */
const quotes = ['"', "'", '“”', '‘’', '„“', '«»', '‹›', '「」', '『』', '《》', '`'];

/**
 * Extracts a title from a model's text, as one line without Markdown and quotes.
 *
 * @returns undefined if the text contains no title
 */
export function extractTitle(text: string): string | undefined {
  const visible = removeHidden(limitLength(text, maxReadLength)).replace(
    /<think>[\s\S]*?(?:<\/think>|$)/gi,
    '',
  );
  const title = visible
    .split('\n')
    .map(removeMarks)
    .find((line) => /[\p{L}\p{N}]/u.test(line));
  return title === undefined ? undefined : shortenTitle(title);
}

function removeMarks(line: string): string {
  const text = line
    .replace(/^\s*(?:```.*|[#>*+-]+(?=\s)|\d+[.)](?=\s))/, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|__|[`~]/g, '')
    .replace(/(?<![\p{L}\p{N}])([*_])(?=\S)([^*_]*\S)\1(?![\p{L}\p{N}])/gu, '$2')
    .replace(/^\s*(?:title|titel|titre|título|标题|タイトル|제목)\s*[:：]/iu, '')
    .replace(/\s+/g, ' ')
    .trim();
  return removeQuotes(text).replace(/(?<=\p{L})[.。]$/u, '');
}

function removeQuotes(text: string): string {
  const pair = quotes.find((each) => {
    const [begin = '', end = begin] = each;
    return text.length > 2 && text.startsWith(begin) && text.endsWith(end);
  });
  return pair === undefined ? text : text.slice(1, -1).trim();
}

/** Shortens a long title, if possible at the end of a word. */
function shortenTitle(title: string): string {
  if (title.length <= maxTitleLength) return title;
  const space = title.lastIndexOf(' ', maxTitleLength - 1);
  return space > maxTitleLength / 2 ? `${title.slice(0, space)}…` : clip(title, maxTitleLength);
}
