/** A file reference in a model's reply, with lines and columns from 1. */
export interface FileReference {
  /** Relative to a workspace folder, or absolute, with `/` as separator; without `.` and `..`. */
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
  readonly endLine?: number;
}

const maxLength = 500;

/** `#L10`, `#L10-L20`, `#L10C5-L20C3`. */
const hashLines = /#L(\d{1,7})(?:C(\d{1,5}))?(?:-L?(\d{1,7})(?:C\d{1,5})?)?$/;
/** `:10`, `:10:5`, `:10-20`. */
const colonLines = /:(\d{1,7})(?:(?::(\d{1,5}))|-(\d{1,7}))?$/;

/**
 * Characters of addresses and patterns, and invisible characters. A path with any of them is not a reference. A folder
 * may be called `C#`; another `#` begins a fragment.
 */
const forbiddenCharacters = /[\p{C}\p{Zl}\p{Zp}:*?"<>|\\]|(?:^|\/)#|#[^/]*$/u;

/**
 * Reads a reference such as `src/a.ts#L10-L20` or `src/a.ts:10:5`.
 *
 * @returns undefined if it is not a reference: an address, a path with `..`, or an invalid file name
 */
export function readFileReference(text: string): FileReference | undefined {
  if (text.length > maxLength) return undefined;
  const lines = hashLines.exec(text) ?? colonLines.exec(text);
  const path = readPath(lines ? text.slice(0, lines.index) : text);
  // A number after other words is not a line number, as in `tel:110`.
  if (path === undefined || (lines && !/[./]/.test(path))) return undefined;
  const [line, column, endLine] = (lines ?? []).slice(1).map((number) => Number(number ?? 0));
  return { path, ...(line && { line }), ...(column && { column }), ...(endLine && { endLine }) };
}

/**
 * Whether a text without a link looks like a file instead of other code: it has an extension, and a folder or a line
 * number.
 */
export function looksLikeFile(text: string): boolean {
  const reference = readFileReference(text);
  if (!reference || /\s/.test(text)) return false;
  return hasExtension(reference) && (/\w\/\w/.test(text) || reference.line !== undefined);
}

/** The path without leading `./`; undefined if it is not the path of a file or contains `.` or `..`. */
function readPath(raw: string): string | undefined {
  const path = raw.replace(/^(?:\.\/)+/, '');
  if (path === '' || path.startsWith('//') || path.endsWith('/') || forbiddenCharacters.test(path))
    return undefined;
  const parts = path.replace(/^\//, '').split('/');
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..' && part.trim() === part);
  return isPlain ? path : undefined;
}

/** A file name in a code block. */
interface NamedFile {
  readonly reference: FileReference;
  /** Whether the name is in the first line of the code. */
  readonly isInFirstLine: boolean;
}

/** `title="src/a.ts"`, `file=src/a.ts`. */
const attribute = /\b(?:title|file|filename|path)\s*[=:]\s*(?:"([^"]+)"|'([^']+)'|(\S+))/i;

/** A comment of one line with a single word, in the languages that models write. */
const comment = /^(?:\/\/|\/\*|#|--|<!--|;+(?!;)|%|")\s*(?:file(?:name)?\s*:\s*)?(\S+)$/i;
const commentEnd = /(?:\*\/|-->)$/;

/** The longest text after a fence that is searched for a name. Only this much of the code is searched. */
const maxSearchedLength = 1000;

/** The file name of a code block, from the words after its fence (`info`) or a comment in its first line. */
export function findNamedFile(info: string, code: string): NamedFile | undefined {
  const infoFile = info.length > maxSearchedLength ? undefined : findFileInInfo(info);
  if (infoFile) return { reference: infoFile, isInFirstLine: false };
  const [first = ''] = code.slice(0, maxSearchedLength).split('\n', 1);
  const words = first.trim().replace(commentEnd, '').trimEnd();
  const commentFile = readFileWord(comment.exec(words)?.[1]);
  return commentFile && { reference: commentFile, isInFirstLine: true };
}

function findFileInInfo(info: string): FileReference | undefined {
  const [, double, single, bare] = attribute.exec(info) ?? [];
  const attributed = readFileWord(double ?? single ?? bare);
  if (attributed) return attributed;
  for (const word of info.trim().split(/\s+/)) {
    const file = readFileWord(word) ?? readFileWord(word.slice(word.indexOf(':') + 1));
    if (file) return file;
  }
  return undefined;
}

/** Requires an extension, because the word may be the name of a language. */
function readFileWord(word: string | undefined): FileReference | undefined {
  const reference = word === undefined ? undefined : readFileReference(word);
  return reference && hasExtension(reference) ? reference : undefined;
}

function hasExtension({ path }: FileReference): boolean {
  return /[^/.][^/]*\.\w{1,10}$/.test(path);
}
