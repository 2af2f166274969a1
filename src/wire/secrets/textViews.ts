/** A text with decoded parts, and the position of each character in the original text. */
export interface TextView {
  readonly text: string;
  readonly starts: Uint32Array;
  /** The end of each character in the original text. */
  readonly ends: Uint32Array;
}

/** The unchanged text, each character at its own position. */
export function createPlainView(text: string): TextView {
  const starts = new Uint32Array(text.length);
  const ends = new Uint32Array(text.length);
  for (let at = 0; at < text.length; at++) {
    starts[at] = at;
    ends[at] = at + 1;
  }
  return { text, starts, ends };
}

/** Escapes of URLs, JSON, JavaScript, C and HTML, and bytes such as `0x6d`, each for one character. */
const escapeSequence =
  /%u?(?:(?<=u)00)?([\da-f]{2})|\\[ux]\{?((?<=\{)[\da-f]{1,6}|(?<=u)(?:00(?=00))?[\da-f]{4})\}?|(?:\\|(?<![\da-z])0)x([\da-f]{2})(?:(?<=0x..),?\s{0,2})?|&#x([\da-f]{1,6});?|&#(\d{1,7});?|&([a-z]{2,8});|\\([0-3][0-7]{2})|\\([^ux])/gi;

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  hyphen: '-',
  dash: '-',
  lowbar: '_',
  period: '.',
  plus: '+',
  sol: '/',
  equals: '=',
  colon: ':',
  excl: '!',
  num: '#',
  dollar: '$',
  percnt: '%',
  ast: '*',
  commat: '@',
  nbsp: ' ',
};

/** The view with one layer of escapes decoded; undefined if there is none. */
export function unescapeView(view: TextView): TextView | undefined {
  const builder = new ViewBuilder(view);
  let at = 0;
  for (const match of view.text.matchAll(escapeSequence)) {
    const character = decodeEscape(match);
    if (character === undefined) continue;
    builder.copy(at, match.index);
    at = match.index + match[0].length;
    builder.add(character, match.index, at);
  }
  if (at === 0) return undefined;
  builder.copy(at, view.text.length);
  return builder.view;
}

function decodeEscape([, percent, unicode, hex, hexEntity, entity, name, octal, simple]: RegExpExecArray):
  | string
  | undefined {
  if (simple !== undefined) return 'bfnrt0'.includes(simple) ? ' ' : simple;
  if (name !== undefined) return entities[name.toLowerCase()] ?? ' ';
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
  const code =
    entity === undefined ? Number.parseInt(percent ?? unicode ?? hex ?? hexEntity ?? '', 16) : Number(entity);
  return code <= 0xffff ? String.fromCharCode(code) : undefined;
}

/** The lower-case characters of a view, with their positions in the original text. */
export interface FoldedView {
  readonly codes: Uint16Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** @param bare whether to use only letters and digits */
export function foldView({ text, starts, ends }: TextView, bare: boolean): FoldedView {
  const codes = new Uint16Array(text.length);
  const [from, to] = bare ? [new Uint32Array(text.length), new Uint32Array(text.length)] : [starts, ends];
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = foldCode(text.charCodeAt(at));
    if (bare && !isLetterOrDigit(code)) continue;
    codes[length] = code;
    from[length] = starts[at] ?? 0;
    to[length] = ends[at] ?? 0;
    length++;
  }
  return { codes: codes.subarray(0, length), starts: from, ends: to };
}

/** Full-width letters become ordinary ones. */
function foldCode(wide: number): number {
  const code = wide >= 0xff01 && wide <= 0xff5e ? wide - 0xfee0 : wide;
  return code >= 65 && code <= 90 ? code + 32 : code;
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
}

/** Builds a view from pieces of another, in order. */
class ViewBuilder {
  readonly #source: TextView;
  readonly #pieces: string[] = [];
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  #length = 0;

  constructor(source: TextView) {
    this.#source = source;
    this.#starts = new Uint32Array(source.text.length);
    this.#ends = new Uint32Array(source.text.length);
  }

  /** Copies the text between two positions of the original text. */
  copy(from: number, to: number): void {
    if (from === to) return;
    const { text, starts, ends } = this.#source;
    this.#pieces.push(text.slice(from, to));
    this.#starts.set(starts.subarray(from, to), this.#length);
    this.#ends.set(ends.subarray(from, to), this.#length);
    this.#length += to - from;
  }

  /** Adds a character that represents the text between two positions of the original text. */
  add(character: string, from: number, to: number): void {
    this.#pieces.push(character);
    this.#starts[this.#length] = this.#source.starts[from] ?? 0;
    this.#ends[this.#length] = this.#source.ends[to - 1] ?? 0;
    this.#length += 1;
  }

  get view(): TextView {
    return {
      text: this.#pieces.join(''),
      starts: this.#starts.subarray(0, this.#length),
      ends: this.#ends.subarray(0, this.#length),
    };
  }
}
