// The Markdown pages inside the package, whose links lead only to existing targets.
import { posix } from 'node:path';
import MarkdownIt from 'markdown-it';

/**
 * A folder with pages that link to one another: all its files as paths from its top, and the texts of its pages by
 * their paths.
 *
 * @typedef {{ files: readonly string[], pages: ReadonlyMap<string, string> }} PackedPages
 */

/** The file names that vsce uses in the package. */
const packedNames = { 'README.md': 'readme.md', 'CHANGELOG.md': 'changelog.md', LICENSE: 'LICENSE.txt' };

/**
 * A page as it is in the package. Links use the file names of the package. A dead link is replaced by its text. A
 * picture that is not in the package is loaded from the web, or dropped.
 *
 * @param {string} path of the page
 * @param {PackedPages} book the files of the package, and its pages by their names in the project
 * @param {string} [webAddress] address of the project's files on the web
 */
export function packedPage(path, book, webAddress) {
  const renamed = (book.pages.get(path) ?? '').replace(
    /(?<!!)\[([^\]]*)\]\(([^)#]*)(#[^)]*)?\)/g,
    (link, words, target, place = '') => {
      const name = packedNames[resolveTarget(path, target)];
      return name ? `[${words}](${posix.relative(posix.dirname(path), name)}${place})` : link;
    },
  );
  const packed = new Map(book.pages);
  for (const [name, page] of book.pages) packed.set(getPackedName(name), page);
  packed.set(getPackedName(path), renamed);
  const dead = new Set(deadLinks(getPackedName(path), { files: book.files, pages: packed }));
  return renamed
    .replace(/(!\[[^\]]*\])\(([^)]*)\)(\n*)/g, (picture, words, target, end) => {
      if (!dead.has(target)) return picture;
      return webAddress === undefined ? '' : `${words}(${webAddress}${resolveTarget(path, target)})${end}`;
    })
    .replace(/(?<!!)\[([^\]]*)\]\(([^)]*)\)/g, (link, words, target) => (dead.has(target) ? words : link));
}

/**
 * The targets of links and pictures of a page that are neither on the web, nor a file of the folder, nor a heading.
 *
 * @param {string} path of the page
 * @param {PackedPages} book
 * @returns {readonly string[]}
 */
export function deadLinks(path, { files, pages }) {
  return targetsIn(pages.get(path) ?? '').filter((target) => {
    if (/^https?:/.test(target)) return false;
    const [file = '', heading] = target.split('#');
    const linked = resolveTarget(path, file);
    const isThere = file === '' || files.includes(linked);
    return (
      !isThere || (heading !== undefined && !headingsIn(pages.get(linked) ?? '').includes(decodeURI(heading)))
    );
  });
}

/**
 * The pages to which a page links.
 *
 * @param {string} path of the page
 * @param {PackedPages} book
 * @returns {readonly string[]}
 */
export function linkedPages(path, { pages }) {
  const linked = targetsIn(pages.get(path) ?? '').map((target) =>
    resolveTarget(path, target.replace(/#.*/, '')),
  );
  return linked.filter((other) => pages.has(other));
}

/**
 * The address of a project's files on the web, for pictures; undefined for an unknown host.
 *
 * @param {string | { url?: string } | undefined} repository as in package.json
 */
export function getRepositoryAddress(repository) {
  const url = typeof repository === 'string' ? repository : repository?.url;
  const [, host, path] = /(github|gitlab)\.com[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(url ?? '') ?? [];
  if (path === undefined) return undefined;
  return `https://${host}.com/${path}/${host === 'github' ? 'raw' : '-/raw'}/HEAD/`;
}

/** @param {string} markdown */
function targetsIn(markdown) {
  return new MarkdownIt()
    .parse(markdown, {})
    .flatMap(({ children }) => children ?? [])
    .flatMap((token) => token.attrGet('href') ?? token.attrGet('src') ?? [])
    .map(String);
}

/** @param {string} markdown */
function headingsIn(markdown) {
  const tokens = new MarkdownIt().parse(markdown, {});
  return tokens
    .filter((_, place) => tokens[place - 1]?.type === 'heading_open')
    .map(({ content }) => anchor(content));
}

/** The anchor of a heading, as Markdown viewers generate it. */
function anchor(title) {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

function getPackedName(file) {
  return packedNames[file] ?? file;
}

/** The path of a target from the top of the folder. */
function resolveTarget(page, target) {
  return target === '' ? page : posix.join(posix.dirname(page), target);
}
