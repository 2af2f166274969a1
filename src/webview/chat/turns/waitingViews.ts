import { html, type TemplateResult } from 'lit';
import { t } from '../../words/l10n.ts';
import { formatSpokenDuration } from '../../words/timeWords.ts';

/** The shortest wait that is shown, in seconds. */
const minShownSeconds = 3;

/** Renders the line that replaces a reply until its first part arrives. */
export function renderFirstWait(waitedMs = 0): TemplateResult {
  return html`
    <div class="wait">
      <span class="codicon codicon-loading codicon-modifier-spin" aria-hidden="true"></span>
      <span class="wait-text">${t('Waiting for the reply to begin')}</span>
      <mg-elapsed .waitedBefore=${waitedMs} .announcement=${t('Still waiting for the reply to begin')}></mg-elapsed>
      ${renderStopButton()}
    </div>
  `;
}

/** Renders the line below a reply that has stalled. Its space is reserved while the reply arrives. */
export function renderStall(waitedMs = 0): TemplateResult {
  return html`
    <div class="wait stall">
      <span class="wait-text">${t('Waiting')}</span>
      <mg-elapsed .waitedBefore=${waitedMs} .announceAfter=${10} .announcement=${t('Waiting for the rest of the reply')}></mg-elapsed>
      ${renderStopButton()}
    </div>
  `;
}

/**
 * `<mg-elapsed>`: the seconds since a wait began, empty for the first few seconds. Fires `waited` with the time in
 * words, at intervals that suit a screen reader.
 */
export class ElapsedElement extends HTMLElement {
  /** The time is first announced after this number of seconds, then every full minute. */
  announceAfter = 30;
  /** The text of the announcement, before the time. */
  announcement = '';
  #beganAt = performance.now();
  /** The number of announcements of this wait. */
  #announcedCount = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** How long the wait had lasted before the element appeared, in milliseconds. */
  set waitedBefore(ms: number) {
    this.#beganAt = performance.now() - ms;
  }

  /** Restarts the wait after a part of the reply has arrived. */
  restart(): void {
    this.#beganAt = performance.now();
    this.#announcedCount = 0;
    if (this.textContent !== '') this.textContent = '';
  }

  connectedCallback(): void {
    this.#announcedCount = this.#countDueAnnouncements(Math.round(this.#elapsed));
    // A number that changes every second should not be read aloud.
    this.ariaHidden = 'true';
    this.#timer = setInterval(() => this.#show(), 1000);
  }

  disconnectedCallback(): void {
    clearInterval(this.#timer);
  }

  /** The duration of the wait so far, in seconds. */
  get #elapsed(): number {
    return (performance.now() - this.#beganAt) / 1000;
  }

  #show(): void {
    const seconds = Math.round(this.#elapsed);
    if (seconds < minShownSeconds) return;
    const minutes = Math.floor(seconds / 60);
    this.textContent =
      minutes === 0 ? t('{0} s', seconds) : `${t('{0} min', minutes)} ${t('{0} s', seconds % 60)}`;
    const dueAnnouncements = this.#countDueAnnouncements(seconds);
    if (dueAnnouncements > this.#announcedCount) this.#announce(seconds);
    this.#announcedCount = dueAnnouncements;
  }

  #countDueAnnouncements(seconds: number): number {
    return seconds < this.announceAfter ? 0 : 1 + Math.floor(seconds / 60);
  }

  #announce(seconds: number): void {
    const detail = t('{0}, {1}', this.announcement, formatSpokenDuration(seconds));
    this.dispatchEvent(new CustomEvent('waited', { detail, bubbles: true }));
  }
}

/** Renders the button that stops the reply. The style sheet hides it until the wait has lasted a while. */
function renderStopButton(): TemplateResult {
  return html`<button type="button" class="text-button" data-action="stop">${t('Stop')}</button>`;
}

customElements.define('mg-elapsed', ElapsedElement);

declare global {
  interface HTMLElementEventMap {
    waited: CustomEvent<string>;
  }
}
