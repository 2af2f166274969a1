import { isFoldMarker } from './blockBoundaries.ts';
import { BlockSplitter, type ClosedPart } from './blockSplitter.ts';
import { CodeBlockView } from './codeBlock.ts';
import { createElement, createLimitNotice } from './dom.ts';
import { Folds } from './folds.ts';
import { numberFootnotes } from './footnotes.ts';
import { LinkReferences } from './linkReferences.ts';
import type { Block, Token } from './markdownParser.ts';
import { patchAfter, replaceNode } from './patchNodes.ts';
import { PlainTextView } from './plainTextView.ts';
import { findPartsElement, renderBlock, renderMarkerAsText } from './renderBlock.ts';
import { listFurtherParts, type StreamingBlock, StreamingCode, StreamingParts } from './streamingBlock.ts';
import { maxTokens } from './syntax/markdownLimits.ts';
import { displayMaths, inlineMaths } from './syntax/mathsSyntax.ts';

type ClosedBlocks = Extract<ClosedPart, { kind: 'blocks' }>;

/** The number of blocks in a section. The browser does not lay out or paint a finished section outside the viewport. */
const blocksPerSection = 24;

/**
 * Shows a Markdown text that arrives piece by piece. Closed parts are painted once; only the open end is parsed
 * and painted again.
 */
export class MarkdownView {
  readonly #root: HTMLElement;
  readonly #splitter = new BlockSplitter();
  readonly #references = new LinkReferences();
  readonly #folds = new Folds();
  #section: HTMLElement;
  /** The last closed block of the section. The open end follows it. */
  #lastClosed: Node | null = null;
  /** The last block, if further parts of it may arrive. */
  #streaming: StreamingBlock | undefined;
  /** The last block, if it is too long to be formatted. */
  #plain: PlainTextView | undefined;
  /** The rest of the text as plain text, when there is too much to format. */
  #rest: PlainTextView | undefined;
  #tokenCount = 0;
  #hasLabelNotice = false;
  /** Whether all text has been appended. */
  #isFinished = false;
  /** Whether the splitter has closed all text. */
  #hasEnded = false;
  /** The open text that is painted. */
  #paintedSource: string | undefined;

  constructor(root: HTMLElement) {
    this.#root = root;
    this.#section = this.#addSection();
  }

  append(text: string): void {
    if (this.#rest) this.#rest.append(text);
    else this.#splitter.push(text);
  }

  /** Called when the text is complete. */
  finish(): void {
    this.#isFinished = true;
  }

  /**
   * Paints a bounded amount.
   *
   * @returns whether there is more to paint
   */
  paint(): boolean {
    let hasMore = !this.#rest && this.#paintBlocks();
    // Painting blocks may have stopped the formatting.
    if (this.#rest) hasMore = this.#rest.paint();
    if (this.#isFinished && !hasMore) numberFootnotes(this.#root);
    return hasMore;
  }

  #paintBlocks(): boolean {
    for (const part of this.#splitter.step()) this.#paintClosed(part);
    if (this.#splitter.hasPending) return true;
    if (this.#isFinished) this.#endText();
    else this.#paintOpen();
    return this.#references.repaintNext();
  }

  #endText(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const part of this.#splitter.end()) this.#paintClosed(part);
    this.#references.finish();
  }

  #paintOpen(): void {
    const openText = this.#splitter.openText;
    if (!openText || openText.source === this.#paintedSource) return;
    this.#paintedSource = openText.source;
    const blocks = this.#references.parseOpen(openText.source);
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

  #paintClosed(part: ClosedPart): void {
    this.#paintedSource = undefined;
    if (this.#rest) this.#rest.append(readText(part));
    else if (part.kind === 'plain') this.#paintClosedText(part.text, part.isLast);
    else this.#paintClosedBlocks(part);
    if (this.#tokenCount > maxTokens) this.#stopFormatting();
    if (this.#references.isFull) this.#showLabelLimit();
    // Counting all blocks would take long: a section within a fold may contain many.
    const isFull = this.#section.children.item(blocksPerSection - 1) !== null;
    if (isFull && !this.#streaming && !this.#plain && this.#folds.isEmpty) this.#section = this.#addSection();
  }

  #stopFormatting(): void {
    if (this.#rest) return;
    this.#endStreaming();
    this.#plain = undefined;
    this.#rest = new PlainTextView();
    this.#insertNodes([createLimitNotice('tokens'), this.#rest.element]);
    this.#rest.append(this.#splitter.removeRest());
  }

  #showLabelLimit(): void {
    if (this.#hasLabelNotice || this.#streaming || this.#plain || this.#rest) return;
    this.#hasLabelNotice = true;
    this.#insertNodes([createLimitNotice('labels')]);
  }

  #paintClosedText(text: string, isLast: boolean): void {
    if (!this.#plain) {
      this.#endStreaming();
      this.#plain = new PlainTextView();
      this.#insertNodes([createLimitNotice('long'), this.#plain.element]);
    }
    this.#plain.append(text);
    while (this.#plain.paint());
    if (isLast) this.#plain = undefined;
  }

  #paintClosedBlocks(part: ClosedBlocks): void {
    const blocks = this.#references.parseClosed(part.source);
    for (const { tokens } of blocks) this.#tokenCount += countTokens(tokens);
    const nodes = this.#streaming
      ? this.#extendStreaming(this.#streaming, part, blocks)
      : this.#insertClosed(part, blocks);
    if (!part.source.includes('[')) return;
    this.#references.repaintWhenDefined(part.source, () => this.#repaint(part, nodes));
  }

  /** Adds parts to the streaming block, then the blocks that follow it. */
  #extendStreaming(streaming: StreamingBlock, part: ClosedBlocks, blocks: readonly Block[]): readonly Node[] {
    const [first, ...rest] = blocks;
    const isLoose = part.isLoose && rest.length === 0;
    const parts = first ? streaming.extend(first, isLoose) : [];
    this.#lastClosed = streaming.element;
    if (rest.length === 0 && part.openContainer) {
      this.#insertNodes([]);
      return parts;
    }
    this.#endStreaming();
    return [...parts, ...this.#insertClosed(part, rest)];
  }

  #endStreaming(): void {
    this.#streaming?.finish();
    this.#streaming = undefined;
  }

  /** Returns the nodes of the blocks. Folds are omitted, because they are not painted again. */
  #insertClosed(part: ClosedBlocks, blocks: readonly Block[]): readonly Node[] {
    const marker = blocks.find((block) => isFoldMarker(block) && this.#folds.accepts(block));
    if (marker) {
      const index = blocks.indexOf(marker);
      const before = this.#insertUnfolded(blocks.slice(0, index));
      this.#insertFold(marker);
      return [...before, ...this.#insertClosed(part, blocks.slice(index + 1))];
    }
    const last = blocks.at(-1);
    if (part.openContainer?.kind === 'fence' && last) {
      const before = this.#insertUnfolded(blocks.slice(0, -1));
      const code = new CodeBlockView(last.opener.info);
      code.append(last.opener.content);
      this.#insertNodes([code.element]);
      this.#streaming = new StreamingCode(code);
      return before;
    }
    const inserted = this.#insertUnfolded(blocks);
    const growingBlock = inserted.at(-1);
    if (!part.openContainer || !(growingBlock instanceof HTMLElement)) return inserted;
    this.#streaming = new StreamingParts(growingBlock, part.isLoose);
    return [...inserted.slice(0, -1), ...listInitialParts(growingBlock)];
  }

  /** Handles a fold marker. The text continues inside or after its fold. */
  #insertFold(marker: Block): void {
    const position = this.#folds.handleMarker(marker, this.#section, (block) => this.#insertNodes([block]));
    if (!position) return;
    this.#section = position.section;
    this.#lastClosed = position.last;
  }

  /**
   * Inserts blocks. Fold markers among them do not have a meaning, and are shown as text.
   *
   * @returns the nodes of the other blocks
   */
  #insertUnfolded(blocks: readonly Block[]): readonly Node[] {
    const isText = blocks.map(isFoldMarker);
    const renderedBlocks = blocks.map((block) =>
      isFoldMarker(block) ? renderMarkerAsText(block.opener) : renderBlock(block, true),
    );
    return this.#insertNodes(renderedBlocks).filter((_, index) => !isText[index]);
  }

  #insertNodes(nodes: readonly Node[]): readonly Node[] {
    const inserted = patchAfter(this.#section, this.#lastClosed, nodes);
    this.#lastClosed = inserted.at(-1) ?? this.#lastClosed;
    return inserted;
  }

  /** Paints a passage again, because a link label that it uses was defined after it. */
  #repaint(part: ClosedBlocks, shownNodes: readonly Node[]): void {
    const [first, ...others] = this.#references
      .parseAgain(part.source)
      .filter((block) => !isFoldMarker(block))
      .map((block) => renderBlock(block, true));
    if (!first) return;
    // The lines of code are not separate nodes, and do not use labels.
    const further =
      part.continuedContainer && part.continuedContainer.kind !== 'fence' ? listFurtherParts(first) : [];
    const blocks = part.continuedContainer ? others : [first, ...others];
    const growingBlock = part.openContainer && blocks.at(-1);
    const newNodes = growingBlock
      ? [...further, ...blocks.slice(0, -1), ...listInitialParts(growingBlock)]
      : [...further, ...blocks];
    for (const [index, node] of shownNodes.entries()) {
      const replacement = newNodes[index];
      if (replacement) replaceNode(node, replacement);
    }
  }

  #addSection(): HTMLElement {
    this.#lastClosed = null;
    return this.#root.appendChild(createElement('div', 'section'));
  }
}

/** Returns the source text of a closed part, without the prefix of a continued block. */
function readText(part: ClosedPart): string {
  if (part.kind === 'plain') return part.text;
  return part.source.slice(part.continuedContainer?.prefix.length ?? 0);
}

function countTokens(tokens: readonly Token[]): number {
  return tokens.reduce((count, token) => count + measureToken(token) + countTokens(token.children ?? []), 0);
}

/** Counts a token. A formula counts with its length, because it becomes about as many elements. */
function measureToken({ type, content }: Token): number {
  return type === inlineMaths || type === displayMaths ? 1 + content.length : 1;
}

/** Returns the parts of a streaming block when it is first inserted. */
function listInitialParts(renderedBlock: HTMLElement): readonly Node[] {
  return [
    ...renderedBlock.querySelectorAll(':scope > table > thead'),
    ...findPartsElement(renderedBlock).children,
  ];
}
