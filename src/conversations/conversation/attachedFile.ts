import { hiddenCharacters } from '../../base/hiddenCharacters.ts';
import { fenceCode } from './codeBlocks.ts';

/** Code that was sent with a question, as it was at that time. */
export interface AttachedFile {
  /** Its path in the workspace, with line numbers if it is an excerpt, such as `src/a.ts#L10-20`. */
  readonly name: string;
  /** The language id in VS Code. */
  readonly language: string;
  readonly text: string;
}

/** A pasted text that was too long for the message box. */
export type PastedText = Omit<AttachedFile, 'language'>;

/** Adds pasted texts to the files of a question. If there are no pasted texts, `files` is returned. */
export function addPastedTexts(
  files: readonly AttachedFile[] | undefined,
  pasted: readonly PastedText[],
): readonly AttachedFile[] | undefined {
  if (pasted.length === 0) return files;
  return [...(files ?? []), ...pasted.map((text) => ({ ...text, language: '' }))];
}

/** The MIME type of files that were attached here; imported files have their own types. */
export const textFileType = 'text/plain';

const hiddenPattern = new RegExp(`[${hiddenCharacters}\\u2028\\u2029]+`, 'gv');

/**
 * Puts the files of a question before its text. Each file is in a fence that its content cannot close, so that
 * its text cannot pass as the user's own words.
 */
export function prependFiles(text: string, files: readonly AttachedFile[] = []): string {
  return [...files.map(formatFile), text].filter((part) => part !== '').join('\n\n');
}

function formatFile({ name, language, text }: AttachedFile): string {
  return `${cleanName(name)}\n${fenceCode(text, language)}`;
}

/** Prefixes a name with `./` if it could begin a fence, a comment or another Markdown construct. */
function cleanName(name: string): string {
  const visibleName = name.replace(hiddenPattern, ' ').trim();
  return /^[\p{L}\p{N}./_@]/u.test(visibleName) ? visibleName : `./${visibleName}`;
}
