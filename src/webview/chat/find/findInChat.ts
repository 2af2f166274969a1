import { html, nothing, type TemplateResult } from 'lit';
import type { ToChatPage } from '../../../protocol/chatPage.ts';
import type { LightElement } from '../../parts/lightElement.ts';
import type { EndFollower } from '../turns/endFollower.ts';
import type { ShownPath } from '../turns/shownPath.ts';
import { waitForFrame } from '../turns/turnList.ts';
import { ChatMatches, type FoundMatch, maxMatches, type SearchStart } from './chatMatches.ts';
import type { FindOptions, FindQuery } from './findPattern.ts';
import { type FindStep, FindWidget } from './findWidget.ts';
import { findShownRange, markMatches, unmarkMatches } from './highlights.ts';

interface ChatView {
  readonly turns: ShownPath;
  /** Null until the page is rendered. */
  readonly getScroller: () => HTMLElement | null;
  readonly getFollower: () => EndFollower | undefined;
  /** The options of the last search in this page. */
  readonly getOptions: () => FindOptions | undefined;
  readonly store: (options: FindOptions) => void;
}

/** The maximum number of frames to wait until a match is painted and no longer moves. */
const maxFramesToPaint = 90;

/** The number of frames without movement after which the position of a match counts as final. */
const minStillFrames = 3;

/** The minimum time between two searches while a reply arrives, in milliseconds. */
const minRefreshMs = 300;
/** While a reply arrives, the next search waits this many times the duration of the last one. */
const refreshDurationFactor = 20;

/** The height of the find widget, which covers the top of the page, in pixels. */
const coveredHeight = 40;

/** Searches all turns of the chat, like VS Code's find widget in editors. */
export class FindInChat {
  readonly #page: LightElement;
  readonly #view: ChatView;
  readonly #matches = new ChatMatches();
  #current: FoundMatch | undefined;
  #isOpen = false;
  /** The query when the widget was closed. */
  #lastQuery: FindQuery | undefined;
  /**
   * The last focused element outside the widget. It is stored because VS Code briefly removes the focus.
   */
  #focusBefore: EventTarget | null = document.body;
  /** The number of visits to a match. A new visit ends the previous one. */
  #visits = 0;
  #refreshTimer: ReturnType<typeof setTimeout> | undefined;
  #refreshDelayMs = minRefreshMs;
  #isMarking = false;

  constructor(page: LightElement, view: ChatView) {
    this.#page = page;
    this.#view = view;
    page.addEventListener('focusin', ({ target }) => {
      if (!this.#isInWidget(target)) this.#focusBefore = target;
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

  /** Opens or focuses the widget. Selected text of the turns becomes its query. */
  async open(): Promise<void> {
    const selectedText = this.#readSelectedLine();
    this.#isOpen = true;
    this.#page.requestUpdate();
    await this.#page.updateComplete;
    await this.#widget?.begin(selectedText, this.#lastQuery ?? this.#view.getOptions() ?? {});
  }

  /** Closes the widget, and restores the focus. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#matches.stop();
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = undefined;
    unmarkMatches();
    this.#lastQuery = this.#widget?.query;
    // Focusing a text box also moves the selection there.
    if (this.#focusBefore instanceof HTMLElement) this.#focusBefore.focus({ preventScroll: true });
    if (this.#focusBefore === document.body || this.#isInTurns(this.#focusBefore)) this.#selectCurrent();
    this.#page.requestUpdate();
  }

  /** Searches again, because turns have changed. */
  refresh(): void {
    if (!this.#isOpen || this.#refreshTimer !== undefined) return;
    this.#refreshTimer = setTimeout(async () => {
      const startedAt = performance.now();
      await this.#search(this.#current && createStart(this.#current), false);
      this.#refreshDelayMs = Math.max(minRefreshMs, refreshDurationFactor * (performance.now() - startedAt));
      this.#refreshTimer = undefined;
    }, this.#refreshDelayMs);
  }

  /** Handles a key of the page. @returns whether the key was handled */
  handleKey(event: KeyboardEvent): boolean {
    const { key, metaKey, shiftKey, target } = event;
    if (event.isComposing || (!this.#isOpen && !this.#lastQuery)) return false;
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
      ? this.#matches.findAdjacent(this.#current, step === 'next' ? 1 : -1)
      : this.#matches.findFirstFrom(this.#findStartOnScreen());
    if (next) this.#goTo(next);
  }

  /** Searches for a changed query, from the current match or the first turn on the screen. */
  #findAgain(): Promise<void> {
    const start = this.#current ? createStart(this.#current) : this.#findStartOnScreen();
    this.#current = undefined;
    if (this.#widget) this.#view.store(pickOptions(this.#widget.query));
    return this.#search(start, true);
  }

  /** Searches from a position. @param shouldVisitFirst whether to visit the first match */
  async #search(start: SearchStart | undefined, shouldVisitFirst: boolean): Promise<void> {
    const widget = this.#widget;
    if (!widget) return;
    let isVisitPending = shouldVisitFirst;
    if (!isVisitPending) this.#current = undefined;
    await this.#matches.find(widget.query, this.#view.turns.allTurns, start?.turn, () => {
      const first = this.#current ?? this.#matches.findFirstFrom(start);
      if (first && isVisitPending) this.#goTo(first);
      else this.#current = first;
      if (first) isVisitPending = false;
      this.#showCounter();
    });
  }

  #showCounter(): void {
    const { count, isComplete, fault } = this.#matches;
    const position = this.#current && isComplete ? this.#matches.findPosition(this.#current) : undefined;
    if (this.#widget)
      this.#widget.figures = { count, position, isComplete, isLimited: count >= maxMatches, fault };
    this.#markSoon();
  }

  #goTo(found: FoundMatch): void {
    this.#current = found;
    this.#showCounter();
    void this.#reveal(found);
  }

  /** Unfolds the surroundings of the match, and scrolls to it as soon as it is painted. */
  async #reveal(found: FoundMatch): Promise<void> {
    this.#visits += 1;
    const visit = this.#visits;
    const { turns } = this.#view;
    const [scroller, follower] = [this.#view.getScroller(), this.#view.getFollower()];
    if (!scroller || !follower) return;
    follower.pause();
    const element = await turns.reveal(found.turn.view.id);
    const text = this.#matches.getMatches(found.turn)[found.passageIndex]?.text ?? '';
    element?.reveal(found.passage);
    let stillFrames = 0;
    for (let frame = 0; element && frame < maxFramesToPaint && stillFrames < minStillFrames; frame += 1) {
      if (visit !== this.#visits || !follower.isPaused) return;
      const range = findShownRange(element, found, text);
      if (range) stillFrames = unfoldAndScrollTo(range, scroller) ? 0 : stillFrames + 1;
      await waitForFrame();
    }
    // A step during the last frame has begun another visit, which needs the pause.
    if (visit !== this.#visits) return;
    follower.resume();
    this.#markSoon();
  }

  /** Marks the matches on the screen, in the next frame. */
  #markSoon(): void {
    if (!this.#isOpen || this.#isMarking) return;
    this.#isMarking = true;
    requestAnimationFrame(() => {
      this.#isMarking = false;
      const scroller = this.#view.getScroller();
      if (!this.#isOpen || !scroller) return;
      const { top, bottom } = scroller.getBoundingClientRect();
      markMatches(this.#view.turns.listTurnsBetween(top, bottom), this.#matches, this.#current);
    });
  }

  #findStartOnScreen(): SearchStart | undefined {
    const { turns } = this.#view;
    const top = this.#view.getScroller()?.getBoundingClientRect().top ?? 0;
    const id = turns.findPosition(top)?.turnId;
    const turn = turns.allTurns.find(({ view: { id: each } }) => each === id);
    return turn && { turn, passageIndex: 0, begin: 0 };
  }

  /** Returns the selected text in the turns; empty if it is longer than a line. */
  #readSelectedLine(): string {
    const selection = document.getSelection();
    const text = selection && this.#isInTurns(selection.anchorNode) ? selection.toString() : '';
    return text.includes('\n') ? '' : text;
  }

  /** Selects the current match, so that the user can copy it or continue from it. */
  #selectCurrent(): void {
    const current = this.#current;
    const element = current && this.#view.turns.getElement(current.turn);
    const text = current && this.#matches.getMatches(current.turn)[current.passageIndex]?.text;
    const range = element && findShownRange(element, current, text ?? '');
    if (!range) return;
    const { startContainer, startOffset, endContainer, endOffset } = range;
    document.getSelection()?.setBaseAndExtent(startContainer, startOffset, endContainer, endOffset);
  }

  #isInTurns(target: EventTarget | null): boolean {
    return target instanceof Node && this.#view.getScroller()?.contains(target) === true;
  }

  #isInWidget(target: EventTarget | null): boolean {
    return target instanceof Node && this.#widget?.contains(target) === true;
  }

  get #widget(): FindWidget | undefined {
    const widget = this.#page.querySelector('mg-find');
    return widget instanceof FindWidget ? widget : undefined;
  }
}

/** Whether a message may change the matches. */
export function mayChangeMatches(message: ToChatPage): boolean {
  if (message.type === 'delta') return true;
  if (message.type !== 'state') return false;
  if (!message.isPatch) return true;
  const { earlier, path, changed } = message.state;
  return [earlier, path, changed].some((turns) => turns !== undefined);
}

function pickOptions({ text: _text, ...options }: FindQuery): FindOptions {
  return options;
}

function createStart({ turn, passageIndex, match: [begin] }: FoundMatch): SearchStart {
  return { turn, passageIndex, begin };
}

/**
 * Opens the folds around a match, and scrolls to it.
 *
 * @returns whether a fold was opened, or the match was above or below the view, or not rendered
 */
function unfoldAndScrollTo(range: Range, scroller: HTMLElement): boolean {
  const from =
    range.startContainer instanceof Element ? range.startContainer : range.startContainer.parentElement;
  let hasUnfolded = false;
  for (let fold = from?.closest('details'); fold; fold = fold.parentElement?.closest('details')) {
    hasUnfolded ||= !fold.open;
    fold.open = true;
  }
  const unrendered = from && findUnrendered(from);
  if (unrendered) {
    unrendered.scrollIntoView({ block: 'center' });
    return true;
  }
  const view = scroller.getBoundingClientRect();
  const { top, bottom, left, right } = range.getBoundingClientRect();
  const wide = from?.closest('pre');
  if (wide && wide.scrollWidth > wide.clientWidth) scrollSideways(wide, left, right);
  else if (left < view.left || right > view.right)
    from?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  const isInView = top >= view.top + coveredHeight && bottom <= view.bottom;
  if (!isInView) scroller.scrollTop += top - view.top - view.height / 2;
  return hasUnfolded || !isInView;
}

/**
 * Finds the element around `from` whose content the browser does not render because it is far from the view. Positions
 * inside it are wrong, because its height is an estimate.
 */
function findUnrendered(from: Element): Element | undefined {
  let each: Element | null = from;
  while (each && !each.checkVisibility({ contentVisibilityAuto: true })) each = each.parentElement;
  return each && each !== from ? each : undefined;
}

/** Scrolls a box with long lines so that a horizontal range of the screen is in its middle. */
function scrollSideways(box: Element, left: number, right: number): void {
  const view = box.getBoundingClientRect();
  if (left < view.left || right > view.right) box.scrollLeft += left - view.left - view.width / 2;
}
