import { hiddenCharacters } from '../../base/hiddenCharacters.ts';
import { fenced } from './codeBlocks.ts';

/** Code that went along with a question, as it was when the question was sent. */
export interface AskedFile {
  /** Where it is from: a path within the workspace, with lines where it is a part, such as `src/a.ts#L10-20`. */
  readonly name: string;
  /** VS Code's name of its language. */
  readonly language: string;
  readonly text: string;
}

/** A text that was pasted where it was too long for the box. */
export type PastedText = Omit<AskedFile, 'language'>;

/** What goes along with a question that is edited: what went along before, and what was pasted. */
export function withPasted(
  files: readonly AskedFile[] | undefined,
  pasted: readonly PastedText[],
): readonly AskedFile[] | undefined {
  if (pasted.length === 0) return files;
  return [...(files ?? []), ...pasted.map((text) => ({ ...text, language: '' }))];
}

/** The MIME type of files that are texts, by which they are told from imported ones. */
export const textFileType = 'text/plain';

const hidden = new RegExp(`[${hiddenCharacters}\\u2028\\u2029]+`, 'gv');

/**
 * The text of a question with its files before it, each in a fence that nothing within can close, so that no file
 * can be taken for the user's own words.
 */
export function withFiles(text: string, files: readonly AskedFile[] = []): string {
  return [...files.map(fileBlock), text].filter((part) => part !== '').join('\n\n');
}

function fileBlock({ name, language, text }: AskedFile): string {
  return `${plainName(name)}\n${fenced(text, language)}`;
}

/** A name that begins like a fence, a comment or another mark of Markdown becomes the same path without one. */
function plainName(name: string): string {
  const shown = name.replace(hidden, ' ').trim();
  return /^[\p{L}\p{N}./_@]/u.test(shown) ? shown : `./${shown}`;
}
