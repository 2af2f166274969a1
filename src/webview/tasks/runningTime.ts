import { html, type TemplateResult } from 'lit';
import { LightElement, property } from '../parts/lightElement.ts';
import { Seconds } from '../parts/seconds.ts';
import { duration } from '../words/times.ts';

/** `<mg-running-time>`: how long a task has been running. */
class RunningTimeElement extends LightElement.with({
  /** Milliseconds since 1970. */
  since: property<number>(),
}) {
  constructor() {
    super();
    new Seconds(this);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // Numbers that change every second are nothing to be read aloud.
    this.ariaHidden = 'true';
  }

  protected override render(): TemplateResult {
    const seconds = Math.max(0, Math.floor((Date.now() - this.since) / 1000));
    return html`${duration(seconds * 1000)}`;
  }
}

customElements.define('mg-running-time', RunningTimeElement);
