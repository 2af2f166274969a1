import type { Frame, FromGeneratePage } from '../../protocol/generatePage.ts';
import type { ReplyAction } from '../../protocol/pageMessage.ts';

/** What the host is told of a click on the Generate page. The click on Generate itself is the form's. */
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
