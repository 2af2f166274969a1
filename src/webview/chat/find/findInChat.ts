import { html, nothing, type TemplateResult } from 'lit';
import type { ToChatPage } from '../../../protocol/chatPage.ts';
import type { LightElement } from '../../parts/lightElement.ts';
import type { Follower } from '../follower.ts';
import type { ShownPath } from '../shownPath.ts';
import { nextFrame } from '../turnList.ts';
import { ChatMatches, type FoundMatch, maxMatches, type Start } from './chatMatches.ts';
import { type FindStep, FindWidget } from './findWidget.ts';
import { markMatches, rangeIn, unmarkMatches } from './highlights.ts';
import type { FindOptions, FindQuery } from './pattern.ts';

interface ChatView {
  readonly turns: ShownPath;
  /** Undefined until the page is there. */
  readonly scroller: () => HTMLElement | null;
  readonly follower: () => Follower | undefined;
  /** How a text was looked for last in this page. */
  readonly options: () => FindOptions | undefined;
  readonly remember: (options: FindOptions) => void;
}

/** So many frames may pass until a match is painted and stays where it is. */
const framesToPaint = 90;

/** For so many frames a match has to stay in place. */
const framesInPlace = 3;

/** The time between two searches while a reply arrives, in milliseconds, and as a multiple of what one takes. */
const minRefreshMs = 300;
const refreshShare = 20;

/** Finds in all turns of the chat, as VS Code does in editors. */
export class FindInChat {
  readonly #page: LightElement;
  readonly #view: ChatView;
  readonly #found = new ChatMatches();
  #current: FoundMatch | undefined;
  #isOpen = false;
  /** What was looked for when the widget was closed. */
  #last: FindQuery | undefined;
  /** What had the focus last, beside the widget. VS Code takes the focus away for a moment when it shows a page. */
  #before: EventTarget | null = document.body;
  /** Grows with each match that is gone to. */
  #visits = 0;
  #refresh: ReturnType<typeof setTimeout> | undefined;
  #refreshMs = minRefreshMs;
  #isMarking = false;

  constructor(page: LightElement, view: ChatView) {
    this.#page = page;
    this.#view = view;
    page.addEventListener('focusin', ({ target }) => {
      if (!this.#isInWidget(target)) this.#before = target;
    });
    page.addEventListener('painted', () => this.#markSoon());
    page.addEventListener('scroll', () => this.#markSoon(), { capture: true, passive: true });
  }

  render(): TemplateResult | typeof nothing {
    if (!this.#isOpen) return nothing;
    return html`
      <mg-find
        @find-changed=${() => void this.#findAgain()}
        @find-step=${({ detail }: CustomEvent<FindStep>) => this.#step(detail)}
      ></mg-find>
    `;
  }

  /** Opens the widget with what is selected in the turns, or puts the focus into it. */
  async open(): Promise<void> {
    const selected = this.#selectedLine();
    this.#isOpen = true;
    this.#page.requestUpdate();
    await this.#page.updateComplete;
    await this.#widget?.begin(selected, this.#last ?? this.#view.options() ?? {});
  }

  /** @returns whether it was open */
  close(): boolean {
    if (!this.#isOpen) return false;
    this.#isOpen = false;
    this.#found.stop();
    clearTimeout(this.#refresh);
    unmarkMatches();
    this.#last = this.#widget?.query;
    // A box to write in takes the selection along with the focus.
    if (this.#before instanceof HTMLElement) this.#before.focus({ preventScroll: true });
    if (this.#before === document.body || this.#isInTurns(this.#before)) this.#select();
    this.#page.requestUpdate();
    return true;
  }

  /** Looks again, because turns have changed. */
  refresh(): void {
    if (!this.#isOpen || this.#refresh !== undefined) return;
    this.#refresh = setTimeout(async () => {
      const begun = performance.now();
      await this.#look(this.#current && startAt(this.#current), false);
      this.#refreshMs = Math.max(minRefreshMs, refreshShare * (performance.now() - begun));
      this.#refresh = undefined;
    }, this.#refreshMs);
  }

  /** Follows a key of the page. @returns whether it was for this */
  takesKey(event: KeyboardEvent): boolean {
    const { key, metaKey, shiftKey, target } = event;
    if (event.isComposing || (!this.#isOpen && !this.#last)) return false;
    const isInside = target === document.body || this.#isInTurns(target) || this.#isInWidget(target);
    if (key === 'Escape' && isInside && this.#isOpen) this.close();
    else if (key === 'F3' || (metaKey && key.toLowerCase() === 'g'))
      this.#step(shiftKey ? 'previous' : 'next');
    else return false;
    event.preventDefault();
    return true;
  }

  #step(step: FindStep): void {
    if (step === 'close') return void this.close();
    if (!this.#isOpen) return void this.open();
    const next = this.#current
      ? this.#found.beside(this.#current, step === 'next' ? 1 : -1)
      : this.#found.from(this.#startOnScreen());
    if (next) this.#goTo(next);
  }

  /** Begins where the reader is. */
  #findAgain(): Promise<void> {
    const start = this.#current ? startAt(this.#current) : this.#startOnScreen();
    this.#current = undefined;
    if (this.#widget) this.#view.remember(optionsOf(this.#widget.query));
    return this.#look(start, true);
  }

  /** @param isToGo whether to go to the first match */
  async #look(start: Start | undefined, isToGo: boolean): Promise<void> {
    const widget = this.#widget;
    if (!widget) return;
    let goes = isToGo;
    if (!goes) this.#current = undefined;
    await this.#found.find(widget.query, this.#view.turns.all, start?.turn, () => {
      const first = this.#current ?? this.#found.from(start);
      if (first && goes) this.#goTo(first);
      else this.#current = first;
      if (first) goes = false;
      this.#tell();
    });
  }

  #tell(): void {
    const { count, isWhole, fault } = this.#found;
    const position = this.#current && isWhole ? this.#found.positionOf(this.#current) : undefined;
    if (this.#widget)
      this.#widget.figures = { count, position, isWhole, isLimited: count >= maxMatches, fault };
    this.#markSoon();
  }

  #goTo(found: FoundMatch): void {
    this.#current = found;
    this.#tell();
    void this.#reveal(found);
  }

  /** Unfolds what the match stands in, and scrolls to it as soon as it is painted. */
  async #reveal(found: FoundMatch): Promise<void> {
    this.#visits += 1;
    const visit = this.#visits;
    const { turns } = this.#view;
    const [scroller, follower] = [this.#view.scroller(), this.#view.follower()];
    if (!scroller || !follower) return;
    follower.hold();
    const element = await turns.reveal(found.turn.turn.id);
    const text = this.#found.in(found.turn)[found.nthPassage]?.text ?? '';
    element?.reveal(found.passage);
    let inPlace = 0;
    for (let frame = 0; element && frame < framesToPaint && inPlace < framesInPlace; frame += 1) {
      if (visit !== this.#visits || !follower.isHeld) return;
      const range = rangeIn(element, found, text);
      if (range) inPlace = scrolledTo(range, scroller) ? 0 : inPlace + 1;
      await nextFrame();
    }
    follower.release();
    this.#markSoon();
  }

  /** Marks what is on the screen, in the next frame. */
  #markSoon(): void {
    if (!this.#isOpen || this.#isMarking) return;
    this.#isMarking = true;
    requestAnimationFrame(() => {
      this.#isMarking = false;
      const scroller = this.#view.scroller();
      if (!this.#isOpen || !scroller) return;
      const { top, bottom } = scroller.getBoundingClientRect();
      markMatches(this.#view.turns.between(top, bottom), this.#found, this.#current);
    });
  }

  #startOnScreen(): Start | undefined {
    const { turns } = this.#view;
    const top = this.#view.scroller()?.getBoundingClientRect().top ?? 0;
    const id = turns.placeAt(top)?.turnId;
    const turn = turns.all.find(({ turn: { id: each } }) => each === id);
    return turn && { turn, nthPassage: 0, begin: 0 };
  }

  /** What is selected in the turns, when it is within a line. */
  #selectedLine(): string {
    const selection = document.getSelection();
    const text = selection && this.#isInTurns(selection.anchorNode) ? selection.toString() : '';
    return text.includes('\n') ? '' : text;
  }

  /** Selects the match that the reader is at, to copy it or to go on from it. */
  #select(): void {
    const found = this.#current;
    const element = found && this.#view.turns.elementOf(found.turn);
    const text = found && this.#found.in(found.turn)[found.nthPassage]?.text;
    const range = element && rangeIn(element, found, text ?? '');
    if (range)
      document
        .getSelection()
        ?.setBaseAndExtent(
          ...([range.startContainer, range.startOffset, range.endContainer, range.endOffset] as const),
        );
  }

  #isInTurns(target: EventTarget | null): boolean {
    return target instanceof Node && this.#view.scroller()?.contains(target) === true;
  }

  #isInWidget(target: EventTarget | null): boolean {
    return target instanceof Node && this.#widget?.contains(target) === true;
  }

  get #widget(): FindWidget | undefined {
    const widget = this.#page.querySelector('mg-find');
    return widget instanceof FindWidget ? widget : undefined;
  }
}

/** Whether a message may change what is found. */
export function changesTurns(message: ToChatPage): boolean {
  if (message.type !== 'state' || !message.isPatch) return ['state', 'delta'].includes(message.type);
  const { earlier, path, changed } = message.state;
  return [earlier, path, changed].some((turns) => turns !== undefined);
}

function optionsOf({ text: _text, ...options }: FindQuery): FindOptions {
  return options;
}

function startAt({ turn, nthPassage, match: [begin] }: FoundMatch): Start {
  return { turn, nthPassage, begin };
}

/** Unfolds what a match stands in, and brings it into view. @returns whether anything moved */
function scrolledTo(range: Range, scroller: HTMLElement): boolean {
  const from =
    range.startContainer instanceof Element ? range.startContainer : range.startContainer.parentElement;
  let hasUnfolded = false;
  for (let fold = from?.closest('details'); fold; fold = fold.parentElement?.closest('details')) {
    hasUnfolded ||= !fold.open;
    fold.open = true;
  }
  const view = scroller.getBoundingClientRect();
  const { top, bottom, left, right } = range.getBoundingClientRect();
  const wide = from?.closest('pre');
  if (wide && wide.scrollWidth > wide.clientWidth) scrollSideways(wide, left, right);
  else if (left < view.left || right > view.right)
    from?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  // The widget covers the upper end.
  const isInView = top >= view.top + coveredHeight && bottom <= view.bottom;
  if (!isInView) scroller.scrollTop += top - view.top - view.height / 2;
  return hasUnfolded || !isInView;
}

/** Brings what is between two places on the screen into the middle of a box that shows only a part of its lines. */
function scrollSideways(box: Element, left: number, right: number): void {
  const shown = box.getBoundingClientRect();
  if (left < shown.left || right > shown.right) box.scrollLeft += left - shown.left - shown.width / 2;
}

const coveredHeight = 40;
