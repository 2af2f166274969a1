import { type FileReference, readFileReference } from './fileReference.ts';

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

/** A longer text after the fence is not searched for a name, and neither is the rest of the code. */
const maxSearchedLength = 1000;

/** The file name of a code block, from the words after its fence or a comment in its first line. */
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

/** A word needs an extension to be a file, unlike the name of a language. */
function readFileWord(word: string | undefined): FileReference | undefined {
  const reference = word === undefined ? undefined : readFileReference(word);
  return reference && /[^/.][^/]*\.\w{1,10}$/.test(reference.path) ? reference : undefined;
}
