import { html, type TemplateResult } from 'lit';
import { t } from '../words/l10n.ts';
import { spokenDuration } from '../words/times.ts';

/** The shortest time that is shown, in seconds. */
const minShownSeconds = 3;

/** The line in place of a reply of which nothing has arrived. */
export function firstWaitView(waitedMs = 0): TemplateResult {
  return html`
    <div class="wait">
      <span class="codicon codicon-loading codicon-modifier-spin" aria-hidden="true"></span>
      <span class="wait-words">${t('Waiting for the reply to begin')}</span>
      <mg-elapsed .waitedBefore=${waitedMs} .words=${t('Still waiting for the reply to begin')}></mg-elapsed>
      ${stopButton()}
    </div>
  `;
}

/** The line below a reply that has stalled. Its place is kept while the reply arrives. */
export function stallView(waitedMs = 0): TemplateResult {
  return html`
    <div class="wait stall">
      <span class="wait-words">${t('Waiting')}</span>
      <mg-elapsed .waitedBefore=${waitedMs} .saidAfter=${10} .words=${t('Waiting for more of the reply')}></mg-elapsed>
      ${stopButton()}
    </div>
  `;
}

/**
 * `<mg-elapsed>`: the seconds since a wait began, after the first few; empty until then. Fires `waited` with the
 * time in words, seldom enough for a screen reader.
 */
export class ElapsedElement extends HTMLElement {
  /** When the time is first announced, in seconds. Later it is announced every full minute. */
  saidAfter = 30;
  /** What is awaited, for the announcement. */
  words = '';
  #began = performance.now();
  /** How many announcements were due. */
  #said = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** How long the wait had lasted before the element appeared, in milliseconds. */
  set waitedBefore(ms: number) {
    this.#began = performance.now() - ms;
  }

  /** Begins a new wait: what was awaited came. */
  restart(): void {
    this.#began = performance.now();
    this.#said = 0;
    if (this.textContent !== '') this.textContent = '';
  }

  connectedCallback(): void {
    this.#said = this.#timesToSay(Math.round(this.#elapsed));
    // Numbers that change every second are nothing to be read aloud.
    this.ariaHidden = 'true';
    this.#timer = setInterval(() => this.#show(), 1000);
  }

  disconnectedCallback(): void {
    clearInterval(this.#timer);
  }

  /** In seconds. */
  get #elapsed(): number {
    return (performance.now() - this.#began) / 1000;
  }

  #show(): void {
    const seconds = Math.round(this.#elapsed);
    if (seconds < minShownSeconds) return;
    const minutes = Math.floor(seconds / 60);
    this.textContent =
      minutes === 0 ? t('{0} s', seconds) : `${t('{0} min', minutes)} ${t('{0} s', seconds % 60)}`;
    const times = this.#timesToSay(seconds);
    if (times > this.#said) this.#say(seconds);
    this.#said = times;
  }

  #timesToSay(seconds: number): number {
    return seconds < this.saidAfter ? 0 : 1 + Math.floor(seconds / 60);
  }

  #say(seconds: number): void {
    const detail = t('{0}, {1}', this.words, spokenDuration(seconds));
    this.dispatchEvent(new CustomEvent('waited', { detail, bubbles: true }));
  }
}

/** Stops the reply. The style sheet hides it until the wait has lasted a while. */
function stopButton(): TemplateResult {
  return html`<button type="button" class="text-button" data-action="stop">${t('Stop')}</button>`;
}

customElements.define('mg-elapsed', ElapsedElement);

declare global {
  interface HTMLElementEventMap {
    waited: CustomEvent<string>;
  }
}
