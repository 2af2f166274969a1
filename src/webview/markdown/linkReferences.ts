import { type Block, normalizeLabel, parse, type References } from './parser.ts';

/**
 * The link reference definitions of one text. A definition may come long after the text that uses it, so
 * whoever shows a passage with an unknown label can ask to be told when it is defined.
 */
export class LinkReferences {
  readonly #known: References = Object.create(null);
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Parses text that is final: its definitions count from now on. */
  parseClosed(source: string): readonly Block[] {
    const found: References = Object.create(this.#known);
    const blocks = parse(source, found);
    Object.assign(this.#known, found);
    for (const label of Object.keys(found)) this.#announce(label);
    return blocks;
  }

  /** Parses text that may still change: its definitions count in that text only. */
  parseOpen(source: string): readonly Block[] {
    return parse(source, Object.create(this.#known));
  }

  /** Calls `onDefined` when a label that `source` mentions, and nobody has defined so far, is defined. */
  whenDefined(source: string, onDefined: () => void): void {
    for (const [, text] of source.matchAll(/\[([^[\]]{1,999})\]/g)) {
      const label = normalizeLabel(text ?? '');
      if (label in this.#known) continue;
      const waiting = this.#waiting.get(label) ?? new Set();
      this.#waiting.set(label, waiting.add(onDefined));
    }
  }

  #announce(label: string): void {
    const waiting = this.#waiting.get(label);
    this.#waiting.delete(label);
    for (const onDefined of waiting ?? []) onDefined();
  }
}
