import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { computePercent, type TaskProgress } from '../../base/taskProgress.ts';
import type { MediaView, ResultView, TaskButton } from '../../protocol/taskPage.ts';
import { renderText } from '../markdown/dom.ts';
import { renderActionButtons, renderIconButton } from '../parts/buttons.ts';
import { restoreFocus, SecondTimer } from '../parts/elementControllers.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { t } from '../words/l10n.ts';
import { describeProblem } from '../words/problemWords.ts';
import { describeProgressSource, formatProgress } from '../words/taskWords.ts';

/** `<mg-result>`: one result of a task. Playback continues while the result's address does not change. */
class ResultElement extends LightElement.with({
  result: property<ResultView>(),
  /** Such as "Result 2 of 3". */
  name: property<string>(),
  /** Whether the browser failed to show the result. */
  isBroken: state(false),
}) {
  constructor() {
    super();
    restoreFocus(this);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('result')) return;
    if (changed.get('result')?.media?.src !== this.result.media?.src) this.isBroken = false;
  }

  protected override render(): TemplateResult {
    const { media, text, index } = this.result;
    const note = media && this.#describeMediaProblem(media);
    return html`
      <section class="result" aria-label=${this.name}>
        ${media && !this.isBroken ? this.#renderMedia(media) : nothing}
        ${text === undefined ? nothing : renderTextResult(text, index)}
        ${note === undefined ? nothing : this.#renderNote(note)}
        ${this.#renderFooter(note !== undefined)}
      </section>
    `;
  }

  #renderMedia({ kind, src }: MediaView): TemplateResult {
    if (kind === 'image')
      return html`<img class="media" src=${src} alt=${this.name} @error=${this.#onError}>`;
    if (kind === 'audio')
      return html`<audio class="media" src=${src} aria-label=${this.name} controls preload="metadata" @error=${this.#onError}></audio>`;
    return html`<video class="media" src=${src} aria-label=${this.name} controls playsinline preload="metadata" @error=${this.#onError}></video>`;
  }

  /** Returns why the media cannot be shown or played here; undefined if it can. */
  #describeMediaProblem(media: MediaView): string | undefined {
    if (this.isBroken) return describeProblem({ kind: 'media-not-shown', media: media.kind });
    return canDecodeSound(media) ? undefined : describeProblem({ kind: 'sound-not-decoded' });
  }

  #renderNote(text: string): TemplateResult {
    return html`
      <div class="result-note">
        <span><span class="codicon codicon-${this.isBroken ? 'warning' : 'mute'}" aria-hidden="true"></span> ${text}</span>
        ${renderActionButtons(this.result.buttons.filter(isPlayerButton), () => 'text-button', this.result.index)}
      </div>
    `;
  }

  /** @param hasNote whether the note contains the button of the player */
  #renderFooter(hasNote: boolean): TemplateResult {
    const { status, hasFailed, percent, buttons, index } = this.result;
    const footerButtons = buttons.filter((button) => !(hasNote && isPlayerButton(button)));
    return html`
      <div class="result-footer">
        <span class="result-status">${hasFailed ? failedIcon : nothing} ${status}</span>
        ${percent === undefined ? nothing : renderProgressBar(t('Progress of {0}', this.name), percent)}
        ${footerButtons.length === 0 ? nothing : html`<span class="result-buttons">${renderActionButtons(footerButtons, () => 'button secondary', index)}</span>`}
      </div>
    `;
  }

  #onError(): void {
    this.isBroken = true;
  }
}

const failedIcon = html`<span class="codicon codicon-error appearance-failed" aria-hidden="true"></span>`;

function isPlayerButton({ action }: TaskButton): boolean {
  return action === 'open-in-player';
}

/**
 * Whether the browser can play the sound. Desktop VS Code does not have an AAC decoder and plays such a video silently.
 */
function canDecodeSound({ kind, mimeType, audioCodec }: MediaView): boolean {
  if (kind === 'image' || audioCodec === undefined) return true;
  return document.createElement(kind).canPlayType(`${mimeType}; codecs="${audioCodec}"`) !== '';
}

function renderTextResult(text: string, index: number): TemplateResult {
  return html`
    <div class="result-text">
      <pre tabindex="0" role="region" aria-label=${t('Text')}>${renderText(text)}</pre>
      ${renderIconButton('copy', t('Copy Text'), 'copy-text', { result: index })}
    </div>
  `;
}

customElements.define('mg-result', ResultElement);

/** `<mg-progress>`: the progress of a running task. An estimate grows with time. */
class ProgressElement extends LightElement.with({
  /** Undefined while it is unknown. */
  progress: property<TaskProgress | undefined>(),
}) {
  constructor() {
    super();
    new SecondTimer(this);
  }

  protected override render(): TemplateResult {
    const { progress } = this;
    const now = Date.now();
    return html`
      ${renderProgressBar(t('Progress of the task'), progress && computePercent(progress, now))}
      ${progress ? renderProgressNote(progress, now) : nothing}
    `;
  }
}

/** Renders the progress as text, and below it the source of the number. */
function renderProgressNote(progress: TaskProgress, now: number): TemplateResult {
  return html`
    <span class="percent">${formatProgress(progress, now)}</span>
    <span class="progress-source">${describeProgressSource(progress, now)}</span>
  `;
}

function renderProgressBar(label: string, percent: number | undefined): TemplateResult {
  return html`<progress max="100" value=${percent ?? nothing} aria-label=${label}></progress>`;
}

customElements.define('mg-progress', ProgressElement);
