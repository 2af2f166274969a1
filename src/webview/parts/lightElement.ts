import { LitElement } from 'lit';

/** A Lit element without a shadow root: the page's one style sheet and the icon font reach into it. */
export abstract class LightElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}
