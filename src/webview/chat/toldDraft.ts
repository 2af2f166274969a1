import { changeBetween, piecesOfChange } from '../../base/textChange.ts';
import type { MessageBoxMessage } from '../../protocol/messageBox.ts';

type DraftMessage = Extract<MessageBoxMessage, { type: 'draft' | 'change-draft' }>;

/** The longest draft that is told as a whole each time, in UTF-16 units. */
export const maxWholeDraft = 64 * 1024;

/** The longest change that one message takes. */
const maxChange = 512 * 1024;

/** What the host knows of a draft. Telling it about a long one costs what was typed, not what is there. */
export class ToldDraft {
  /** Undefined where the host may know anything. */
  #told: string | undefined;

  /** Takes a draft for known, since the host told it: what was written there meanwhile stays. */
  know(draft: string): void {
    this.#told = draft;
  }

  /** Returns the messages by which the host knows a draft. */
  tell(draft: string): readonly DraftMessage[] {
    const told = this.#told;
    if (draft === told) return [];
    this.#told = draft;
    if (draft.length <= maxWholeDraft) return [{ type: 'draft', text: draft }];
    const change = changeBetween(told ?? '', draft);
    const changes = change ? piecesOfChange(change, maxChange) : [];
    return changes.map((each, at) => ({
      ...{ type: 'change-draft', isNew: at === 0 && told === undefined, ...each },
      more: at < changes.length - 1,
    }));
  }
}
