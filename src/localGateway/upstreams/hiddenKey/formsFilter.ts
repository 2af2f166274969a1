import { hashChoices, indexNameHashes } from './choiceHash.ts';
import { readEscape, type SpelledCharacter } from './escapes.ts';
import {
  appendToGram,
  codeOfByte,
  findGramBit,
  gramFactor,
  gramLength,
  gramShift,
  type KeyForms,
} from './keyForms.ts';
import { Trail, trailLength } from './trail.ts';

/** Hides the gateway's key in the bytes of one reply. */
export interface KeyFilter {
  /**
   * @returns the bytes that can be passed on so far, which may be empty. They may share the memory of the argument,
   * which is modified
   */
  write(bytes: Uint8Array): Uint8Array;
  /** @returns the text that was held back */
  end(): Uint8Array;
}

/** An asterisk. It replaces each byte of a key. */
export const maskByte = 0x2a;

const noBytes = new Uint8Array(0);
/** The most members whose texts are tracked. Above this number, the least recent one is forgotten. */
const maxMembers = 64;
/** The most bytes that are held back. Above this number, a possible part of a key is hidden. */
const maxHeldBytes = 64 * 1024;
/** From this number of consecutive grams in a text on, the following events are held back. */
const minHeldRun = 3;

const [lineFeed, quote, colon, zero, smallX, bigX] = [0x0a, 0x22, 0x3a, 0x30, 0x78, 0x58];
const [backslash, percent, ampersand, fullWidthLead] = [0x5c, 0x25, 0x26, 0xef];
const blank = 0x20;
/** The start of the lines of an event that contain its text. */
const dataField = Buffer.from('data:');
/** The bytes after it that begin a line without plain text. */
const valueStarts: ReadonlySet<number | undefined> = new Set(Buffer.from('{["\r\n'));

/** Bytes that need special handling, in addition to letters and digits. */
const specialBytes = new Uint8Array(256);
for (const byte of [lineFeed, quote, backslash, percent, ampersand, fullWidthLead]) specialBytes[byte] = 1;
/** Bytes that may occur between the letters of a key. They are hidden with the letters around them. */
const joiningBytes = new Uint8Array(256);
for (const byte of Buffer.from('-_.+/=~')) joiningBytes[byte] = 1;

/** Hides a key in all its forms. */
export class FormsFilter implements KeyFilter {
  readonly #forms: KeyForms;
  readonly #isEvents: boolean;
  /** The text that is not yet passed on or dropped, and its position in the reply. */
  #held: Uint8Array = noBytes;
  #base = 0;
  /** The position in the held text at which reading continues. */
  #position = 0;
  /**
   * The text outside members, and the texts of members by hashes of their names. Later events continue the texts of
   * members.
   */
  readonly #outerTrail = new Trail();
  readonly #memberTrails = new Map<number, Trail>();
  #trail = this.#outerTrail;
  #isInString = false;
  /** The text of the same member across all choices, if it has a separate trail. Clients join the texts of parts. */
  #jointTrail: Trail | undefined;
  /** The number of letters and digits of the string that were read. */
  #letterCount = 0;
  /** A hash of the last string that is not a value, such as the name of a member. */
  #nameHash = 0;
  /** The index of the choice in an event, plus 1; 0 before it is read. */
  #choice = 0;
  /** A hash of the indexes of all choices in the line. An index may follow the text of its choice. */
  #lineHash = 0;
  #hasChoices = false;
  /** The last punctuation byte outside strings. */
  #lastPunctuation = 0;
  #isLineStart = true;

  /** Whether the bytes are compressed although no header reports it. All bytes are then hidden. */
  #isCompressed: boolean | undefined;

  /** @param reply whether it has events, and whether it is text of any kind */
  constructor(
    forms: KeyForms,
    { isEvents, isText }: { readonly isEvents: boolean; readonly isText: boolean },
  ) {
    this.#forms = forms;
    this.#isEvents = isEvents;
    if (!isText) this.#isCompressed = false;
  }

  write(bytes: Uint8Array): Uint8Array {
    if (bytes.length > 0) this.#isCompressed ??= beginsCompressed(bytes);
    if (this.#isCompressed) return bytes.fill(maskByte);
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    this.#read(false);
    return this.#release(this.#findHeldStart());
  }

  end(): Uint8Array {
    this.#read(true);
    return this.#release(this.#held.length);
  }

  #release(to: number): Uint8Array {
    const bytes = this.#held.subarray(0, to);
    this.#held = this.#held.subarray(to);
    this.#base += to;
    this.#position -= to;
    return bytes;
  }

  /** Finds the start of the bytes that may still have to be hidden. */
  #findHeldStart(): number {
    let from = this.#base + this.#position;
    from = Math.min(from, this.#trail.findSuspectStart(gramLength - 1));
    if (this.#trail !== this.#outerTrail && this.#outerTrail.run >= minHeldRun)
      from = Math.min(from, this.#outerTrail.findSuspectStart(0));
    for (const trail of this.#memberTrails.values())
      if (trail.run >= minHeldRun) from = Math.min(from, trail.findSuspectStart(0));
    const index = Math.max(0, from - this.#base);
    if (this.#held.length - index <= maxHeldBytes) return index;
    for (const trail of [this.#outerTrail, ...this.#memberTrails.values()])
      if (trail.run >= minHeldRun) this.#maskRun(trail);
    return this.#position;
  }

  #read(isLast: boolean): void {
    const bytes = this.#held;
    let index = this.#position;
    while (index < bytes.length) {
      if (this.#isLineStart) {
        const length = this.#readLineStart(index, isLast);
        if (length === undefined) break;
        index += length;
        continue;
      }
      const byte = bytes[index] ?? 0;
      const code = codeOfByte[byte] ?? 0;
      if (code === 0 && specialBytes[byte] === 0) {
        if (byte > blank && !this.#isInString) this.#lastPunctuation = byte;
        index += 1;
      } else {
        const length =
          code === 0 || byte === zero
            ? this.#readSpecial(byte, index, isLast)
            : this.#addCharacter(code, index, 1);
        if (length === 0) break;
        index += length;
        const isOuter = this.#trail === this.#outerTrail;
        if (!this.#isLineStart && (isOuter || this.#letterCount >= gramLength))
          index = this.#readLetters(index);
      }
    }
    this.#position = index;
  }

  /**
   * Reads letters up to the next byte that needs special handling. It reads most bytes of most replies.
   *
   * @returns the position of that byte
   */
  #readLetters(from: number): number {
    const bytes = this.#held;
    const trail = this.#trail;
    const { gramBits } = this.#forms;
    const isName = this.#isInString && trail === this.#outerTrail;
    let nameHash = this.#nameHash;
    let { count, gram } = trail;
    let index = from;
    for (; index < bytes.length; index += 1) {
      const byte = bytes[index] ?? 0;
      const code = codeOfByte[byte] ?? 0;
      if (code === 0) {
        if (specialBytes[byte] === 1 || (byte > blank && !this.#isInString)) break;
        continue;
      }
      if (byte === zero) break;
      const next = ((gram << 6) | code) & 0xffffff;
      const bit = Math.imul(next, gramFactor) >>> gramShift;
      if (((gramBits[bit >> 3] ?? 0) >> (bit & 7)) & 1 && count >= gramLength - 1) break;
      count += 1;
      gram = next;
      nameHash = (Math.imul(nameHash, 31) + code) | 0;
    }
    if (isName) this.#nameHash = nameHash;
    if (count > trail.count) {
      this.#jointTrail?.skipTo(this.#jointTrail.count + count - trail.count, gram, bytes, index, this.#base);
      trail.skipTo(count, gram, bytes, index, this.#base);
    }
    return index;
  }

  /** @returns the number of bytes that were read; 0 if more are needed */
  #readSpecial(byte: number, index: number, isLast: boolean): number {
    if (byte === quote) return this.#readQuote();
    if (byte === lineFeed) return this.#endLine();
    const character =
      byte === zero || byte === fullWidthLead
        ? this.#readSpelling(byte, index)
        : readEscape(this.#held, index);
    if (character === 'more') {
      if (!isLast) return 0;
    } else if (character) {
      return this.#addCharacter(codeOfByte[foldFullWidth(character.value)] ?? 0, index, character.length);
    }
    return this.#addCharacter(codeOfByte[byte] ?? 0, index, 1);
  }

  /** Reads a character that is written as a number, such as `0x63`, or a full-width letter. */
  #readSpelling(byte: number, index: number): SpelledCharacter | 'more' | undefined {
    const bytes = this.#held;
    if (byte === fullWidthLead) {
      if (index + 2 >= bytes.length) return 'more';
      return {
        value: 0xf000 | (((bytes[index + 1] ?? 0) & 0x3f) << 6) | ((bytes[index + 2] ?? 0) & 0x3f),
        length: 3,
      };
    }
    if (index + 1 >= bytes.length) return 'more';
    if (bytes[index + 1] !== smallX && bytes[index + 1] !== bigX) return undefined;
    if (index + 3 >= bytes.length) return 'more';
    const text = String.fromCharCode(...bytes.subarray(index, index + 4));
    const [, hex] = /^0x([\da-f]{2})$/i.exec(text) ?? [];
    return hex === undefined ? undefined : { value: Number.parseInt(hex, 16), length: 4 };
  }

  /**
   * Begins or ends a string. A string after a colon is the value of the preceding member, whose text the next event
   * may continue.
   */
  #readQuote(): 1 {
    this.#isInString = !this.#isInString;
    if (!this.#isInString) {
      this.#trail = this.#outerTrail;
      this.#jointTrail = undefined;
      this.#lastPunctuation = quote;
    } else if (this.#lastPunctuation === colon) {
      this.#enterMember(this.#nameHash, this.#lineHash * 31 + this.#choice);
    } else {
      this.#nameHash = 0;
    }
    return 1;
  }

  /** Resets everything except the texts of members, because later events continue only these texts. */
  #endLine(): 1 {
    if (!this.#isEvents) return 1;
    this.#isLineStart = true;
    this.#isInString = false;
    this.#outerTrail.clear();
    this.#trail = this.#outerTrail;
    this.#jointTrail = undefined;
    this.#nameHash = 0;
    this.#choice = 0;
    this.#lineHash = 0;
    this.#lastPunctuation = 0;
    return 1;
  }

  /** @returns the number of bytes that were read; undefined if more are needed */
  #readLineStart(index: number, isLast: boolean): number | undefined {
    const bytes = this.#held;
    const available = bytes.length - index;
    let matched = 0;
    while (this.#isEvents && matched < dataField.length && bytes[index + matched] === dataField[matched])
      matched += 1;
    const isData = matched === dataField.length;
    // The two bytes after the name are needed as well.
    if (!isLast && available < dataField.length + 2 && (isData || matched === available)) return undefined;
    if (!isData) {
      this.#isLineStart = false;
      return 0;
    }
    // Clients read whole lines only.
    const feed = bytes.indexOf(lineFeed, index);
    if (!isLast && feed < 0 && available < maxHeldBytes) return undefined;
    this.#isLineStart = false;
    const length = bytes[index + matched] === blank ? matched + 1 : matched;
    if (valueStarts.has(bytes[index + length])) {
      this.#lastPunctuation = colon;
      this.#lineHash = hashChoices(bytes, index, feed < 0 ? bytes.length : feed);
    } else {
      this.#enterMember(-1, 0);
    }
    return length;
  }

  /** Continues the text of a member in a choice, and its text across all choices. */
  #enterMember(nameHash: number, choice: number): void {
    this.#letterCount = 0;
    this.#hasChoices ||= choice !== 0;
    const joint = this.#findMemberTrail(nameHash * 31);
    this.#jointTrail = this.#hasChoices ? joint : undefined;
    this.#trail = this.#hasChoices ? this.#findMemberTrail(nameHash * 31 + 1 + choice, joint) : joint;
  }

  #findMemberTrail(memberId: number, original?: Trail): Trail {
    const found = this.#memberTrails.get(memberId);
    // In most replies, no member has to be forgotten, so their order is not updated.
    if (found && this.#memberTrails.size < maxMembers / 2) return found;
    const trail = found ?? new Trail(original);
    this.#memberTrails.delete(memberId);
    this.#memberTrails.set(memberId, trail);
    const [oldest = memberId] = this.#memberTrails.size > maxMembers ? this.#memberTrails.keys() : [];
    if (oldest !== memberId) this.#memberTrails.delete(oldest);
    return trail;
  }

  #addCharacter(code: number, index: number, length: number): number {
    if (code === 0) return length;
    const trail = this.#trail;
    if (trail === this.#outerTrail) {
      if (this.#isInString) this.#nameHash = (Math.imul(this.#nameHash, 31) + code) | 0;
      else this.#readOutside(code);
    }
    this.#letterCount += 1;
    if (this.#jointTrail) this.#appendTo(this.#jointTrail, code, index, length);
    this.#appendTo(trail, code, index, length);
    return length;
  }

  #appendTo(trail: Trail, code: number, index: number, length: number): void {
    const slot = trail.count & (trailLength - 1);
    trail.codes[slot] = code;
    trail.starts[slot] = this.#base + index;
    trail.lengths[slot] = length;
    trail.count += 1;
    trail.gram = appendToGram(trail.gram, code);
    const bit = findGramBit(trail.gram);
    if (trail.count < gramLength || (((this.#forms.gramBits[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 0) {
      trail.run = 0;
      trail.isHidden = false;
      return;
    }
    trail.run += 1;
    if (trail.run >= this.#forms.window - gramLength + 1) this.#checkWindow(trail);
  }

  /** Reads a character outside strings. It may be the index of a choice. */
  #readOutside(code: number): void {
    if (this.#lastPunctuation === colon && indexNameHashes.has(this.#nameHash) && code <= 10)
      this.#choice = code;
    this.#lastPunctuation = 0;
  }

  #checkWindow(trail: Trail): void {
    const { window } = this.#forms;
    if (!this.#forms.hasWindow(trail.readLast(window))) {
      trail.isHidden = false;
      return;
    }
    this.#mask(trail, trail.isHidden ? 2 : window);
    trail.isHidden = true;
  }

  /** Hides a possible part of a key, because no more bytes can be held back. */
  #maskRun(trail: Trail): void {
    this.#mask(trail, Math.min(trail.run + gramLength - 1, trailLength));
    trail.clear();
  }

  /** Hides the last characters of a trail and the bytes between them. Digits become ones, so that JSON stays valid. */
  #mask(trail: Trail, count: number): void {
    const isNumber = /^\d+$/.test(trail.readLast(count));
    let end = -1;
    for (let nth = trail.count - count; nth < trail.count; nth += 1) {
      const slot = nth & (trailLength - 1);
      const start = (trail.starts[slot] ?? 0) - this.#base;
      if (end >= 0 && isJoiner(this.#held, end, start)) this.#held.fill(maskByte, end, start);
      end = start + (trail.lengths[slot] ?? 0);
      if (start >= 0) this.#held.fill(isNumber ? 0x31 : maskByte, start, end);
    }
  }
}

/** Whether the bytes begin like gzip, zstd or zlib. Texts do not. */
function beginsCompressed([first, second = 0]: Uint8Array): boolean {
  if (first === 0x1f) return true;
  return (first === 0x28 && second === 0xb5) || (first === 0x78 && [0x01, 0x5e, 0x9c, 0xda].includes(second));
}

/** Whether these bytes are few, and all of them may occur between the letters of a key. */
function isJoiner(bytes: Uint8Array, from: number, to: number): boolean {
  if (from >= to || to - from > 4) return false;
  for (let index = from; index < to; index += 1) if (joiningBytes[bytes[index] ?? 0] === 0) return false;
  return true;
}

/** Converts full-width letters to ASCII letters. Returns 0 for other characters outside ASCII. */
function foldFullWidth(value: number): number {
  const code = value >= 0xff01 && value <= 0xff5e ? value - 0xfee0 : value;
  return code < 128 ? code : 0;
}
