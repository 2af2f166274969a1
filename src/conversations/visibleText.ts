/** Characters that draw nothing and carry hidden instructions: tags, direction controls, zero widths. */
const hidden = /[\u{E0000}-\u{E007F}\u202A-\u202E\u2066-\u2069\u200B\u2060\uFEFF]/gu;

/** A reply as a reader sees it, so that copying brings along nothing that was not seen (T20). */
export function visibleText(text: string): string {
  return text.replace(hidden, '');
}
