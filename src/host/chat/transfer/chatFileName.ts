import { limitLength } from '../../../base/truncate.ts';
import { removeHidden } from '../../kit/display/plainText.ts';

/** The maximum length in bytes. Some systems allow 143 bytes, including the extension and a suffix during writing. */
const maxBytes = 80;

/** The maximum length of the used part of a title, in UTF-16 units. */
const maxReadLength = 1000;

/** Characters that some systems use for folders, drives, streams or wildcards. */
const specialCharacters = /[<>:"/\\|?*\p{Cc}]+/gu;

/** Device names of Windows, with any extension. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Creates a file name without extension for a chat.
 *
 * @param title the title of the chat, which may contain any characters
 * @param fallback the name if the title has no usable character
 */
export function createChatFileName(title: string, fallback: string): string {
  const plain = removeHidden(limitLength(title, maxReadLength))
    .normalize('NFC')
    .replaceAll(specialCharacters, ' ');
  const name = cutToBytes(plain.replaceAll(/\s+/g, ' ').replace(/^[-.~ ]+/, '')).replace(/[. ]+$/, '');
  return name === '' || deviceName.test(name) ? fallback : name;
}

function cutToBytes(text: string): string {
  let cut = '';
  for (const character of text) {
    if (Buffer.byteLength(cut + character) > maxBytes) break;
    cut += character;
  }
  return cut;
}
