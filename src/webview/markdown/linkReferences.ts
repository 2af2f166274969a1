import { type Block, normalizeLabel, parse, type References } from './parser.ts';
import { footnoteKey } from './syntax/footnotes.ts';
import { maxLabels } from './syntax/limits.ts';

/** How often a passage is painted again before the text has ended. */
const maxRepaints = 4;

/** A passage that mentions labels, and what paints it again. */
interface Passage {
  readonly repaint: () => void;
  repaints: number;
}

/**
 * The definitions of links and footnotes of one text. A definition may come long after the text that uses it, so
 * passages that mention an unknown label are painted again: one in a step, a few times while the text
 * arrives, and once more at its end.
 */
export class LinkReferences {
  readonly #known: References = Object.create(null);
  /** The same for a parser that is not to add to them. */
  readonly #readOnly: References = new Proxy(this.#known, { set: () => true });
  readonly #waiting = new Map<string, Set<Passage>>();
  readonly #outdated = new Set<Passage>();
  /** Painted again often enough until the text ends. */
  readonly #late = new Set<Passage>();
  #count = 0;
  #ended = false;

  /** Whether the text defined more labels than count. */
  get full(): boolean {
    return this.#count > maxLabels;
  }

  /** Parses text that is final: its definitions count from now on. */
  parseClosed(source: string): readonly Block[] {
    if (this.full) return parse(source, this.#readOnly);
    const found: References = Object.create(this.#known);
    const blocks = parse(source, found);
    for (const [label, definition] of Object.entries(found)) this.#define(label, definition);
    return blocks;
  }

  /** Parses text that may still change: its definitions count in that text only. */
  parseOpen(source: string): readonly Block[] {
    return parse(source, this.#passing(), true);
  }

  /** Parses text that was parsed before, with what has been defined since. */
  parseAgain(source: string): readonly Block[] {
    return parse(source, this.#passing());
  }

  /** Has `repaint` called when a label that `source` mentions, and nobody has defined so far, is defined. */
  whenDefined(source: string, repaint: () => void): void {
    const passage: Passage = { repaint, repaints: 0 };
    for (const [, text] of source.matchAll(/\[([^[\]]{1,999})\]/g)) {
      const label = keyOf(text ?? '');
      if (label in this.#known) continue;
      const waiting = this.#waiting.get(label) ?? new Set();
      this.#waiting.set(label, waiting.add(passage));
    }
  }

  /** No more text will come: what waited for its end is painted again, too. */
  end(): void {
    this.#ended = true;
    for (const passage of this.#late) this.#outdated.add(passage);
    this.#late.clear();
  }

  /** Paints one passage again, if a label it mentions has been defined. Returns whether there are more. */
  repaintNext(): boolean {
    const [passage] = this.#outdated;
    if (!passage) return false;
    this.#outdated.delete(passage);
    if (this.#ended || passage.repaints < maxRepaints) passage.repaint();
    else this.#late.add(passage);
    passage.repaints += 1;
    return this.#outdated.size > 0;
  }

  /** The definitions for a text whose own do not stay. */
  #passing(): References {
    return this.full ? this.#readOnly : Object.create(this.#known);
  }

  #define(label: string, definition: References[string]): void {
    this.#count += 1;
    if (this.full || definition === undefined) return;
    this.#known[label] = definition;
    const waiting = this.#waiting.get(label);
    this.#waiting.delete(label);
    for (const passage of waiting ?? []) this.#outdated.add(passage);
  }
}

/** The name under which the definition of a label is kept, of a link or, as `^1`, of a footnote. */
function keyOf(label: string): string {
  return label.startsWith('^') ? footnoteKey(label.slice(1)) : normalizeLabel(label);
}
