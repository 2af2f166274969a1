import { startOf } from '../../../base/truncate.ts';
import { visibleText } from '../../kit/display/plainText.ts';

/** Some systems allow 143 bytes for a name, with its extension and what is added while it is written. */
const maxBytes = 80;
const maxRead = 1000;

/** What some system takes for a folder, a drive, a stream or a wildcard. */
const special = /[<>:"/\\|?*\p{Cc}]+/gu;
/** What Windows takes for a device, whatever the extension. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** The name of a file, without extension, after the title of a chat, which may be anything. */
export function chatFileName(title: string, otherwise: string): string {
  const plain = visibleText(startOf(title, maxRead)).normalize('NFC').replaceAll(special, ' ');
  const name = cutToBytes(plain.replaceAll(/\s+/g, ' ').replace(/^[-.~ ]+/, '')).replace(/[. ]+$/, '');
  return name === '' || device.test(name) ? otherwise : name;
}

function cutToBytes(text: string): string {
  let cut = '';
  for (const character of text) {
    if (Buffer.byteLength(cut + character) > maxBytes) break;
    cut += character;
  }
  return cut;
}
