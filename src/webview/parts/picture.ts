import { html, type nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { ImageView } from '../../protocol/chatTurn.ts';
import { problemWords } from '../words/problems.ts';
import { LightElement, property, state } from './lightElement.ts';

/** The MIME types that are shown. Others, above all SVG, may contain more than a picture. */
const shown = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** `<mg-picture>`: a picture from its bytes. The page's policy allows no other source. */
export class PictureElement extends LightElement.with({
  image: property<ImageView>(),
  label: property<string>(),
  source: state<string | undefined>(),
}) {
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#release();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('image')) return;
    this.#release();
    this.source = pictureUrl(this.image);
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.source === undefined)
      return html`<span class="image-chip">${problemWords({ kind: 'picture-not-shown', mimeType: this.image.mimeType })}</span>`;
    return html`<img class="picture" src=${this.source} alt=${this.label}>`;
  }

  #release(): void {
    if (this.source !== undefined) URL.revokeObjectURL(this.source);
    this.source = undefined;
  }
}

function pictureUrl({ mimeType, data }: ImageView): string | undefined {
  if (!shown.has(mimeType)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    return URL.createObjectURL(new Blob([bytes], { type: mimeType }));
  } catch {
    return undefined;
  }
}

customElements.define('mg-picture', PictureElement);
