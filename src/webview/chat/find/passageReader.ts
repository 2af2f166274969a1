import { createElement, createTextNodes } from '../../markdown/dom.ts';
import { MarkdownView } from '../../markdown/markdownView.ts';
import type { GrowingText, StreamingTextView } from '../../markdown/streaming/streamingText.ts';
import { createCitationNodes, type ListedPassage, type Passage } from '../turns/reply.ts';
import { getReplyMarkdown } from '../turns/replyMarkdown.ts';
import type { StreamingTurn } from '../turns/streamingTurn.ts';
import { createToolNameNodes, ToolArguments } from '../turns/toolCall.ts';
import { FlatText } from './flatText.ts';

/** A passage with its text as the page shows it, painted or not. */
export interface PassageText {
  readonly passage: Passage;
  readonly text: string;
}

/**
 * The text of a source at its last reading. The source may have grown, or may be shown differently now that it is
 * complete.
 */
interface CachedText {
  readonly length: number;
  readonly isDone: boolean;
  readonly text: string;
}

/** Reads the text of turns. A text is read again only if it has changed. */
export class PassageReader {
  readonly #questions = new WeakMap<StreamingTurn, { readonly source: string; readonly text: string }>();
  readonly #texts = new WeakMap<GrowingText, CachedText>();

  /** Reads all passages of a turn, in display order. Yields after each bounded amount of work. */
  *read(turn: StreamingTurn): Generator<undefined, readonly PassageText[]> {
    const passages: PassageText[] = [{ passage: { kind: 'question' }, text: this.#readQuestion(turn) }];
    const { state, requestsJson = false } = turn.view;
    for (const [choice, reply] of turn.replies.entries()) {
      const reasoning = yield* this.#readMarkdown(reply.reasoning);
      passages.push({ passage: { kind: 'reasoning', choice }, text: reasoning });
      const markdown = getReplyMarkdown(reply.text, requestsJson, state === 'done');
      passages.push({ passage: { kind: 'reply', choice }, text: yield* this.#readMarkdown(markdown) });
      for (const [position, { name, arguments: written }] of reply.toolCalls.entries()) {
        const text = yield* this.#readArguments(written, state === 'done');
        passages.push({
          passage: { kind: 'tool-name', choice, position },
          text: readVisibleText(createToolNameNodes(name)),
        });
        passages.push({ passage: { kind: 'tool-arguments', choice, position }, text });
      }
      for (const [position, citation] of reply.citations.entries()) {
        const text = readVisibleText(createCitationNodes(citation));
        passages.push({ passage: { kind: 'source', choice, position }, text });
        yield;
      }
    }
    return passages;
  }

  #readQuestion(turn: StreamingTurn): string {
    const source = turn.hidesQuestion ? '' : turn.view.question;
    const cached = this.#questions.get(turn);
    if (cached?.source === source) return cached.text;
    const text = readVisibleText(createTextNodes(source));
    this.#questions.set(turn, { source, text });
    return text;
  }

  *#readMarkdown(source: GrowingText): Generator<undefined, string> {
    const root = createElement('div');
    return yield* this.#readPainted(source, true, () => new MarkdownView(root), root);
  }

  *#readArguments(source: GrowingText, isDone: boolean): Generator<undefined, string> {
    const view = new ToolArguments();
    return yield* this.#readPainted(source, isDone, () => view, view.element);
  }

  /** Reads the text of a source as its view paints it into `root`. */
  *#readPainted(
    source: GrowingText,
    isDone: boolean,
    createView: () => StreamingTextView,
    root: Element,
  ): Generator<undefined, string> {
    if (source.length === 0) return '';
    const { length } = source;
    const cached = this.#texts.get(source);
    if (cached?.length === length && cached.isDone === isDone) return cached.text;
    const view = createView();
    view.append(source.readFrom(0));
    if (isDone) view.finish();
    while (view.paint()) yield;
    const { text } = new FlatText(root);
    this.#texts.set(source, { length, isDone, text });
    return text;
  }
}

function readVisibleText(nodes: readonly Node[]): string {
  const box = createElement('div');
  box.append(...nodes);
  return new FlatText(box).text;
}

/** Finds the element of a passage in the element of its turn; undefined if it is not shown. */
export function findPassageElement(turn: Element, passage: Passage): HTMLElement | undefined {
  const selector = createSelector(passage);
  // The question that columns share is above them.
  const shared = passage.kind === 'question' ? turn.closest('.compared') : null;
  return (
    turn.querySelector<HTMLElement>(selector) ?? shared?.querySelector<HTMLElement>(selector) ?? undefined
  );
}

function createSelector(passage: Passage): string {
  if (passage.kind === 'question') return '.question-text';
  const choice = `.reply-choice[data-choice="${passage.choice}"]`;
  if (!('position' in passage)) return `${choice} .${passage.kind}-text`;
  return `${choice} [data-position="${passage.position}"]${listedSelectors[passage.kind]}`;
}

const listedSelectors: Readonly<Record<ListedPassage, string>> = {
  'tool-name': ' .tool-title',
  'tool-arguments': ' code > *',
  source: '.citation',
};
