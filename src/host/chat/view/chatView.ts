import * as vscode from 'vscode';
import { asksForJson } from '../../../conversations/conversation/chatParameters.ts';
import type { Conversation } from '../../../conversations/conversation/conversation.ts';
import { isOfMissing } from '../../../conversations/conversation/history.ts';
import { isEmpty, type Turn } from '../../../conversations/conversation/turn.ts';
import type * as page from '../../../protocol/chatTurn.ts';
import type { GatewayError } from '../../../wire/failure.ts';
import { notConnected } from '../../connection/connection.ts';
import { noChatModelNotice, targetNotice, unlistedNotice } from '../../connection/failures/targetNotices.ts';
import type { Gateway } from '../../connection/gateways.ts';
import { explanationWords } from '../../kit/explanationWords.ts';
import { actionButton } from '../../kit/noticeActions.ts';
import type { ChatGateway } from '../asking/chatGateway.ts';
import { askedFileViews, missingView } from '../context/contextView.ts';
import { replyFigures } from './replyFigures.ts';
import { replyNotice } from './replyNotice.ts';
import { imageView, replyView } from './replyView.ts';

/** The turns of the path that is shown, without those that stand side by side after it. */
export function pathTurns({ turns, comparison: { isShown, trunk } }: Conversation): readonly Turn[] {
  return isShown ? turns.slice(0, trunk) : turns;
}

/** The turns of a conversation as the page shows them, by default all. */
export function turnViews(conversation: Conversation, start = 0, end?: number): readonly page.Turn[] {
  const { turns } = conversation;
  return pathTurns(conversation)
    .slice(start, end)
    .map((turn, index) => turnView(conversation, turn, turns[start + index - 1]));
}

/** A turn as the page shows it; undefined when the conversation does not have it. */
export function viewOfTurn(conversation: Conversation, id: string): page.Turn | undefined {
  for (const turns of [conversation.turns, ...conversation.comparison.columns]) {
    const index = turns.findIndex((turn) => turn.id === id);
    const turn = turns[index];
    if (turn) return turnView(conversation, turn, turns[index - 1]);
  }
  return undefined;
}

/**
 * The columns of a conversation as the page shows them; undefined where nothing is compared.
 *
 * @param isKnown whether the page shows a turn in columns already, as it is
 */
export function comparisonView(
  conversation: Conversation,
  isKnown = (_turn: Turn) => false,
): page.ComparisonView | undefined {
  const { columns, isShown, sharedQuestion } = conversation.comparison;
  if (!isShown) return undefined;
  return {
    sharesQuestion: sharedQuestion !== undefined,
    columns: columns.map((turns) =>
      turns.map((turn, index) => (isKnown(turn) ? turn.id : turnView(conversation, turn, turns[index - 1]))),
    ),
  };
}

/** The ids of the turns that do not go along with the next question. */
export function leftOut(conversation: Conversation): readonly string[] {
  const { comparison } = conversation;
  const shown = comparison.isShown ? comparison.columns.flat() : [];
  const isLeftOut = ({ id, result }: Turn) => result !== undefined && !conversation.carries(id);
  return [...conversation.leftOut, ...shown.filter(isLeftOut)].map(({ id }) => id);
}

function turnView(conversation: Conversation, turn: Turn, before: Turn | undefined): page.Turn {
  const notice = replyNotice(turn);
  const missing = turn.replies.flatMap((reply) => reply.missing ?? []);
  const questionBranch = branchView(conversation, turn.questionId);
  const answerBranch = branchView(conversation, turn.answerId);
  const [omitted, notThere] = omissionWords(turn);
  const [toldOmitted, toldNotThere] = before ? omissionWords(before) : [];
  return {
    id: turn.id,
    question: turn.question.text,
    images: turn.question.images.map(imageView),
    ...(turn.question.files?.length && { files: askedFileViews(turn.question.files) }),
    ...(turn.question.missing && { missing: turn.question.missing.map(missingView) }),
    ...(missing.length > 0 && { missingOfReply: missing.map(missingView) }),
    model: turn.question.model,
    ...(asksForJson(turn.question) && { asksForJson: true }),
    state: turnState(turn),
    replies: turn.replies.map(replyView),
    figures: replyFigures(turn),
    omitted: isSame(omitted, toldOmitted) ? [] : omitted,
    ...(notThere.length > 0 && !isSame(notThere, toldNotThere) && { notThere }),
    ...(turn.isEdited && { isEdited: true }),
    ...(notice && { notice }),
    ...(questionBranch && { questionBranch }),
    ...(answerBranch && { answerBranch }),
    ...(turn.result === undefined && { waitedMs: performance.now() - turn.heardAt }),
  };
}

function branchView(conversation: Conversation, messageId: string): page.BranchView | undefined {
  const siblings = conversation.answer(messageId)
    ? conversation.comparison.alternatives(messageId)
    : conversation.siblings(messageId);
  if (siblings.length < 2) return undefined;
  const at = siblings.indexOf(messageId);
  const [previous, next] = [siblings[at - 1], siblings[at + 1]];
  return {
    number: at + 1,
    count: siblings.length,
    ...(previous !== undefined && { previous }),
    ...(next !== undefined && { next }),
  };
}

/** What the API format does not support of a conversation, and what of it was not there. */
function omissionWords({ omitted }: Turn): readonly [readonly string[], readonly string[]] {
  const unsupported = omitted.filter((each) => !isOfMissing(each));
  return [unsupported.map(explanationWords), omitted.filter(isOfMissing).map(explanationWords)];
}

function isSame(words: readonly string[], others: readonly string[] = []): boolean {
  return words.length === others.length && words.every((each, index) => each === others[index]);
}

/**
 * The notice about a chat's next question: what prevents it, or what to know before it.
 *
 * @param model the model that would be asked
 * @param last the last turn, whose own notice is not repeated
 */
export function chatNotice(
  gateway: ChatGateway,
  model: string | undefined,
  last?: Turn,
): page.ReplyNotice | undefined {
  const { now, begunWith, switchedTo, unlisted } = gateway;
  if (begunWith && !now) return goneNotice(begunWith);
  if (unlisted.length > 0) return unlistedNotice(now?.gateway.name ?? '', unlisted);
  const state = now?.state ?? notConnected;
  if (state.error && isTold(state.error, last)) return undefined;
  const notice = targetNotice(state);
  if (notice) return notice;
  if (now && model === undefined && state.models.length > 0) return noChatModelNotice(now.gateway.name);
  return switchedTo && stayedNotice(now?.gateway, switchedTo);
}

/** Whether the notice under the last reply tells the same failure. */
function isTold({ kind }: GatewayError, last: Turn | undefined): boolean {
  const outcome = last?.result?.outcome;
  return outcome !== undefined && 'error' in outcome && outcome.error.kind === kind;
}

function goneNotice({ name }: Gateway): page.ReplyNotice {
  return {
    title: vscode.l10n.t('This chat’s gateway was removed'),
    detail: vscode.l10n.t(
      '{0} was removed, or its address changed. Nothing is sent from this chat until you move it to a gateway.',
      name,
    ),
    buttons: [actionButton('move-chat'), actionButton('new-chat')],
    severity: 'info',
  };
}

function stayedNotice(own: Gateway | undefined, switchedTo: Gateway): page.ReplyNotice {
  return {
    title: vscode.l10n.t('This chat stays with {0}', own?.name ?? ''),
    detail: vscode.l10n.t('New chats go to {0}. This one goes there only if you move it.', switchedTo.name),
    buttons: [actionButton('new-chat'), actionButton('move-chat')],
    severity: 'info',
  };
}

function turnState(turn: Turn): page.Turn['state'] {
  if (turn.result) return 'done';
  return isEmpty(turn) ? 'waiting' : 'streaming';
}
