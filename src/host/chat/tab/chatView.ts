import * as vscode from 'vscode';
import type { ChatResult } from '../../../client/types.ts';
import { requiresJson } from '../../../conversations/conversation/chatParameters.ts';
import type { Conversation } from '../../../conversations/conversation/conversation.ts';
import { isMissingFileOmission } from '../../../conversations/conversation/history.ts';
import { hasCompleteCounts } from '../../../conversations/conversation/joinedResult.ts';
import { isEmptyTurn, type ReplyResult, type Turn } from '../../../conversations/conversation/turn.ts';
import type * as page from '../../../protocol/chatTurn.ts';
import type { ReplyFigures } from '../../../protocol/chatTurn.ts';
import type { GatewayError } from '../../../wire/failures/gatewayError.ts';
import { notConnected } from '../../connection/connection.ts';
import {
  connectionNotice,
  noChatModelNotice,
  unlistedModelNotice,
} from '../../connection/failures/pageNotices.ts';
import type { Gateway } from '../../connection/gateways.ts';
import { explanationWords } from '../../kit/explanationWords.ts';
import { actionButton } from '../../kit/noticeActions.ts';
import { missingView, sentFileViews } from '../context/contextView.ts';
import type { ChatGateway } from '../session/chatGateway.ts';
import { costView, unknownCostWords } from '../view/costWords.ts';
import { replyNotice } from '../view/replyNotice.ts';
import { imageView, replyView } from '../view/replyView.ts';

/** The turns of the shown path, without the side-by-side columns after it. */
export function pathTurns({ turns, comparison: { isShown, trunk } }: Conversation): readonly Turn[] {
  return isShown ? turns.slice(0, trunk) : turns;
}

/** The turns of the shown path as the page shows them, by default all. */
export function turnViews(conversation: Conversation, start = 0, end?: number): readonly page.TurnView[] {
  const { turns } = conversation;
  return pathTurns(conversation)
    .slice(start, end)
    .map((turn, index) => turnView(conversation, turn, turns[start + index - 1]));
}

/** A turn of the shown path or of a column as the page shows it; undefined if it is not shown. */
export function viewOfTurn(conversation: Conversation, id: string): page.TurnView | undefined {
  for (const turns of [conversation.turns, ...conversation.comparison.columns]) {
    const index = turns.findIndex((turn) => turn.id === id);
    const turn = turns[index];
    if (turn) return turnView(conversation, turn, turns[index - 1]);
  }
  return undefined;
}

/**
 * The columns of a conversation as the page shows them; undefined if no replies are compared.
 *
 * @param isShownByPage whether the page already shows the current version of a turn in a column
 */
export function comparisonView(
  conversation: Conversation,
  isShownByPage = (_turn: Turn) => false,
): page.ComparisonView | undefined {
  const { columns, isShown, sharedQuestion } = conversation.comparison;
  if (!isShown) return undefined;
  return {
    sharesQuestion: sharedQuestion !== undefined,
    columns: columns.map((turns) =>
      turns.map((turn, index) =>
        isShownByPage(turn) ? turn.id : turnView(conversation, turn, turns[index - 1]),
      ),
    ),
  };
}

/** The ids of the turns that are not sent with the next question. */
export function excludedTurnIds(conversation: Conversation): readonly string[] {
  const { comparison } = conversation;
  const shown = comparison.isShown ? comparison.columns.flat() : [];
  const isExcluded = ({ id, result }: Turn) => result !== undefined && !conversation.isInLaterRequests(id);
  return [...conversation.omittedTurns, ...shown.filter(isExcluded)].map(({ id }) => id);
}

/** @param before the turn before it: its omitted parts are not listed again */
function turnView(conversation: Conversation, turn: Turn, before: Turn | undefined): page.TurnView {
  const notice = replyNotice(turn);
  const missing = turn.replies.flatMap((reply) => reply.missing ?? []);
  const questionBranch = branchView(conversation, turn.questionId);
  const replyBranch = branchView(conversation, turn.firstReplyId);
  const [unsupported, missingParts] = omissionWords(turn);
  const [unsupportedBefore, missingPartsBefore] = before ? omissionWords(before) : [];
  return {
    id: turn.id,
    question: turn.question.text,
    images: turn.question.images.map(imageView),
    ...(turn.question.files?.length && { files: sentFileViews(turn.question.files) }),
    ...(turn.question.missing && { missing: turn.question.missing.map(missingView) }),
    ...(missing.length > 0 && { missingOfReply: missing.map(missingView) }),
    model: turn.question.model,
    ...(requiresJson(turn.question) && { requestsJson: true }),
    state: turnState(turn),
    replies: turn.replies.map(replyView),
    figures: replyFigures(turn),
    omitted: isSame(unsupported, unsupportedBefore) ? [] : unsupported,
    ...(missingParts.length > 0 && !isSame(missingParts, missingPartsBefore) && { missingParts }),
    ...(turn.isEdited && { isEdited: true }),
    ...(notice && { notice }),
    ...(questionBranch && { questionBranch }),
    ...(replyBranch && { replyBranch }),
    ...(turn.result === undefined && { waitedMs: performance.now() - turn.lastActivityAt }),
  };
}

function branchView(conversation: Conversation, messageId: string): page.BranchView | undefined {
  const siblings = conversation.reply(messageId)
    ? conversation.comparison.alternatives(messageId)
    : conversation.tree.siblings(messageId);
  if (siblings.length < 2) return undefined;
  const index = siblings.indexOf(messageId);
  const [previous, next] = [siblings[index - 1], siblings[index + 1]];
  return {
    number: index + 1,
    count: siblings.length,
    ...(previous !== undefined && { previous }),
    ...(next !== undefined && { next }),
  };
}

/** The parts that a request omitted: parts that the API format does not support, and parts that were missing. */
function omissionWords({ omitted }: Turn): readonly [readonly string[], readonly string[]] {
  const unsupported = omitted.filter((each) => !isMissingFileOmission(each));
  return [unsupported.map(explanationWords), omitted.filter(isMissingFileOmission).map(explanationWords)];
}

function isSame(words: readonly string[], others: readonly string[] = []): boolean {
  return words.length === others.length && words.every((each, index) => each === others[index]);
}

/**
 * The notice about a chat's next question: a reason why it cannot be sent, or information about its target.
 *
 * @param model the model of the next question
 * @param last the last turn, whose own notice is not repeated
 */
export function chatNotice(
  gateway: ChatGateway,
  model: string | undefined,
  last?: Turn,
): page.ReplyNotice | undefined {
  const { connection, boundTo, switchedTo, unlisted } = gateway;
  if (boundTo && !connection) return gatewayRemovedNotice(boundTo);
  if (unlisted.length > 0) return unlistedModelNotice(connection?.gateway.name ?? '', unlisted);
  const state = connection?.state ?? notConnected;
  if (state.error && isAlreadyShown(state.error, last)) return undefined;
  const notice = connectionNotice(state);
  if (notice) return notice;
  if (connection && model === undefined && state.models.length > 0) {
    return noChatModelNotice(connection.gateway.name);
  }
  return switchedTo && stayedNotice(connection?.gateway, switchedTo);
}

/** Whether the notice under the last reply already shows the same failure. */
function isAlreadyShown({ kind }: GatewayError, last: Turn | undefined): boolean {
  const outcome = last?.result?.outcome;
  return outcome !== undefined && 'error' in outcome && outcome.error.kind === kind;
}

function gatewayRemovedNotice({ name }: Gateway): page.ReplyNotice {
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
    title: vscode.l10n.t('This chat still uses {0}', own?.name ?? ''),
    detail: vscode.l10n.t('New chats use {0}. This chat uses it only if you move it.', switchedTo.name),
    buttons: [actionButton('new-chat'), actionButton('move-chat')],
    severity: 'info',
  };
}

function turnState(turn: Turn): page.TurnView['state'] {
  if (turn.result) return 'done';
  return isEmptyTurn(turn) ? 'waiting' : 'streaming';
}

/** The minimum output and time for a speed. Below these limits it would depend on the network instead of the model. */
const minTokens = 20;
const minMs = 250;

/** The figures under the reply of a turn; none while it is arriving, or if it never began or was abandoned. */
export function replyFigures(turn: Turn): ReplyFigures {
  const { result } = turn;
  if (result === undefined || isEmptyTurn(turn) || turn.unfinished || turn.isEdited) return {};
  const { usage, firstTokenMs, reasoningMs, totalMs, finishReason } = result;
  const cost = costView(result);
  return {
    inputTokens: usage?.inputTokens,
    outputTokens: usage?.outputTokens,
    cachedTokens: usage?.cachedTokens,
    cacheWriteTokens: usage?.cacheWriteTokens,
    reasoningTokens: usage?.reasoningTokens,
    // For incomplete replies the token count is the last reported value: the messages format begins with 1.
    ...(hasCompleteCounts(result) ? {} : { outputIsPartial: true }),
    firstTokenMs,
    reasoningMs,
    // Exports of other programs rarely contain the duration of a reply.
    ...(totalMs > 0 && { totalMs }),
    tokensPerSecond: tokensPerSecond(result),
    end: endWord(result),
    finishReason,
    ...(cost ? { cost } : { unknownCost: unknownCostWords(result) }),
    // The notice of a failure already shows this id next to the extension's own request id.
    ...('error' in result.outcome ? {} : { gatewayRequestId: result.gatewayRequestId }),
  };
}

/** The end of a reply, in a word or two. */
function endWord({ outcome, endReason }: ChatResult): string {
  switch (outcome.kind) {
    case 'complete':
      if (endReason === 'content-filter') return vscode.l10n.t('content filter');
      return endReason === 'tool-calls' ? vscode.l10n.t('tool call') : vscode.l10n.t('complete');
    case 'truncated':
      return vscode.l10n.t('output limit');
    case 'cancelled':
      return vscode.l10n.t('stopped');
    case 'interrupted':
      return vscode.l10n.t('cut off');
    case 'pending':
      return vscode.l10n.t('continues in the background');
    case 'failed':
      return vscode.l10n.t('failed');
  }
}

function tokensPerSecond(result: ReplyResult): number | undefined {
  const { usage, firstTokenMs, totalMs } = result;
  const tokens = usage?.outputTokens;
  if (!hasCompleteCounts(result) || tokens === undefined || firstTokenMs === undefined) return undefined;
  const ms = result.writingMs ?? totalMs - firstTokenMs;
  return tokens >= minTokens && ms >= minMs ? (tokens * 1000) / ms : undefined;
}
