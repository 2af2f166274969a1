import { html, nothing, type TemplateResult } from 'lit';
import type { BranchView } from '../../protocol/chatTurn.ts';
import { t } from '../words/l10n.ts';

/** What there are alternatives of. */
export type BranchOf = 'question' | 'answer';

/** Which alternative is shown, between buttons that show the others; nothing for the only one. */
export function branchSwitcher(
  of: BranchOf,
  branch: BranchView | undefined,
  isBusy: boolean,
): TemplateResult | typeof nothing {
  if (!branch) return nothing;
  const { number, count, previous, next } = branch;
  return html`
    <span class="branch" role="group" aria-label=${branchWords(of, branch)} data-branch-of=${of}>
      ${branchButton('left', previousWords[of], previous, isBusy)}
      <span aria-hidden="true">${number}/${count}</span>
      ${branchButton('right', nextWords[of], next, isBusy)}
    </span>
  `;
}

/** What a screen reader is told of the alternative that is shown now. */
export function branchWords(of: BranchOf, { number, count }: BranchView): string {
  return of === 'question' ? t('Question {0} of {1}', number, count) : t('Reply {0} of {1}', number, count);
}

function branchButton(
  side: 'left' | 'right',
  label: string,
  messageId: string | undefined,
  isBusy: boolean,
): TemplateResult {
  return html`
    <button
      type="button"
      class="icon-button"
      title=${label}
      aria-label=${label}
      data-action="show-branch"
      data-side=${side}
      data-message=${messageId ?? nothing}
      ?disabled=${messageId === undefined || isBusy}
    >
      <span class="codicon codicon-chevron-${side}" aria-hidden="true"></span>
    </button>
  `;
}

const previousWords: Readonly<Record<BranchOf, string>> = {
  question: t('Previous Question'),
  answer: t('Previous Reply'),
};
const nextWords: Readonly<Record<BranchOf, string>> = {
  question: t('Next Question'),
  answer: t('Next Reply'),
};

/** A button of a switcher, by which the same one is found in the branch that it leads to. */
export interface BranchFocus {
  readonly of: BranchOf;
  readonly side: string;
}

/** The button of a switcher that has the focus; undefined where none has. */
export function focusedBranch(): BranchFocus | undefined {
  const button = document.activeElement?.closest<HTMLElement>('[data-action=show-branch]');
  const of = button?.closest<HTMLElement>('[data-branch-of]')?.dataset.branchOf;
  const side = button?.dataset.side;
  return (of === 'question' || of === 'answer') && side !== undefined ? { of, side } : undefined;
}

/** Gives the focus to that button in a turn, or to its neighbour at the end of the row. */
export function focusBranch(turn: Element, { of, side }: BranchFocus): void {
  const enabled = [...turn.querySelectorAll<HTMLElement>(`[data-branch-of=${of}] button:not(:disabled)`)];
  (enabled.find((button) => button.dataset.side === side) ?? enabled[0])?.focus({ preventScroll: true });
}
