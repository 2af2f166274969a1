import { type FileReference, readFileReference } from './fileReference.ts';

/** A file that a block of code says it is of. */
export interface NamedFile {
  readonly reference: FileReference;
  /** Whether the first line of the code says so. */
  readonly isInFirstLine: boolean;
}

/** `title="src/a.ts"`, `file=src/a.ts`. */
const attribute = /\b(?:title|file|filename|path)\s*[=:]\s*(?:"([^"]+)"|'([^']+)'|(\S+))/i;

/** A comment of one line that holds nothing but a word, in the languages that models write. */
const comment = /^(?:\/\/|\/\*|#|--|<!--|;+(?!;)|%|")\s*(?:file(?:name)?\s*:\s*)?(\S+)$/i;
const commentEnd = /(?:\*\/|-->)$/;

/** Longer words name no file. */
const maxWordsLength = 1000;

/** The file that a block of code names, in the words after its fence or in a comment on its first line. */
export function namedFile(info: string, code: string): NamedFile | undefined {
  const told = info.length > maxWordsLength ? undefined : inInfo(info);
  if (told) return { reference: told, isInFirstLine: false };
  const [first = ''] = code.slice(0, maxWordsLength).split('\n', 1);
  const words = first.trim().replace(commentEnd, '').trimEnd();
  const commented = fileNamed(comment.exec(words)?.[1]);
  return commented && { reference: commented, isInFirstLine: true };
}

function inInfo(info: string): FileReference | undefined {
  const [, double, single, bare] = attribute.exec(info) ?? [];
  const attributed = fileNamed(double ?? single ?? bare);
  if (attributed) return attributed;
  for (const word of info.trim().split(/\s+/)) {
    const file = fileNamed(word) ?? fileNamed(word.slice(word.indexOf(':') + 1));
    if (file) return file;
  }
  return undefined;
}

/** A word is a file only with an ending, which the name of a language does not have. */
function fileNamed(word: string | undefined): FileReference | undefined {
  const reference = word === undefined ? undefined : readFileReference(word);
  return reference && /[^/.][^/]*\.\w{1,10}$/.test(reference.path) ? reference : undefined;
}
