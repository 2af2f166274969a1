// The Markdown pages inside the package, whose links lead only where there is something.
import MarkdownIt from 'markdown-it';

/**
 * Drops pictures that are not in the package, and makes words of links that lead nowhere there.
 *
 * @param {string} markdown
 * @param {readonly string[]} files in the package
 */
export function withoutDeadLinks(markdown, files) {
  const dead = new Set(deadLinks(markdown, files));
  return markdown
    .replace(/!\[[^\]]*\]\(([^)]*)\)\n*/g, (picture, target) => (dead.has(target) ? '' : picture))
    .replace(/(?<!!)\[([^\]]*)\]\(([^)]*)\)/g, (link, words, target) => (dead.has(target) ? words : link));
}

/**
 * The targets of links and pictures that are neither on the web, nor a file of the package, nor a heading.
 *
 * @param {string} markdown
 * @param {readonly string[]} files in the package
 * @returns {readonly string[]}
 */
export function deadLinks(markdown, files) {
  const tokens = new MarkdownIt().parse(markdown, {});
  const titles = tokens.filter((_, place) => tokens[place - 1]?.type === 'heading_open');
  const there = [...files, ...titles.map(({ content }) => `#${anchor(content)}`)];
  return tokens
    .flatMap(({ children }) => children ?? [])
    .flatMap((token) => token.attrGet('href') ?? token.attrGet('src') ?? [])
    .map(String)
    .filter((target) => !/^https?:/.test(target) && !there.includes(target));
}

/** As pages that show Markdown name a heading. */
function anchor(title) {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
