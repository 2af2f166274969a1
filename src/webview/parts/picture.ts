import { html, type nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { ImageView } from '../../protocol/chatTurn.ts';
import { describeProblem } from '../words/problemWords.ts';
import { LightElement, property, state } from './lightElement.ts';

/** The MIME types that are shown. Others, especially SVG, may contain more than a picture. */
const allowedTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Reads pictures before they are in the viewport, and releases them when they are far from it. */
const proximityObserver = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (target instanceof PictureElement) target.setNear(isIntersecting);
    }
  },
  { rootMargin: '150% 0px', scrollMargin: '150% 0px' },
);

/**
 * `<mg-picture>`: a picture from its bytes. The page's policy does not allow other sources. Fires `read-picture`
 * with the hash of a picture whose bytes are needed; pass them to `show`.
 */
export class PictureElement extends LightElement.with({
  image: property<ImageView>(),
  label: property<string>(),
  source: state<string | undefined>(),
  /** Whether its bytes have not arrived, or were released. */
  isAwaited: state(false),
}) {
  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.#load();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    proximityObserver.unobserve(this);
    this.#release();
  }

  /** Called when the picture is near the viewport, and when it is far from it again. */
  setNear(isNear: boolean): void {
    this.#isNear = isNear;
    if (!('hash' in this.image)) return;
    if (isNear && this.isAwaited) {
      this.dispatchEvent(new CustomEvent('read-picture', { bubbles: true, detail: this.image.hash }));
    } else if (!isNear && !this.isAwaited) {
      this.#height = this.querySelector('img')?.clientHeight ?? this.#height;
      this.#release();
      this.isAwaited = true;
    }
  }

  /**
   * Shows the bytes that `read-picture` requested.
   *
   * @param data as base64; undefined if the picture no longer exists
   */
  show(data: string | undefined): void {
    if (!this.#isNear) return;
    this.#release();
    this.isAwaited = false;
    this.source = createPictureUrl(this.image.mimeType, data);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('image');
    if (!changed.has('image') || (before && isSamePicture(before, this.image))) return;
    this.#load();
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.isAwaited) return html`<div class="picture-space" aria-busy="true"></div>`;
    if (this.source === undefined)
      return html`<span class="image-chip">${describeProblem({ kind: 'picture-not-shown', mimeType: this.image.mimeType })}</span>`;
    return html`<img class="picture" src=${this.source} alt=${this.label}>`;
  }

  /** Reserves the space of a released picture, so that other elements do not move. */
  protected override updated(): void {
    const space = this.querySelector<HTMLElement>('.picture-space');
    if (space && this.#height > 0) space.style.height = `${this.#height}px`;
  }

  #isNear = false;
  #height = 0;

  #load(): void {
    this.#release();
    this.isAwaited = 'hash' in this.image;
    if ('data' in this.image) this.source = createPictureUrl(this.image.mimeType, this.image.data);
    // The observer reports the position of an element that it begins to observe.
    proximityObserver.unobserve(this);
    if (this.isAwaited) proximityObserver.observe(this);
  }

  #release(): void {
    if (this.source !== undefined) URL.revokeObjectURL(this.source);
    this.source = undefined;
  }
}

/** Whether two views show the same picture, so that the displayed one need not be replaced. */
export function isSamePicture(one: ImageView, other: ImageView): boolean {
  if (one.mimeType !== other.mimeType) return false;
  if ('hash' in one) return 'hash' in other && one.hash === other.hash;
  return 'data' in other && one.data === other.data;
}

function createPictureUrl(mimeType: string, data: string | undefined): string | undefined {
  if (data === undefined || !allowedTypes.has(mimeType)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    return URL.createObjectURL(new Blob([bytes], { type: mimeType }));
  } catch {
    return undefined;
  }
}

customElements.define('mg-picture', PictureElement);

declare global {
  interface HTMLElementTagNameMap {
    'mg-picture': PictureElement;
  }
  interface HTMLElementEventMap {
    'read-picture': CustomEvent<string>;
  }
}
