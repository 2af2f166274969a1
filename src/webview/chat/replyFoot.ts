import { html, nothing, type TemplateResult } from 'lit';
import type { Turn } from '../../protocol/chatTurn.ts';
import { iconButton } from '../parts/buttons.ts';
import { t } from '../words/l10n.ts';
import { figuresView } from './figures.ts';
import type { StreamingReply } from './streamingTurn.ts';
import { stallView } from './waiting.ts';

/** Where a turn stands in its chat. */
interface FootPlace {
  readonly isLast: boolean;
  /** Whether a reply arrives in the chat. */
  readonly isBusy: boolean;
  /** Whether it stands beside others that are compared. */
  readonly inColumn: boolean;
}

/** The row below a reply: its actions and figures, or while it arrives, that nothing came for a while. */
export function replyFoot(
  turn: Omit<Turn, 'replies'>,
  replies: readonly StreamingReply[],
  place: FootPlace,
): TemplateResult {
  return html`<div class="reply-foot">${footContent(turn, replies, place)}</div>`;
}

function footContent(
  { state, figures, notice, waitedMs, model }: Omit<Turn, 'replies'>,
  [reply, ...others]: readonly StreamingReply[],
  { isLast, isBusy, inColumn }: FootPlace,
): TemplateResult | typeof nothing {
  if (state === 'waiting') return nothing;
  if (state === 'streaming') return stallView(waitedMs);
  const isOffered = isLast && notice?.buttons.some(({ action }) => action === 'again');
  return html`
    ${others.length === 0 ? copyButton(reply) : nothing}
    ${isOffered ? nothing : iconButton('refresh', t('Ask Again'), 'again', { disabled: isBusy })}
    ${reply?.text.length ? iconButton('edit', t('Edit Reply'), 'edit-answer') : nothing}
    ${model === '' ? nothing : answerButtons(isBusy, inColumn)}
    ${figuresView(figures, { isCompared: inColumn })}
  `;
}

/** Nobody was asked for a reply that is missing. */
function answerButtons(isBusy: boolean, inColumn: boolean): TemplateResult {
  return html`
    ${inColumn ? nothing : iconButton('git-compare', t('Compare Reply with Another Model…'), 'compare-answer', { disabled: isBusy })}
    ${iconButton('repo-forked', t('Fork Chat'), 'fork')}
    ${iconButton('trash', t('Delete Reply and Following Messages'), 'delete-answer', { disabled: isBusy })}
  `;
}

/** A button that copies a reply; none for a reply without text. */
export function copyButton(reply: StreamingReply | undefined): TemplateResult | typeof nothing {
  return reply?.text.length ? iconButton('copy', t('Copy Reply'), 'copy-reply') : nothing;
}
