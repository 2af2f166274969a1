import { hiddenCharacters } from '../../base/hiddenCharacters.ts';
import { fenced } from './codeBlocks.ts';

/** Code that was sent with a question, as it was when the question was sent. */
export interface AttachedFile {
  /** Its path in the workspace, with line numbers if it is an excerpt, such as `src/a.ts#L10-20`. */
  readonly name: string;
  /** VS Code's name of its language. */
  readonly language: string;
  readonly text: string;
}

/** A pasted text that was too long for the message box. */
export type PastedText = Omit<AttachedFile, 'language'>;

/** The files of an edited question: the earlier ones and the pasted texts. */
export function withPasted(
  files: readonly AttachedFile[] | undefined,
  pasted: readonly PastedText[],
): readonly AttachedFile[] | undefined {
  if (pasted.length === 0) return files;
  return [...(files ?? []), ...pasted.map((text) => ({ ...text, language: '' }))];
}

/** The MIME type of text files. It distinguishes them from imported files. */
export const textFileType = 'text/plain';

const hidden = new RegExp(`[${hiddenCharacters}\\u2028\\u2029]+`, 'gv');

/**
 * The text of a question with its files before it. Each file is in a fence that its content cannot close, so
 * that its text cannot pass as the user's own words.
 */
export function withFiles(text: string, files: readonly AttachedFile[] = []): string {
  return [...files.map(fileBlock), text].filter((part) => part !== '').join('\n\n');
}

function fileBlock({ name, language, text }: AttachedFile): string {
  return `${plainName(name)}\n${fenced(text, language)}`;
}

/** Prefixes a name with `./` if it could begin a fence, a comment or another Markdown construct. */
function plainName(name: string): string {
  const shown = name.replace(hidden, ' ').trim();
  return /^[\p{L}\p{N}./_@]/u.test(shown) ? shown : `./${shown}`;
}
