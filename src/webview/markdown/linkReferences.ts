import { type Block, normalizeLabel, parse, type References } from './markdownParser.ts';
import { createFootnoteKey } from './syntax/footnoteSyntax.ts';
import { maxLabels } from './syntax/markdownLimits.ts';

/** The maximum number of times that a passage is painted again before the text is complete. */
const maxRepaints = 4;

/** A passage that uses labels, and the function that paints it again. */
interface Passage {
  readonly repaint: () => void;
  repaints: number;
}

/**
 * The definitions of links and footnotes of one text. A definition may arrive long after the text that uses it, so
 * passages that use an unknown label are painted again: one in a step, a few times while the text arrives, and
 * once more at its end.
 */
export class LinkReferences {
  readonly #definitions: References = Object.create(null);
  /** The same definitions for a parser that must not add to them. */
  readonly #readOnlyDefinitions: References = new Proxy(this.#definitions, { set: () => true });
  /** The passages that use an undefined label, by the key of its definition. */
  readonly #waitingPassages = new Map<string, Set<Passage>>();
  /** The passages whose labels were defined after they were painted. */
  readonly #outdatedPassages = new Set<Passage>();
  /** Passages that reached the limit of repaints and wait for the end of the text. */
  readonly #deferredPassages = new Set<Passage>();
  #labelCount = 0;
  #hasEnded = false;

  /** Whether the text defined more labels than the limit. */
  get isFull(): boolean {
    return this.#labelCount > maxLabels;
  }

  /** Parses text that is final, and adds its definitions. */
  parseClosed(source: string): readonly Block[] {
    if (this.isFull) return parse(source, this.#readOnlyDefinitions);
    const definitions: References = Object.create(this.#definitions);
    const blocks = parse(source, definitions);
    for (const [label, definition] of Object.entries(definitions)) this.#define(label, definition);
    return blocks;
  }

  /** Parses text that may still change: its definitions apply only to that text. */
  parseOpen(source: string): readonly Block[] {
    return parse(source, this.#createTemporaryDefinitions(), true);
  }

  /** Parses text again, with the definitions that have arrived since. */
  parseAgain(source: string): readonly Block[] {
    return parse(source, this.#createTemporaryDefinitions());
  }

  /** Calls `repaint` when a label that `source` uses, and that is still undefined, gets a definition. */
  repaintWhenDefined(source: string, repaint: () => void): void {
    const passage: Passage = { repaint, repaints: 0 };
    for (const [, text] of source.matchAll(/\[([^[\]]{1,999})\]/g)) {
      const label = createDefinitionKey(text ?? '');
      if (label in this.#definitions) continue;
      const passages = this.#waitingPassages.get(label) ?? new Set();
      this.#waitingPassages.set(label, passages.add(passage));
    }
  }

  /** Called when the text is complete. Passages that wait for its end are then also painted again. */
  finish(): void {
    this.#hasEnded = true;
    for (const passage of this.#deferredPassages) this.#outdatedPassages.add(passage);
    this.#deferredPassages.clear();
  }

  /** Paints one outdated passage again. Returns whether there are more. */
  repaintNext(): boolean {
    const [passage] = this.#outdatedPassages;
    if (!passage) return false;
    this.#outdatedPassages.delete(passage);
    if (this.#hasEnded || passage.repaints < maxRepaints) passage.repaint();
    else this.#deferredPassages.add(passage);
    passage.repaints += 1;
    return this.#outdatedPassages.size > 0;
  }

  /** Creates definitions for a text whose own definitions are discarded. */
  #createTemporaryDefinitions(): References {
    return this.isFull ? this.#readOnlyDefinitions : Object.create(this.#definitions);
  }

  #define(label: string, definition: References[string]): void {
    this.#labelCount += 1;
    if (this.isFull || definition === undefined) return;
    this.#definitions[label] = definition;
    const passages = this.#waitingPassages.get(label);
    this.#waitingPassages.delete(label);
    for (const passage of passages ?? []) this.#outdatedPassages.add(passage);
  }
}

/** Creates the key of a label's definition. A label such as `^1` belongs to a footnote, any other to a link. */
function createDefinitionKey(label: string): string {
  return label.startsWith('^') ? createFootnoteKey(label.slice(1)) : normalizeLabel(label);
}
