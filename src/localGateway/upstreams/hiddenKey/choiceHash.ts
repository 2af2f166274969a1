import { codeOfByte } from './keyForms.ts';

/** Hashes of the names of members that contain the index of a choice or of a part of it. */
export const indexNameHashes: ReadonlySet<number> = new Set(
  ['index', 'outputindex', 'contentindex'].map((name) =>
    [...name].reduce((sum, letter) => (Math.imul(sum, 31) + (codeOfByte[letter.charCodeAt(0)] ?? 0)) | 0, 0),
  ),
);

const [letterX, quote, colon, blank, zero] = [0x78, 0x22, 0x3a, 0x20, 0x30];
/** The letters before the x of `index`: the names of all these members end with it. */
const lettersBefore = [...Buffer.from('nde')];

/** Hashes the indexes of choices and parts in a line. Returns 0 if the line has no such index, or only zeros. */
export function hashChoices(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0;
  for (
    let index = bytes.indexOf(letterX, from);
    index >= 0 && index < to;
    index = bytes.indexOf(letterX, index + 1)
  ) {
    if (bytes[index + 1] !== quote || lettersBefore.some((letter, nth) => bytes[index - 3 + nth] !== letter))
      continue;
    let position = index + 2;
    while (bytes[position] === blank || bytes[position] === colon) position += 1;
    let number = 0;
    for (let digit = readDigit(bytes, position); digit >= 0; digit = readDigit(bytes, ++position))
      number = (Math.imul(number, 10) + digit) | 0;
    hash = (Math.imul(hash, 31) + number) | 0;
  }
  return hash;
}

/** @returns the value of the digit at a position; -1 if there is none */
function readDigit(bytes: Uint8Array, index: number): number {
  const digit = (bytes[index] ?? 0) - zero;
  return digit >= 0 && digit <= 9 ? digit : -1;
}
