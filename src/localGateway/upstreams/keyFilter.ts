/** Hides the gateway's key in the bytes of one reply. */
export interface KeyFilter {
  /** @returns the bytes that can be passed on so far, perhaps none; may be the given bytes, modified in place */
  write(bytes: Uint8Array): Uint8Array;
  /** @returns the text that was held back */
  end(): Uint8Array;
}

/** Covers a character of a key. */
export const star = 0x2a;
