import type { Frame, FromGeneratePage } from '../../protocol/generatePage.ts';
import type { ReplyAction } from '../../protocol/pageMessage.ts';

/**
 * The message to the host for a click on the Generate page; undefined for none. The form handles the click on
 * Generate.
 */
export function generateMessageOf(action: string, { dataset }: HTMLElement): FromGeneratePage | undefined {
  switch (action) {
    case 'choose-model':
    case 'choose-route':
      return { type: action };
    case 'attach-file':
    case 'detach':
      return { type: action, frame: dataset.frame as Frame };
    case 'open-task':
      return { type: action, key: dataset.key ?? '' };
    default:
      return { type: 'action', action: action as ReplyAction };
  }
}
