import type { ChatPatch, PathView } from '../../protocol/chatPage.ts';
import type { Turn } from '../../protocol/chatTurn.ts';
import { t } from '../words/l10n.ts';
import { branchWords, focusBranch, focusedBranch } from './branch.ts';
import type { ShownPath } from './shownPath.ts';
import type { TurnElement } from './turn.ts';

interface Links {
  readonly turns: ShownPath;
  /** Scrolls to the end, where the next reply arrives. */
  readonly follow: () => void;
  /** Returns what shows another turn at the place of this one, which it replaces. */
  readonly stayAt: (before: TurnElement | undefined) => (after: TurnElement) => void;
  readonly announce: (words: string) => void;
  /** Called when what is around the turns may have to show something else. */
  readonly onChange: () => void;
}

/** Shows and announces what changed of the turns. */
export class TurnMessages {
  readonly #links: Links;

  constructor(links: Links) {
    this.#links = links;
  }

  receive({ earlier, path, changed = [], leftOut }: ChatPatch): void {
    const { turns } = this.#links;
    if (leftOut) turns.showLeftOut(leftOut);
    if (earlier) turns.addEarlier(earlier);
    if (path) void this.#showPath(path);
    for (const turn of changed) this.#show(turn);
  }

  #show(turn: Turn): void {
    const { turns, announce } = this.#links;
    const isAsked = turns.put(turn);
    this.#links.onChange();
    if (isAsked) this.#links.follow();
    if (turn.state === 'done') announce(this.#endWords(turn));
    else if (isAsked) announce(t('Waiting for the reply'));
  }

  #endWords({ id, model, notice }: Turn): string {
    const words = notice?.title ?? t('Reply complete');
    return this.#links.turns.inColumn(id) ? t('{0}: {1}', model, words) : words;
  }

  /** The focus and the reader stay at the button that leads through the branches. */
  async #showPath(path: PathView): Promise<void> {
    const { turns, announce } = this.#links;
    const { kept, turns: shown, comparison } = path;
    const focused = focusedBranch();
    const isAsked = shown.at(-1)?.state === 'waiting';
    const stay = this.#links.stayAt(isAsked || shown.length === 0 ? undefined : turns.elementAt(kept));
    turns.showPath(path);
    this.#links.onChange();
    const element = turns.elementAt(kept);
    const branch = shown[0]?.[focused?.of === 'question' ? 'questionBranch' : 'answerBranch'];
    if (isAsked || (comparison && turns.isStreaming)) {
      this.#links.follow();
      announce(t('Waiting for the reply'));
    }
    if (focused && element) {
      if (branch) announce(branchWords(focused.of, branch));
      await element.updateComplete;
      focusBranch(element, focused);
    }
    if (element) stay(element);
  }
}
