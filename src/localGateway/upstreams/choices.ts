import { codeOf } from './keyForms.ts';

/** The members by which providers number the choices of a reply. */
export const indexNames: ReadonlySet<number> = new Set(
  ['index', 'outputindex', 'contentindex'].map((name) =>
    [...name].reduce((sum, letter) => (Math.imul(sum, 31) + (codeOf[letter.charCodeAt(0)] ?? 0)) | 0, 0),
  ),
);

/** The end of the names by which providers number choices and parts. */
const indexEnd = Buffer.from('ndex"');

/** A number for all numbers of choices and parts in a line; 0 where it has none but 0. */
export function choicesIn(bytes: Uint8Array, from: number, to: number): number {
  const line = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from);
  let all = 0;
  for (let at = line.indexOf(indexEnd); at >= 0; at = line.indexOf(indexEnd, at + 1)) {
    const [, digits] = /^\s*:\s*(\d{1,6})/.exec(line.toString('latin1', at + indexEnd.length, at + 20)) ?? [];
    if (digits !== undefined) all = (Math.imul(all, 31) + Number(digits)) | 0;
  }
  return all;
}
