import { element, textNodes } from '../../markdown/dom.ts';
import type { GrowingText } from '../../markdown/streamingText.ts';
import type { TextView } from '../../markdown/textFeed.ts';
import { MarkdownView } from '../../markdown/view.ts';
import { citationNodes } from '../citation.ts';
import { drawnReply } from '../drawnReply.ts';
import type { StreamingTurn } from '../streamingTurn.ts';
import { ToolArguments } from '../toolArguments.ts';
import { toolName } from '../toolCall.ts';
import { FlatText } from './flatText.ts';

/** A text of a turn that is found in. */
export type Passage =
  | { readonly kind: 'question' }
  | { readonly kind: 'reasoning' | 'reply'; readonly choice: number }
  | { readonly kind: ListedPassage; readonly choice: number; readonly position: number };

/** A text in the lists below a reply. */
export type ListedPassage = 'tool-name' | 'tool-arguments' | 'source';

/** A passage with the words that the page shows of it, whether it is painted or not. */
export interface PassageText {
  readonly passage: Passage;
  readonly text: string;
}

/** What was read of a text that may have grown since, or may be shown otherwise now that it is whole. */
interface Known {
  readonly length: number;
  readonly isDone: boolean;
  readonly text: string;
}

/** Reads what turns show. A text is read again only when it has changed. */
export class PassageReader {
  readonly #questions = new WeakMap<StreamingTurn, { readonly source: string; readonly text: string }>();
  readonly #texts = new WeakMap<GrowingText, Known>();

  /** Reads all passages of a turn, in the order in which they stand. It yields after each bounded amount of work. */
  *read(turn: StreamingTurn): Generator<undefined, readonly PassageText[]> {
    const passages: PassageText[] = [{ passage: { kind: 'question' }, text: this.#question(turn) }];
    const { state, asksForJson = false } = turn.turn;
    for (const [choice, reply] of turn.replies.entries()) {
      const reasoning = yield* this.#markdown(reply.reasoning);
      passages.push({ passage: { kind: 'reasoning', choice }, text: reasoning });
      const drawn = drawnReply(reply.text, asksForJson, state === 'done');
      passages.push({ passage: { kind: 'reply', choice }, text: yield* this.#markdown(drawn) });
      for (const [position, { name, arguments: written }] of reply.toolCalls.entries()) {
        const text = yield* this.#arguments(written, state === 'done');
        passages.push({ passage: { kind: 'tool-name', choice, position }, text: flat(toolName(name)) });
        passages.push({ passage: { kind: 'tool-arguments', choice, position }, text });
      }
      for (const [position, citation] of reply.citations.entries()) {
        const text = flat(citationNodes(citation));
        passages.push({ passage: { kind: 'source', choice, position }, text });
        yield;
      }
    }
    return passages;
  }

  #question(turn: StreamingTurn): string {
    const source = turn.isQuestionElsewhere ? '' : turn.turn.question;
    const known = this.#questions.get(turn);
    if (known?.source === source) return known.text;
    const text = flat(textNodes(source));
    this.#questions.set(turn, { source, text });
    return text;
  }

  *#markdown(source: GrowingText): Generator<undefined, string> {
    const root = element('div');
    return yield* this.#painted(source, true, () => new MarkdownView(root), root);
  }

  *#arguments(source: GrowingText, isDone: boolean): Generator<undefined, string> {
    const view = new ToolArguments();
    return yield* this.#painted(source, isDone, () => view, view.element);
  }

  /** The words of a text as its view paints them into an element. */
  *#painted(
    source: GrowingText,
    isDone: boolean,
    begin: () => TextView,
    root: Element,
  ): Generator<undefined, string> {
    if (source.length === 0) return '';
    const { length } = source;
    const known = this.#texts.get(source);
    if (known?.length === length && known.isDone === isDone) return known.text;
    const view = begin();
    view.append(source.from(0));
    if (isDone) view.finish();
    while (view.paint()) yield;
    const { text } = new FlatText(root);
    this.#texts.set(source, { length, isDone, text });
    return text;
  }
}

function flat(nodes: readonly Node[]): string {
  const box = element('div');
  box.append(...nodes);
  return new FlatText(box).text;
}

/** The element of a passage in the element of its turn; undefined while it is not shown. */
export function passageElement(turn: Element, passage: Passage): HTMLElement | undefined {
  const place = placeOf(passage);
  // The question that columns share stands above them.
  const shared = passage.kind === 'question' ? turn.closest('.compared') : null;
  return turn.querySelector<HTMLElement>(place) ?? shared?.querySelector<HTMLElement>(place) ?? undefined;
}

function placeOf(passage: Passage): string {
  if (passage.kind === 'question') return '.question-text';
  const choice = `.reply-choice[data-choice="${passage.choice}"]`;
  if (!('position' in passage)) return `${choice} .${passage.kind}-text`;
  return `${choice} [data-position="${passage.position}"]${listed[passage.kind]}`;
}

const listed: Readonly<Record<ListedPassage, string>> = {
  'tool-name': ' .tool-title',
  'tool-arguments': ' code > *',
  source: '.citation',
};
