import type { ChatPatch, PathView } from '../../../protocol/chatPage.ts';
import type { TurnView } from '../../../protocol/chatTurn.ts';
import { t } from '../../words/l10n.ts';
import { describeBranch, findFocusedBranch, focusBranch } from './branchSwitcher.ts';
import type { ShownPath } from './shownPath.ts';
import type { TurnElement } from './turn.ts';

interface TurnChangesOptions {
  readonly turns: ShownPath;
  /** Scrolls to the end, where the next reply arrives. */
  readonly follow: () => void;
  /** Returns a function that shows the turn that replaces this one at the same position. */
  readonly preservePosition: (before: TurnElement | undefined) => (after: TurnElement) => void;
  readonly announce: (text: string) => void;
  /** Called when the page around the turns may have to change. */
  readonly onChange: () => void;
}

/** Shows the host's changes of the turns, and announces them. */
export class TurnChanges {
  readonly #options: TurnChangesOptions;

  constructor(options: TurnChangesOptions) {
    this.#options = options;
  }

  receive({ earlier, path, changed = [], excludedTurns }: ChatPatch): void {
    const { turns } = this.#options;
    if (excludedTurns) turns.showExcluded(excludedTurns);
    if (earlier) turns.addEarlier(earlier);
    if (path) void this.#showPath(path);
    for (const turn of changed) this.#showTurn(turn);
  }

  #showTurn(turn: TurnView): void {
    const { turns, announce } = this.#options;
    const isJustSent = turns.showTurn(turn);
    this.#options.onChange();
    if (isJustSent) this.#options.follow();
    if (turn.state === 'done') announce(this.#describeCompletion(turn));
    else if (isJustSent) announce(t('Waiting for the reply'));
  }

  #describeCompletion({ id, model, notice }: TurnView): string {
    const text = notice?.title ?? t('Reply complete');
    return this.#options.turns.isInColumn(id) ? t('{0}: {1}', model, text) : text;
  }

  /**
   * Shows another path. The focus and the scroll position remain at the button that switches the branches, unless the
   * path ends with a pending reply.
   */
  async #showPath(path: PathView): Promise<void> {
    const { turns, announce } = this.#options;
    const { unchangedTurns, turns: shown, comparison } = path;
    const branchFocus = findFocusedBranch();
    const isWaiting = shown.at(-1)?.state === 'waiting';
    const restorePosition = this.#options.preservePosition(
      isWaiting || shown.length === 0 ? undefined : turns.getElementAt(unchangedTurns),
    );
    turns.showPath(path);
    this.#options.onChange();
    const element = turns.getElementAt(unchangedTurns);
    const branch = shown[0]?.[branchFocus?.kind === 'question' ? 'questionBranch' : 'replyBranch'];
    if (isWaiting || (comparison && turns.isStreaming)) {
      this.#options.follow();
      announce(t('Waiting for the reply'));
    }
    if (branchFocus && element) {
      if (branch) announce(describeBranch(branchFocus.kind, branch));
      await element.updateComplete;
      focusBranch(element, branchFocus);
    }
    if (element) restorePosition(element);
  }
}
