import { plainLine } from './plainText.ts';

/**
 * Words from outside within Markdown of ours, on one line: no link, picture, heading or HTML of theirs takes effect, and
 * no address becomes a link by itself.
 *
 * @param longest in UTF-16 units, before they are escaped
 */
export function markdownWords(text: string, longest: number): string {
  return plainLine(text, longest).replace(/[!-/:-@[-`{-~]/g, '\\$&');
}
