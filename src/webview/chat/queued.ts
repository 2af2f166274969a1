import { html, type TemplateResult } from 'lit';
import type { QueuedQuestion } from '../../protocol/messageBox.ts';
import { iconButton } from '../parts/buttons.ts';
import { shownText } from '../parts/shownText.ts';
import { counted } from '../words/counted.ts';

/** How much of a queued question is shown, in UTF-16 units. The line is cut where it ends. */
const maxShownLength = 500;

/** The question that waits for the reply before it to be complete. */
export function queuedView({ text, pictures, files = 0 }: QueuedQuestion): TemplateResult {
  const others = pictures > 0 ? counted(pictures, 'picture') : `${counted(files, 'piece')} of code`;
  const words = text.trim() === '' ? others : text.trim();
  return html`
    <div class="queued" role="group" aria-label="Queued question">
      <span class="queued-text" title="Sent when this reply is complete; given back if it fails or is stopped">
        Queued: ${shownText(words.slice(0, maxShownLength))}
      </span>
      ${iconButton('edit', 'Edit the Queued Question', 'edit-queued')}
      ${iconButton('close', 'Remove the Queued Question', 'remove-queued')}
    </div>
  `;
}
