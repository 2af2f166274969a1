import { html, nothing, type TemplateResult } from 'lit';
import { t } from '../words/l10n.ts';

/** How the parameters stand to those that are kept. */
export interface KeptView {
  readonly model: string | undefined;
  /** Whether the model has a default, and the same one. */
  readonly defaults: 'none' | 'same' | 'other';
  /** Whether the last change was a reset of all. */
  readonly wasReset: boolean;
}

/** The buttons below the parameters: what is kept of them for other chats. */
export function keptTools(
  { model, defaults }: KeptView,
  isSet: boolean,
  use: (tool: string) => void,
): TemplateResult {
  return html`
    <div class="kept-tools">
      <button type="button" class="button secondary" @click=${() => use('presets')}>${t('Presets…')}</button>
      <button type="button" class="button secondary" @click=${() => use('edit-schema')}>${t('Response Schema…')}</button>
      ${model === undefined ? nothing : defaultButton(model, defaults, isSet, use)}
    </div>
  `;
}

function defaultButton(
  model: string,
  defaults: KeptView['defaults'],
  isSet: boolean,
  use: (tool: string) => void,
): TemplateResult {
  const isKept = defaults === 'same';
  const label = t(isKept ? 'Remove Default' : 'Save as Default');
  const whole = t(isKept ? 'Remove Default for {0}' : 'Save as Default for {0}', model);
  return html`
    <button
      type="button"
      class="button secondary"
      title=${whole}
      aria-label=${whole}
      ?disabled=${defaults === 'none' && !isSet}
      @click=${() => use(isKept ? 'remove-default' : 'save-default')}
    >
      ${label}
    </button>
  `;
}

/** The button that resets all parameters, or undoes that. */
export function resetTool(
  wasReset: boolean,
  canReset: boolean,
  { reset, undo }: { readonly reset: () => void; readonly undo: () => void },
): TemplateResult {
  return wasReset
    ? html`<button type="button" class="button secondary" @click=${undo}>${t('Undo Reset')}</button>`
    : html`<button type="button" class="button secondary" ?disabled=${!canReset} @click=${reset}>${t('Reset All')}</button>`;
}
