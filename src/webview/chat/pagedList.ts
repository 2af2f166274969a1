import { element } from '../markdown/dom.ts';
import { type Painter, requestPaint } from '../markdown/paintQueue.ts';

/** How many things are shown at first, and how many more whenever the reader asks. */
const pageSize = 100;

/** How many are built in one step. */
const stepSize = 10;

/** One thing of a list, as it is shown. */
export interface ItemView<Item> {
  readonly node: Node;
  /** Shows what the item has become. What is right already stays. */
  show(item: Item): void;
}

interface Parts<Item> {
  readonly list: HTMLElement;
  readonly viewOf: (item: Item) => ItemView<Item>;
  /** What the button to see the rest says, such as "Show more sources". */
  readonly more: string;
}

/** Shows the first of many things, whatever a gateway sends, and the rest a page at a time. */
export class PagedList<Item> implements Painter {
  readonly element = element('div');
  readonly #more = element('button', 'text-button', { type: 'button' });
  readonly #parts: Parts<Item>;
  readonly #views: ItemView<Item>[] = [];
  #items: readonly Item[] = [];
  #maxShown = pageSize;

  constructor(parts: Parts<Item>) {
    this.#parts = parts;
    this.#more.addEventListener('click', () => {
      this.#maxShown += pageSize;
      requestPaint(this);
    });
  }

  /** Shows these things; those shown before become the first of them. */
  show(items: readonly Item[]): void {
    this.#items = items;
    for (const { node } of this.#views.splice(items.length)) this.#parts.list.removeChild(node);
    for (const [index, view] of this.#views.entries()) {
      const item = items[index];
      if (item !== undefined) view.show(item);
    }
    this.itemsAppended();
  }

  /** Shows what has been added to the things at the end. */
  itemsAppended(): void {
    if (this.#items.length > 0 || this.#views.length > 0) requestPaint(this);
  }

  /** What shows the thing at a position, if it is shown. */
  view(position: number): ItemView<Item> | undefined {
    return this.#views[position];
  }

  paint(): boolean {
    const end = Math.min(this.#items.length, this.#maxShown, this.#views.length + stepSize);
    for (const item of this.#items.slice(this.#views.length, end)) {
      const view = this.#parts.viewOf(item);
      this.#views.push(view);
      this.#parts.list.append(view.node);
    }
    if (end < Math.min(this.#items.length, this.#maxShown)) return true;
    this.#place();
    return false;
  }

  /** An empty list is none, for those who have the page read aloud. */
  #place(): void {
    const hidden = this.#items.length - this.#views.length;
    const { list, more } = this.#parts;
    if (hidden > 0) this.#more.textContent = `${more} (${hidden.toLocaleString('en')})`;
    const wanted = [...(this.#views.length > 0 ? [list] : []), ...(hidden > 0 ? [this.#more] : [])];
    const isRight =
      this.element.childElementCount === wanted.length && wanted.every((node) => node.isConnected);
    if (!isRight) this.element.replaceChildren(...wanted);
  }
}
