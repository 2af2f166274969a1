import { codeOf } from './keyForms.ts';

/** The members with the numbers of a reply's choices. */
export const indexNames: ReadonlySet<number> = new Set(
  ['index', 'outputindex', 'contentindex'].map((name) =>
    [...name].reduce((sum, letter) => (Math.imul(sum, 31) + (codeOf[letter.charCodeAt(0)] ?? 0)) | 0, 0),
  ),
);

const [letterX, quote, colon, blank, zero] = [0x78, 0x22, 0x3a, 0x20, 0x30];
/** The letters before the x in the names of members that number choices and parts. */
const before = [...Buffer.from('nde')];

/** A number for all numbers of choices and parts in a line; 0 where it has none but 0. */
export function choicesIn(bytes: Uint8Array, from: number, to: number): number {
  let all = 0;
  for (let at = bytes.indexOf(letterX, from); at >= 0 && at < to; at = bytes.indexOf(letterX, at + 1)) {
    if (bytes[at + 1] !== quote || before.some((letter, nth) => bytes[at - 3 + nth] !== letter)) continue;
    let place = at + 2;
    while (bytes[place] === blank || bytes[place] === colon) place += 1;
    let number = 0;
    for (let digit = digitAt(bytes, place); digit >= 0; digit = digitAt(bytes, ++place))
      number = (Math.imul(number, 10) + digit) | 0;
    all = (Math.imul(all, 31) + number) | 0;
  }
  return all;
}

/** @returns -1 where there is none */
function digitAt(bytes: Uint8Array, at: number): number {
  const digit = (bytes[at] ?? 0) - zero;
  return digit >= 0 && digit <= 9 ? digit : -1;
}
