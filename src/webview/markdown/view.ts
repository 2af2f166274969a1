import { BlockSplitter, type Closed } from './blocks.ts';
import { isFoldMarker } from './boundaries.ts';
import { CodeBlock } from './codeBlock.ts';
import { element, limitNotice, textNodes } from './dom.ts';
import { Folds } from './folds.ts';
import { numberFootnotes } from './footnotes.ts';
import { LinkReferences } from './linkReferences.ts';
import type { Block, Token } from './parser.ts';
import { patchAfter, replaceNode } from './patch.ts';
import { PlainText } from './plainText.ts';
import { partsOf, renderBlock } from './render.ts';
import { furtherParts, type StreamingBlock, StreamingCode, StreamingParts } from './streamingBlock.ts';
import { maxTokens } from './syntax/limits.ts';
import { displayMaths, inlineMaths } from './syntax/maths.ts';

type ClosedBlocks = Extract<Closed, { kind: 'blocks' }>;

/** Blocks that share a section. A section that is finished and out of sight costs nothing. */
const blocksPerSection = 24;

/**
 * Shows a Markdown text that arrives piece by piece. What is closed is painted once; only the open end is
 * parsed and painted again.
 */
export class MarkdownView {
  readonly #root: HTMLElement;
  readonly #splitter = new BlockSplitter();
  readonly #references = new LinkReferences();
  readonly #folds = new Folds();
  #section: HTMLElement;
  /** The last block of the section that is closed. What stands after it is the open end. */
  #lastClosed: Node | null = null;
  #streaming: StreamingBlock | undefined;
  #plain: PlainText | undefined;
  /** All that follows, once there is too much to format. */
  #rest: PlainText | undefined;
  #tokens = 0;
  #saidLabels = false;
  #finished = false;
  #ended = false;
  #painted: string | undefined;

  constructor(root: HTMLElement) {
    this.#root = root;
    this.#section = this.#addSection();
  }

  append(text: string): void {
    if (this.#rest) this.#rest.append(text);
    else this.#splitter.push(text);
  }

  /** No more text will come. */
  finish(): void {
    this.#finished = true;
  }

  /**
   * Paints a bounded amount.
   *
   * @returns whether there is more to paint
   */
  paint(): boolean {
    const hasMoreBlocks = this.#rest ? false : this.#paintBlocks();
    const hasMore = this.#rest ? this.#rest.paint() : hasMoreBlocks;
    if (this.#finished && !hasMore) numberFootnotes(this.#root);
    return hasMore;
  }

  #paintBlocks(): boolean {
    for (const closed of this.#splitter.step()) this.#close(closed);
    if (this.#splitter.pending) return true;
    if (this.#finished) this.#end();
    else this.#paintOpen();
    return this.#references.repaintNext();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const closed of this.#splitter.end()) this.#close(closed);
    this.#references.end();
  }

  #paintOpen(): void {
    const open = this.#splitter.open;
    if (!open || open.source === this.#painted) return;
    this.#painted = open.source;
    const blocks = this.#references.parseOpen(open.source);
    const [first] = blocks;
    if (this.#streaming && first) this.#streaming.paintOpen(first);
    const rest = this.#streaming ? blocks.slice(1) : blocks;
    if (this.#streaming) this.#lastClosed = this.#streaming.element;
    patchAfter(
      this.#section,
      this.#lastClosed,
      rest.map((block) => renderBlock(block, false)),
    );
  }

  #close(closed: Closed): void {
    this.#painted = undefined;
    if (this.#rest) this.#rest.append(textOf(closed));
    else if (closed.kind === 'plain') this.#closePlain(closed.text, closed.ends);
    else this.#closeBlocks(closed);
    if (this.#tokens > maxTokens) this.#stopFormatting();
    if (this.#references.full) this.#sayLabels();
    // Does not count them all: a section within a fold may hold many.
    const isFull = this.#section.children.item(blocksPerSection - 1) !== null;
    if (isFull && !this.#streaming && !this.#plain && this.#folds.isEmpty) this.#section = this.#addSection();
  }

  #stopFormatting(): void {
    if (this.#rest) return;
    this.#endStreaming();
    this.#plain = undefined;
    this.#rest = new PlainText();
    this.#placeBlocks([limitNotice('tokens'), this.#rest.element]);
    this.#rest.append(this.#splitter.rest());
  }

  #sayLabels(): void {
    if (this.#saidLabels || this.#streaming || this.#plain || this.#rest) return;
    this.#saidLabels = true;
    this.#placeBlocks([limitNotice('labels')]);
  }

  #closePlain(text: string, ends: boolean): void {
    if (!this.#plain) {
      this.#endStreaming();
      this.#plain = new PlainText();
      this.#placeBlocks([limitNotice('long'), this.#plain.element]);
    }
    this.#plain.append(text);
    while (this.#plain.paint());
    if (ends) this.#plain = undefined;
  }

  #closeBlocks(closed: ClosedBlocks): void {
    const blocks = this.#references.parseClosed(closed.source);
    for (const { tokens } of blocks) this.#tokens += countTokens(tokens);
    const shown = this.#streaming
      ? this.#extend(this.#streaming, closed, blocks)
      : this.#place(closed, blocks);
    if (!closed.source.includes('[')) return;
    this.#references.whenDefined(closed.source, () => this.#repaint(closed, shown));
  }

  /** Adds parts to the block that grows, and the blocks that follow it. */
  #extend(streaming: StreamingBlock, closed: ClosedBlocks, blocks: readonly Block[]): readonly Node[] {
    const [first, ...rest] = blocks;
    const loose = closed.loose && rest.length === 0;
    const parts = first ? streaming.extend(first, loose) : [];
    this.#lastClosed = streaming.element;
    if (rest.length === 0 && closed.remains) {
      this.#placeBlocks([]);
      return parts;
    }
    this.#endStreaming();
    return [...parts, ...this.#place(closed, rest)];
  }

  #endStreaming(): void {
    this.#streaming?.finish();
    this.#streaming = undefined;
  }

  /** Returns the nodes that show the blocks, without those of folds, which stay as they are. */
  #place(closed: ClosedBlocks, blocks: readonly Block[]): readonly Node[] {
    const marker = blocks.findIndex((block) => isFoldMarker(block) && this.#folds.knows(block));
    if (marker !== -1) {
      const before = this.#placeWhole(blocks.slice(0, marker));
      for (const block of blocks.slice(marker, marker + 1)) this.#placeFold(block);
      return [...before, ...this.#place(closed, blocks.slice(marker + 1))];
    }
    const last = blocks.at(-1);
    if (closed.remains?.kind === 'fence' && last) {
      const before = this.#placeWhole(blocks.slice(0, -1));
      const code = new CodeBlock(last.opener.info);
      code.append(last.opener.content);
      this.#placeBlocks([code.element]);
      this.#streaming = new StreamingCode(code);
      return before;
    }
    const placed = this.#placeWhole(blocks);
    const grows = placed.at(-1);
    if (!closed.remains || !(grows instanceof HTMLElement)) return placed;
    this.#streaming = new StreamingParts(grows, closed.loose);
    return [...placed.slice(0, -1), ...ownParts(grows)];
  }

  /** Goes on inside or after a fold. */
  #placeFold(marker: Block): void {
    const place = this.#folds.follow(marker, this.#section, (block) => this.#placeBlocks([block]));
    if (!place) return;
    this.#section = place.section;
    this.#lastClosed = place.last;
  }

  /** A line about a fold is text here, as it means nothing. */
  #placeWhole(blocks: readonly Block[]): readonly Node[] {
    const isText = blocks.map(isFoldMarker);
    const built = blocks.map((block) => (isFoldMarker(block) ? asWritten(block) : renderBlock(block, true)));
    return this.#placeBlocks(built).filter((_, at) => !isText[at]);
  }

  #placeBlocks(nodes: readonly Node[]): readonly Node[] {
    const placed = patchAfter(this.#section, this.#lastClosed, nodes);
    this.#lastClosed = placed.at(-1) ?? this.#lastClosed;
    return placed;
  }

  /** A link label that the passage uses has been defined after it. */
  #repaint(closed: ClosedBlocks, shown: readonly Node[]): void {
    const [first, ...others] = this.#references
      .parseAgain(closed.source)
      .filter((block) => !isFoldMarker(block))
      .map((block) => renderBlock(block, true));
    if (!first) return;
    // The lines of code are no nodes of their own, and none of them names a label.
    const further = closed.continues && closed.continues.kind !== 'fence' ? furtherParts(first) : [];
    const blocks = closed.continues ? others : [first, ...others];
    const grows = closed.remains && blocks.at(-1);
    const fresh = grows ? [...further, ...blocks.slice(0, -1), ...ownParts(grows)] : [...further, ...blocks];
    for (const [index, node] of shown.entries()) {
      const replacement = fresh[index];
      if (replacement) replaceNode(node, replacement);
    }
  }

  #addSection(): HTMLElement {
    this.#lastClosed = null;
    return this.#root.appendChild(element('div', 'section'));
  }
}

function asWritten({ opener }: Block): HTMLElement {
  const text = element('p');
  text.append(...textNodes(opener.markup));
  return text;
}

/** A closed part as it was written: what continues a block is told without what stands for its beginning. */
function textOf(closed: Closed): string {
  if (closed.kind === 'plain') return closed.text;
  return closed.source.slice(closed.continues?.prefix.length ?? 0);
}

function countTokens(tokens: readonly Token[]): number {
  return tokens.reduce((count, token) => count + weightOf(token) + countTokens(token.children ?? []), 0);
}

/** A formula becomes about as many elements as it has characters. */
function weightOf({ type, content }: Token): number {
  return type === inlineMaths || type === displayMaths ? 1 + content.length : 1;
}

/** What a streaming block consists of when it is first placed. */
function ownParts(rendered: HTMLElement): readonly Node[] {
  return [...rendered.querySelectorAll(':scope > table > thead'), ...partsOf(rendered).children];
}
