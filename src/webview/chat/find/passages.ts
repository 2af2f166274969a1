import { element, textNodes } from '../../markdown/dom.ts';
import type { GrowingText } from '../../markdown/streamingText.ts';
import { MarkdownView } from '../../markdown/view.ts';
import { drawnReply } from '../drawnReply.ts';
import type { StreamingTurn } from '../streamingTurn.ts';
import { FlatText } from './flatText.ts';

/** A text of a turn that is found in. */
export type Passage =
  | { readonly kind: 'question' }
  | { readonly kind: 'reasoning' | 'reply'; readonly choice: number };

/** A passage with the words that the page shows of it, whether it is painted or not. */
export interface PassageText {
  readonly passage: Passage;
  readonly text: string;
}

/** What was read of a text that may have grown since. */
interface Known {
  readonly length: number;
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
    }
    return passages;
  }

  #question(turn: StreamingTurn): string {
    const source = turn.isQuestionElsewhere ? '' : turn.turn.question;
    const known = this.#questions.get(turn);
    if (known?.source === source) return known.text;
    const box = element('div');
    box.append(...textNodes(source));
    const { text } = new FlatText(box);
    this.#questions.set(turn, { source, text });
    return text;
  }

  *#markdown(source: GrowingText): Generator<undefined, string> {
    if (source.length === 0) return '';
    const { length } = source;
    const known = this.#texts.get(source);
    if (known?.length === length) return known.text;
    const root = element('div');
    const view = new MarkdownView(root);
    view.append(source.from(0));
    view.finish();
    while (view.paint()) yield;
    const { text } = new FlatText(root);
    this.#texts.set(source, { length, text });
    return text;
  }
}

/** The element of a passage in the element of its turn; undefined while it is not shown. */
export function passageElement(turn: Element, passage: Passage): HTMLElement | undefined {
  const place =
    passage.kind === 'question'
      ? '.question-text'
      : `.reply-choice[data-choice="${passage.choice}"] .${passage.kind}-text`;
  // The question that columns share stands above them.
  const shared = passage.kind === 'question' ? turn.closest('.compared') : null;
  return turn.querySelector<HTMLElement>(place) ?? shared?.querySelector<HTMLElement>(place) ?? undefined;
}
