import { html, type TemplateResult } from 'lit';
import type { QueuedQuestion } from '../../protocol/messageBox.ts';
import { iconButton } from '../parts/buttons.ts';
import { shownText } from '../parts/shownText.ts';
import { numberWords, t } from '../words/l10n.ts';

/** How much of a queued question is shown, in UTF-16 units. The line is cut where it ends. */
const maxShownLength = 500;

/** The question that waits for the reply before it to be complete. */
export function queuedView({ text, pictures, files = 0 }: QueuedQuestion): TemplateResult {
  const others = pictures > 0 ? picturesWords(pictures) : piecesWords(files);
  const words = text.trim() === '' ? others : text.trim();
  return html`
    <div class="queued" role="group" aria-label=${t('Queued question')}>
      <span class="queued-text" title=${t('Sent when this reply is complete; returned to the message box if it fails or is stopped')}>
        ${t('Queued:')} ${shownText(words.slice(0, maxShownLength))}
      </span>
      ${iconButton('edit', t('Edit the Queued Question'), 'edit-queued')}
      ${iconButton('close', t('Remove the Queued Question'), 'remove-queued')}
    </div>
  `;
}

function picturesWords(count: number): string {
  return t(count === 1 ? '{0} picture' : '{0} pictures', numberWords(count));
}

function piecesWords(count: number): string {
  return t(count === 1 ? '{0} piece of code' : '{0} pieces of code', numberWords(count));
}
