import { html, type TemplateResult } from 'lit';
import { iconButton } from '../parts/buttons.ts';
import { keyZ } from '../parts/hostKeys.ts';
import { t } from '../words/l10n.ts';

/** What was deleted, with the way back. */
export function deletedView(words: string): TemplateResult {
  return html`
    <div class="queued deleted" role="group" aria-label=${t('Deleted messages')}>
      <span class="queued-text">${words}</span>
      <button type="button" class="text-button" data-action="undo-delete" title=${t('Undo Delete (Ctrl+Z)')}>${t('Undo')}</button>
      ${iconButton('close', t('Dismiss'), 'dismiss-deleted')}
    </div>
  `;
}

/** Whether a key brings back what was deleted: where nothing is written, it undoes nothing else. */
export function isUndoKey({ keyCode, ctrlKey, metaKey, shiftKey, altKey, target }: KeyboardEvent): boolean {
  const isUndo = keyCode === keyZ && (ctrlKey || metaKey) && !shiftKey && !altKey;
  return isUndo && !isWriting(target);
}

/** The message that the Delete key means: the reply that has the focus; undefined for none. */
export function deletedByKey({
  key,
  ctrlKey,
  metaKey,
  altKey,
  target,
}: KeyboardEvent): HTMLElement | undefined {
  const isDelete = key === 'Delete' || (key === 'Backspace' && metaKey);
  if (
    !isDelete ||
    ctrlKey ||
    altKey ||
    !(target instanceof HTMLElement) ||
    !target.matches('section.reply')
  ) {
    return undefined;
  }
  return target.querySelector<HTMLElement>('[data-action=delete-answer]:enabled') ?? undefined;
}

function isWriting(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement) return target.value !== '' || !target.closest('mg-composer');
  return target instanceof HTMLInputElement;
}
