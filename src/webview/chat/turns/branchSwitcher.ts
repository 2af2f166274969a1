import { html, nothing, type TemplateResult } from 'lit';
import type { BranchView } from '../../../protocol/chatTurn.ts';
import { t } from '../../words/l10n.ts';

/** The kind of message that has alternatives. */
type BranchKind = 'question' | 'reply';

/** Renders the number of the current alternative between buttons that show the others; nothing if there is only one. */
export function renderBranchSwitcher(
  kind: BranchKind,
  branch: BranchView | undefined,
  isBusy: boolean,
): TemplateResult | typeof nothing {
  if (!branch) return nothing;
  const { number, count, previous, next } = branch;
  return html`
    <span class="branch" role="group" aria-label=${describeBranch(kind, branch)} data-branch-of=${kind}>
      ${renderBranchButton('left', previousWords[kind], previous, isBusy)}
      <span aria-hidden="true">${number}/${count}</span>
      ${renderBranchButton('right', nextWords[kind], next, isBusy)}
    </span>
  `;
}

/** Describes the current alternative for screen readers. */
export function describeBranch(kind: BranchKind, { number, count }: BranchView): string {
  return kind === 'question' ? t('Question {0} of {1}', number, count) : t('Reply {0} of {1}', number, count);
}

function renderBranchButton(
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

const previousWords: Readonly<Record<BranchKind, string>> = {
  question: t('Previous Question'),
  reply: t('Previous Reply'),
};
const nextWords: Readonly<Record<BranchKind, string>> = {
  question: t('Next Question'),
  reply: t('Next Reply'),
};

/** A button of a switcher. It identifies the same button in another branch. */
interface BranchFocus {
  readonly kind: BranchKind;
  readonly side: string;
}

/** Finds the focused button of a switcher; undefined if no such button has the focus. */
export function findFocusedBranch(): BranchFocus | undefined {
  const button = document.activeElement?.closest<HTMLElement>('[data-action=show-branch]');
  const kind = button?.closest<HTMLElement>('[data-branch-of]')?.dataset.branchOf;
  const side = button?.dataset.side;
  return (kind === 'question' || kind === 'reply') && side !== undefined ? { kind, side } : undefined;
}

/** Focuses the button of a switcher in a turn; the other button if it is disabled. */
export function focusBranch(turn: Element, { kind, side }: BranchFocus): void {
  const enabledButtons = [
    ...turn.querySelectorAll<HTMLElement>(`[data-branch-of=${kind}] button:not(:disabled)`),
  ];
  (enabledButtons.find((button) => button.dataset.side === side) ?? enabledButtons[0])?.focus({
    preventScroll: true,
  });
}
