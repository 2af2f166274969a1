import { looksLikeFile } from '../../base/fileReference.ts';
import { t } from '../words/l10n.ts';
import { isLooseList } from './blockBoundaries.ts';
import { CodeBlockView } from './codeBlock.ts';
import { createCodeFrame } from './codeFrame.ts';
import { createTableTools } from './copyTable.ts';
import { createElement, createLimitNotice, createTextNodes } from './dom.ts';
import { InnerFolds } from './folds.ts';
import { createFootnoteFrame, createFootnoteMention } from './footnotes.ts';
import { createFormulaElement } from './formulaElement.ts';
import { type Block, type Token, wideTable } from './markdownParser.ts';
import { getAlertKind, getTaskState } from './syntax/alertAndTaskSyntax.ts';
import { foldClose, foldOpen, foldSummary } from './syntax/foldSyntax.ts';
import { type Limit, maxBlockDepth, maxMarkDepth, maxMarks } from './syntax/markdownLimits.ts';
import { displayMaths, inlineMaths } from './syntax/mathsSyntax.ts';
import {
  createAlertFrame,
  createImageChip,
  createListElement,
  createTaskBox,
  createTokenElement,
  describeDestination,
} from './tokenElements.ts';

/**
 * Builds the elements of one block. HTML is never parsed here: a token becomes text or an element of a fixed list.
 *
 * @param isFinal whether the block cannot change any more: only then its code is highlighted
 */
export function renderBlock(block: Block, isFinal: boolean): HTMLElement {
  const root = createElement('div');
  new TokenRenderer(root, isFinal, block.source).render(block.tokens);
  const element = root.firstElementChild;
  return element instanceof HTMLElement ? element : createElement('p');
}

/** Renders a fold marker as text, because it does not have a meaning at its position. */
export function renderMarkerAsText({ markup }: Token): HTMLElement {
  const text = createElement('p');
  text.append(...createTextNodes(markup));
  return text;
}

/** Returns the element that contains the parts of a list or table. */
export function findPartsElement(element: HTMLElement): Element {
  return element.querySelector(':scope > table > tbody') ?? element;
}

class TokenRenderer {
  readonly #isFinal: boolean;
  readonly #source: string;
  readonly #folds = new InnerFolds();
  #parent: HTMLElement;

  constructor(root: HTMLElement, isFinal: boolean, source: string) {
    this.#parent = root;
    this.#isFinal = isFinal;
    this.#source = source;
  }

  render(tokens: readonly Token[]): void {
    for (let index = 0; index < tokens.length; index += 1) {
      const token = tokens[index];
      if (!token) continue;
      if (isTooDeep(token)) index = this.#appendSource(tokens, index);
      else this.#renderToken(token, tokens, index);
    }
  }

  /** Shows a nested block as it was written. @returns the index of its last token */
  #appendSource(tokens: readonly Token[], index: number): number {
    const opener = tokens[index];
    const [start, end] = opener?.map ?? [0, 0];
    this.#appendPlain(this.#source.split('\n').slice(start, end).join('\n'), 'deep');
    return tokens.findIndex(
      (token, at) => at > index && token.level === opener?.level && token.nesting === -1,
    );
  }

  #appendPlain(text: string, limit: Limit): void {
    const plain = createElement('div', 'plain-text');
    plain.append(createLimitNotice(limit), ...createTextNodes(text));
    this.#parent.append(plain);
  }

  #renderInline(token: Token): void {
    const marks = token.children ?? [];
    const limit = findExceededLimit(marks);
    if (limit === undefined) this.render(marks);
    else this.#parent.append(createLimitNotice(limit), ...createTextNodes(token.content));
  }

  #renderToken(token: Token, tokens: readonly Token[], index: number): void {
    switch (token.type) {
      case 'inline':
        this.#renderInline(token);
        break;
      case wideTable:
        this.#appendPlain(token.content, 'wide');
        break;
      case 'text':
      case 'text_special':
        this.#parent.append(...createTextNodes(token.content));
        break;
      case 'softbreak':
        this.#parent.append('\n');
        break;
      case 'hardbreak':
        this.#parent.append(createElement('br'));
        break;
      case 'hr':
        this.#parent.append(createElement('hr'));
        break;
      case 'code_inline':
        this.#appendInlineCode(token.content);
        break;
      case inlineMaths:
      case displayMaths:
        this.#parent.append(
          createFormulaElement({ source: token.content, isDisplay: token.type === displayMaths }),
        );
        break;
      case 'footnote_mention':
        this.#parent.append(createFootnoteMention(token.content));
        break;
      case 'footnote_open':
        this.#openFootnote(token.content);
        break;
      case 'footnote_close':
        this.#closeElement();
        this.#closeElement();
        break;
      case 'blockquote_open':
        this.#openQuote(token);
        break;
      case 'list_item_open':
        this.#openItem(token);
        break;
      case foldOpen:
      case foldSummary:
      case foldClose:
        this.#handleFoldMarker(token);
        break;
      case 'fence':
      case 'code_block':
        this.#appendCode(token);
        break;
      case 'image':
        this.#parent.append(createImageChip(token));
        break;
      case 'link_close':
        this.#closeLink();
        break;
      case 'table_open':
        this.#openTable();
        break;
      case 'table_close':
        this.#closeTable();
        break;
      case 'bullet_list_open':
      case 'ordered_list_open':
        this.#openElement(createListElement(token, isLooseList(tokens, index)));
        break;
      default:
        if (token.nesting === 1) this.#openElement(createTokenElement(token));
        else this.#closeElement();
    }
  }

  #openElement(child: HTMLElement): void {
    this.#parent.append(child);
    this.#parent = child;
  }

  #openQuote(token: Token): void {
    const kind = getAlertKind(token);
    this.#openElement(kind ? createAlertFrame(kind) : createElement('blockquote'));
  }

  #openItem(token: Token): void {
    const isDone = getTaskState(token);
    this.#openElement(createElement('li', isDone === undefined ? '' : 'task'));
    if (isDone !== undefined) this.#parent.append(createTaskBox(isDone));
  }

  #openFootnote(label: string): void {
    const { frame, body } = createFootnoteFrame(label);
    this.#parent.append(frame);
    this.#parent = body;
  }

  #handleFoldMarker(line: Token): void {
    const container = this.#folds.handleMarker(line, this.#parent);
    if (container) this.#parent = container;
    else this.#parent.append(renderMarkerAsText(line));
  }

  /** Closes the current element. A fold that is still open in it ends there. */
  #closeElement(): void {
    for (let outer = this.#folds.leaveFold(this.#parent); outer; outer = this.#folds.leaveFold(outer)) {
      this.#parent = outer;
    }
    this.#parent = this.#parent.parentElement ?? this.#parent;
  }

  #appendInlineCode(text: string): void {
    const code = createElement('code', this.#isFinal && looksLikeFile(text) ? 'file-mention' : '');
    code.append(...createTextNodes(text));
    this.#parent.append(code);
  }

  #appendCode(token: Token): void {
    if (this.#isFinal) {
      const block = new CodeBlockView(token.info);
      block.append(token.content);
      block.finish();
      this.#parent.append(block.element);
      return;
    }
    const { frame, code } = createCodeFrame(token.info);
    code.append(...createTextNodes(token.content));
    this.#parent.append(frame);
  }

  /** Closes a link, and shows its destination if the text does not contain it. */
  #closeLink(): void {
    const link = this.#parent;
    const destination = describeDestination(link);
    if (destination !== undefined) {
      const host = createElement('span', 'link-host');
      host.append(...createTextNodes(destination));
      link.append(host);
    }
    this.#closeElement();
  }

  /** Opens a table in a box, so that a wide table scrolls. */
  #openTable(): void {
    this.#openElement(
      createElement('div', 'table', { role: 'region', tabindex: '0', 'aria-label': t('Table') }),
    );
    this.#parent.append(createTableTools());
    this.#openElement(createElement('table'));
  }

  /** Closes a table and its box. A table without rows also gets a body, so that rows can be added to it. */
  #closeTable(): void {
    if (!this.#parent.querySelector(':scope > tbody')) this.#parent.append(createElement('tbody'));
    this.#closeElement();
    this.#closeElement();
  }
}

const nestingTypes = new Set(['blockquote_open', 'bullet_list_open', 'ordered_list_open']);

function isTooDeep({ type, level }: Token): boolean {
  return level >= maxBlockDepth && nestingTypes.has(type);
}

function findExceededLimit(marks: readonly Token[]): Limit | undefined {
  if (marks.length > maxMarks) return 'dense';
  return measureDepth(marks) > maxMarkDepth ? 'deep' : undefined;
}

function measureDepth(marks: readonly Token[]): number {
  let depth = 0;
  let deepest = 0;
  for (const { nesting } of marks) {
    depth += nesting;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
