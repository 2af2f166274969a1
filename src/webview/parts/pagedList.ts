import { createElement } from '../markdown/dom.ts';
import { type Painter, requestPaint } from '../markdown/streaming/paintQueue.ts';
import { formatNumber } from '../words/l10n.ts';

/** The number of items that are shown at first, and that each click on the button adds. */
const pageSize = 100;

/** The number of items that are built in one step. */
const stepSize = 10;

/** The view of one item of a list. */
export interface ItemView<Item> {
  readonly node: HTMLElement;
  /** Shows the item's new state. Does not replace unchanged nodes. */
  show(item: Item): void;
}

interface PagedListOptions<Item> {
  readonly list: HTMLElement;
  readonly createView: (item: Item) => ItemView<Item>;
  /** The label of the button that shows more items, such as "Show More Sources". */
  readonly moreLabel: string;
}

/** Shows the first items of a list of any length, and more of them a page at a time. */
export class PagedList<Item> implements Painter {
  readonly element = createElement('div');
  readonly #moreButton = createElement('button', 'text-button', { type: 'button' });
  readonly #options: PagedListOptions<Item>;
  readonly #views: ItemView<Item>[] = [];
  #items: readonly Item[] = [];
  #maxShown = pageSize;

  constructor(options: PagedListOptions<Item>) {
    this.#options = options;
    this.#moreButton.addEventListener('click', () => {
      this.#maxShown += pageSize;
      requestPaint(this);
    });
  }

  /** Shows these items, reusing the views of the first ones. */
  show(items: readonly Item[]): void {
    this.#items = items;
    for (const { node } of this.#views.splice(items.length)) this.#options.list.removeChild(node);
    for (const [index, view] of this.#views.entries()) {
      const item = items[index];
      if (item !== undefined) view.show(item);
    }
    this.showAppended();
  }

  /** Shows items that were appended. */
  showAppended(): void {
    if (this.#items.length > 0 || this.#views.length > 0) requestPaint(this);
  }

  /** Shows the item at a position, together with the other items of its page. */
  reveal(position: number): void {
    if (position < this.#maxShown) return;
    this.#maxShown = pageSize * Math.ceil((position + 1) / pageSize);
    requestPaint(this);
  }

  /** Returns the view of the item at a position; undefined if it is not shown. */
  getView(position: number): ItemView<Item> | undefined {
    return this.#views[position];
  }

  paint(): boolean {
    const targetCount = Math.min(this.#items.length, this.#maxShown, this.#views.length + stepSize);
    for (const item of this.#items.slice(this.#views.length, targetCount)) {
      const view = this.#options.createView(item);
      view.node.dataset.position = String(this.#views.length);
      this.#views.push(view);
      this.#options.list.append(view.node);
    }
    if (targetCount < Math.min(this.#items.length, this.#maxShown)) return true;
    this.#updateElement();
    return false;
  }

  /** Removes an empty list from the page, because a screen reader would announce it. */
  #updateElement(): void {
    const hiddenCount = this.#items.length - this.#views.length;
    const { list, moreLabel } = this.#options;
    if (hiddenCount > 0) this.#moreButton.textContent = `${moreLabel} (${formatNumber(hiddenCount)})`;
    const expectedChildren = [
      ...(this.#views.length > 0 ? [list] : []),
      ...(hiddenCount > 0 ? [this.#moreButton] : []),
    ];
    const isUpToDate =
      this.element.childElementCount === expectedChildren.length &&
      expectedChildren.every((node) => node.isConnected);
    if (!isUpToDate) this.element.replaceChildren(...expectedChildren);
  }
}
