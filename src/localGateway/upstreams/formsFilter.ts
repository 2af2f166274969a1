import { choicesIn, indexNames } from './choices.ts';
import { escapeAt, type Spelled } from './escapes.ts';
import { type KeyFilter, star } from './keyFilter.ts';
import { codeOf, gramFactor, gramLength, gramPlace, gramShift, type KeyForms, nextGram } from './keyForms.ts';
import { Trail, textOf, trailLength } from './trail.ts';

const none = new Uint8Array(0);
/** A reply with more members of different names loses sight of the first. */
const maxMembers = 64;
/** At most so much is held back; a possible part of a key is then hidden. */
const maxHeldBytes = 64 * 1024;
/** A run of so many grams in one text holds the following events back. */
const minHeldRun = 3;

const [lineFeed, quote, colon, zero, smallX, bigX] = [0x0a, 0x22, 0x3a, 0x30, 0x78, 0x58];
const [backslash, percent, ampersand, wide] = [0x5c, 0x25, 0x26, 0xef];
const blank = 0x20;
/** The field of an event that holds its text. */
const field = 'data: ';

/** Bytes that the loop below has to look at, besides letters and digits. */
const special = new Uint8Array(256);
for (const byte of [lineFeed, quote, backslash, percent, ampersand, wide]) special[byte] = 1;
/** Bytes within a key that are hidden with the letters around them. */
const soft = new Uint8Array(256);
for (const byte of Buffer.from('-_.+/=~')) soft[byte] = 1;

/** Hides a key in all its forms. */
export class FormsFilter implements KeyFilter {
  readonly #forms: KeyForms;
  readonly #isEvents: boolean;
  /** The text that is neither passed on nor dropped yet, and its position in the reply. */
  #held: Uint8Array = none;
  #base = 0;
  /** The position in the held text at which reading continues. */
  #at = 0;
  /** The text that is not within a member, and those of members by their names, which events continue. */
  readonly #flat = new Trail();
  readonly #members = new Map<number, Trail>();
  #trail = this.#flat;
  #isInString = false;
  /** The text of the same member whatever its choice, while it is not the same trail: clients join texts of parts. */
  #joint: Trail | undefined;
  /** How many letters and digits of the string were read. */
  #letterCount = 0;
  /** A number for the name of the last string outside a value, and for the choice that an event is of. */
  #name = 0;
  #choice = 0;
  /** A number for all choices that the line names, some behind their texts. */
  #line = 0;
  #hasChoices = false;
  /** The last sign outside strings. */
  #before = 0;
  #isLineStart = true;

  /** Whether a text is compressed, though its head does not say so, and unread. */
  #isCompressed: boolean | undefined;

  /** @param reply whether it has events, and whether it is a text of any kind */
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
    if (this.#isCompressed) return bytes.fill(star);
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    this.#read(false);
    return this.#release(this.#heldFrom());
  }

  end(): Uint8Array {
    this.#read(true);
    return this.#release(this.#held.length);
  }

  #release(to: number): Uint8Array {
    const bytes = this.#held.subarray(0, to);
    this.#held = this.#held.subarray(to);
    this.#base += to;
    this.#at -= to;
    return bytes;
  }

  /** Where the bytes begin that may still have to be hidden. */
  #heldFrom(): number {
    let from = this.#base + this.#at;
    from = Math.min(from, this.#trail.begin(gramLength - 1));
    if (this.#trail !== this.#flat && this.#flat.run >= minHeldRun)
      from = Math.min(from, this.#flat.begin(0));
    for (const trail of this.#members.values())
      if (trail.run >= minHeldRun) from = Math.min(from, trail.begin(0));
    const at = Math.max(0, from - this.#base);
    if (this.#held.length - at <= maxHeldBytes) return at;
    for (const trail of [this.#flat, ...this.#members.values()])
      if (trail.run >= minHeldRun) this.#hide(trail);
    return this.#at;
  }

  #read(isLast: boolean): void {
    const bytes = this.#held;
    let at = this.#at;
    while (at < bytes.length) {
      if (this.#isLineStart) {
        const length = this.#lineStart(at, isLast);
        if (length === undefined) break;
        at += length;
        continue;
      }
      const byte = bytes[at] ?? 0;
      const code = codeOf[byte] ?? 0;
      if (code === 0 && special[byte] === 0) {
        if (byte > blank && !this.#isInString) this.#before = byte;
        at += 1;
      } else {
        const length = code === 0 || byte === zero ? this.#special(byte, at, isLast) : this.#add(code, at, 1);
        if (length === 0) break;
        at += length;
        if (this.#trail !== this.#flat && this.#letterCount >= gramLength) at = this.#letters(at);
      }
    }
    this.#at = at;
  }

  /**
   * Reads letters of a member up to the next byte that needs a closer look: most bytes of most replies.
   *
   * @returns where that is
   */
  #letters(from: number): number {
    const bytes = this.#held;
    const trail = this.#trail;
    const { grams } = this.#forms;
    let { count, gram } = trail;
    let at = from;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      const code = codeOf[byte] ?? 0;
      if (code === 0 ? special[byte] === 1 : byte === zero) break;
      if (code === 0) continue;
      const next = ((gram << 6) | code) & 0xffffff;
      const bit = Math.imul(next, gramFactor) >>> gramShift;
      if (((grams[bit >> 3] ?? 0) >> (bit & 7)) & 1 && count >= gramLength - 1) break;
      count += 1;
      gram = next;
    }
    if (count > trail.count) {
      this.#joint?.skipTo(this.#joint.count + count - trail.count, gram, bytes, at, this.#base);
      trail.skipTo(count, gram, bytes, at, this.#base);
    }
    return at;
  }

  /** @returns how many bytes were read; 0 where more are needed */
  #special(byte: number, at: number, isLast: boolean): number {
    if (byte === quote) return this.#quote();
    if (byte === lineFeed) return this.#endLine();
    const spelled = byte === zero || byte === wide ? this.#spelledAt(byte, at) : escapeAt(this.#held, at);
    if (spelled === 'more') {
      if (!isLast) return 0;
    } else if (spelled) {
      return this.#add(codeOf[narrow(spelled.value)] ?? 0, at, spelled.length);
    }
    return this.#add(codeOf[byte] ?? 0, at, 1);
  }

  /** Bytes as programs write them, such as `0x63`, and letters of full width. */
  #spelledAt(byte: number, at: number): Spelled | 'more' | undefined {
    const bytes = this.#held;
    if (byte === wide) {
      if (at + 2 >= bytes.length) return 'more';
      return {
        value: 0xf000 | (((bytes[at + 1] ?? 0) & 0x3f) << 6) | ((bytes[at + 2] ?? 0) & 0x3f),
        length: 3,
      };
    }
    if (at + 1 >= bytes.length) return 'more';
    if (bytes[at + 1] !== smallX && bytes[at + 1] !== bigX) return undefined;
    if (at + 3 >= bytes.length) return 'more';
    const text = String.fromCharCode(...bytes.subarray(at, at + 4));
    const [, hex] = /^0x([\da-f]{2})$/i.exec(text) ?? [];
    return hex === undefined ? undefined : { value: Number.parseInt(hex, 16), length: 4 };
  }

  /** A string after a colon is the value of the member before, and goes on in the same member of the next event. */
  #quote(): 1 {
    this.#isInString = !this.#isInString;
    if (!this.#isInString) {
      this.#trail = this.#flat;
      this.#joint = undefined;
      this.#before = quote;
    } else if (this.#before === colon) {
      this.#enter(this.#name, this.#line * 31 + this.#choice);
    } else {
      this.#name = 0;
    }
    return 1;
  }

  /** In an event stream no text goes on behind a line, but for that of a member. */
  #endLine(): 1 {
    if (!this.#isEvents) return 1;
    this.#isLineStart = true;
    this.#isInString = false;
    this.#flat.clear();
    this.#trail = this.#flat;
    this.#joint = undefined;
    this.#name = 0;
    this.#choice = 0;
    this.#line = 0;
    this.#before = 0;
    return 1;
  }

  /** @returns how many bytes were read; undefined where more are needed */
  #lineStart(at: number, isLast: boolean): number | undefined {
    // Most lines begin otherwise.
    if (this.#isEvents && this.#held[at] === field.charCodeAt(0)) {
      const text = String.fromCharCode(...this.#held.subarray(at, at + 7));
      if (!isLast && text.length < 7 && (field.startsWith(text) || text.startsWith('data:')))
        return undefined;
      // Clients read whole lines only.
      const feed = this.#held.indexOf(lineFeed, at);
      if (!isLast && feed < 0 && this.#held.length - at < maxHeldBytes) return undefined;
      const end = feed < 0 ? this.#held.length : feed;
      const [prefix, first] = /^(data: ?)(.)?/s.exec(text)?.slice(1) ?? [];
      this.#isLineStart = false;
      if (prefix === undefined) return 0;
      if (first === undefined || !/[{["\r\n]/.test(first)) {
        this.#enter(-1, 0);
      } else {
        this.#before = colon;
        this.#line = choicesIn(this.#held, at, end);
      }
      return prefix.length;
    }
    this.#isLineStart = false;
    return 0;
  }

  /** Goes on with the text of a member: of this choice, and of the member whatever the choice. */
  #enter(name: number, choice: number): void {
    this.#letterCount = 0;
    this.#hasChoices ||= choice !== 0;
    const joint = this.#memberAt(name * 31);
    this.#joint = this.#hasChoices ? joint : undefined;
    this.#trail = this.#hasChoices ? this.#memberAt(name * 31 + 1 + choice, joint) : joint;
  }

  #memberAt(place: number, like?: Trail): Trail {
    const found = this.#members.get(place);
    // Few replies have so many that one has to be forgotten.
    if (found && this.#members.size < maxMembers / 2) return found;
    const trail = found ?? new Trail(like);
    this.#members.delete(place);
    this.#members.set(place, trail);
    const [oldest = place] = this.#members.size > maxMembers ? this.#members.keys() : [];
    if (oldest !== place) this.#members.delete(oldest);
    return trail;
  }

  #add(code: number, at: number, length: number): number {
    if (code === 0) return length;
    const trail = this.#trail;
    if (trail === this.#flat) {
      if (this.#isInString) this.#name = (Math.imul(this.#name, 31) + code) | 0;
      else this.#outside(code);
    }
    this.#letterCount += 1;
    if (this.#joint) this.#addTo(this.#joint, code, at, length);
    this.#addTo(trail, code, at, length);
    return length;
  }

  #addTo(trail: Trail, code: number, at: number, length: number): void {
    const place = trail.count & (trailLength - 1);
    trail.codes[place] = code;
    trail.starts[place] = this.#base + at;
    trail.lengths[place] = length;
    trail.count += 1;
    trail.gram = nextGram(trail.gram, code);
    const bit = gramPlace(trail.gram);
    if (trail.count < gramLength || (((this.#forms.grams[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 0) {
      trail.run = 0;
      trail.isHidden = false;
      return;
    }
    trail.run += 1;
    if (trail.run >= this.#forms.window - gramLength + 1) this.#check(trail);
  }

  /** A number that is the value of a member `index`, and not of a text. */
  #outside(code: number): void {
    if (this.#before === colon && indexNames.has(this.#name) && code <= 10) this.#choice = code;
    this.#before = 0;
  }

  #check(trail: Trail): void {
    const { window } = this.#forms;
    if (!this.#forms.hasWindow(textOf(trail, window))) {
      trail.isHidden = false;
      return;
    }
    this.#cover(trail, trail.isHidden ? 2 : window);
    trail.isHidden = true;
  }

  /** Hides a possible part of a key when its rest cannot be awaited. */
  #hide(trail: Trail): void {
    this.#cover(trail, Math.min(trail.run + gramLength - 1, trailLength));
    trail.clear();
  }

  /** Covers the last characters of a trail, and what joins them. */
  #cover(trail: Trail, count: number): void {
    const isNumber = /^\d+$/.test(textOf(trail, count));
    let end = -1;
    for (let nth = trail.count - count; nth < trail.count; nth += 1) {
      const place = nth & (trailLength - 1);
      const start = (trail.starts[place] ?? 0) - this.#base;
      if (end >= 0 && isSoft(this.#held, end, start)) this.#held.fill(star, end, start);
      end = start + (trail.lengths[place] ?? 0);
      if (start >= 0) this.#held.fill(isNumber ? 0x31 : star, start, end);
    }
  }
}

/** The first bytes of gzip, zstd and zlib, which begin no text. */
function beginsCompressed([first, second = 0]: Uint8Array): boolean {
  if (first === 0x1f) return true;
  return (first === 0x28 && second === 0xb5) || (first === 0x78 && [0x01, 0x5e, 0x9c, 0xda].includes(second));
}

/** Whether there are few bytes, each of which may join the characters of a key. */
function isSoft(bytes: Uint8Array, from: number, to: number): boolean {
  if (from >= to || to - from > 4) return false;
  for (let at = from; at < to; at += 1) if (soft[bytes[at] ?? 0] === 0) return false;
  return true;
}

/** Letters of full width as ordinary ones; 0 for what is no ASCII. */
function narrow(value: number): number {
  const code = value >= 0xff01 && value <= 0xff5e ? value - 0xfee0 : value;
  return code < 128 ? code : 0;
}
