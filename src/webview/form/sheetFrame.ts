import { html, type TemplateResult } from 'lit';
import { t } from '../words/l10n.ts';

/** A sheet over the page, which is a modal dialog. */
export function sheetOver(content: TemplateResult, onClose: () => void): TemplateResult {
  return html`
    <dialog
      class="sheet"
      aria-label=${t('Parameters')}
      closedby="any"
      @close=${onClose}
      @change=${stop}
      @keydown=${keepEscape}
    >
      ${content}
    </dialog>
  `;
}

/** A sheet beside the page, which stays in use. */
export function sheetBeside(content: TemplateResult, onClose: () => void): TemplateResult {
  const onKey = (event: KeyboardEvent) => {
    keepEscape(event);
    if (event.key === 'Escape' && !event.isComposing) onClose();
  };
  return html`
    <aside class="sheet" aria-label=${t('Parameters')} @change=${stop} @keydown=${onKey}>${content}</aside>
  `;
}

/** Keeps changes of the controls inside from being taken for those of the sheet. */
function stop(event: Event): void {
  event.stopPropagation();
}

/** Keeps Escape from doing more than closing the sheet, such as stopping a reply. */
function keepEscape(event: KeyboardEvent): void {
  if (event.key === 'Escape') event.stopPropagation();
}
