import { html, type nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { ImageView } from '../../protocol/chatTurn.ts';
import { problemWords } from '../words/problems.ts';
import { LightElement, property, state } from './lightElement.ts';

/** The MIME types that are shown. Others, above all SVG, may contain more than a picture. */
const shown = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Pictures are read before they are on the screen, and forgotten when they are far from it. */
const nearby = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (target instanceof PictureElement) target.near(isIntersecting);
    }
  },
  { rootMargin: '150% 0px', scrollMargin: '150% 0px' },
);

/**
 * `<mg-picture>`: a picture from its bytes. The page's policy allows no other source. Fires `read-picture` with the hash
 * of one whose bytes are needed, which `show` takes.
 */
export class PictureElement extends LightElement.with({
  image: property<ImageView>(),
  label: property<string>(),
  source: state<string | undefined>(),
  /** Its bytes are not here yet, or not any more. */
  isAwaited: state(false),
}) {
  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.#begin();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    nearby.unobserve(this);
    this.#release();
  }

  /** Called when the picture comes near the screen, and when it is far from it again. */
  near(isNear: boolean): void {
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

  /** @param data as base64; undefined when the bytes are gone */
  show(data: string | undefined): void {
    if (!this.#isNear) return;
    this.#release();
    this.isAwaited = false;
    this.source = pictureUrl(this.image.mimeType, data);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('image');
    if (!changed.has('image') || (before && isSamePicture(before, this.image))) return;
    this.#begin();
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.isAwaited) return html`<div class="picture-space" aria-busy="true"></div>`;
    if (this.source === undefined)
      return html`<span class="image-chip">${problemWords({ kind: 'picture-not-shown', mimeType: this.image.mimeType })}</span>`;
    return html`<img class="picture" src=${this.source} alt=${this.label}>`;
  }

  /** A picture that is forgotten leaves its room, so that nothing moves. */
  protected override updated(): void {
    const space = this.querySelector<HTMLElement>('.picture-space');
    if (space && this.#height > 0) space.style.height = `${this.#height}px`;
  }

  #isNear = false;
  #height = 0;

  #begin(): void {
    this.#release();
    this.isAwaited = 'hash' in this.image;
    if ('data' in this.image) this.source = pictureUrl(this.image.mimeType, this.image.data);
    // The observer reports the place of an element that it begins to observe.
    nearby.unobserve(this);
    if (this.isAwaited) nearby.observe(this);
  }

  #release(): void {
    if (this.source !== undefined) URL.revokeObjectURL(this.source);
    this.source = undefined;
  }
}

/** Whether two views are of the same picture, so that one that is shown stays. */
export function isSamePicture(one: ImageView, other: ImageView): boolean {
  if (one.mimeType !== other.mimeType) return false;
  if ('hash' in one) return 'hash' in other && one.hash === other.hash;
  return 'data' in other && one.data === other.data;
}

function pictureUrl(mimeType: string, data: string | undefined): string | undefined {
  if (data === undefined || !shown.has(mimeType)) return undefined;
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
