import * as vscode from 'vscode';
import type { ChatResult } from '../../../client/types.ts';
import { hasCompleteCounts } from '../../../conversations/conversation/joinedResult.ts';
import { isEmptyTurn, type ReplyResult, type Turn } from '../../../conversations/conversation/turn.ts';
import type { ReplyFigures } from '../../../protocol/chatTurn.ts';
import { createCostView, describeUnknownCost } from './costWords.ts';

/** The minimum output and time for a speed. For a shorter reply, it would be the speed of the network. */
const minTokens = 20;
const minMs = 250;

/** Creates the figures under the reply of a turn. An arriving, empty, unfinished or edited reply has none. */
export function createReplyFigures(turn: Turn): ReplyFigures {
  const { result } = turn;
  if (result === undefined || isEmptyTurn(turn) || turn.unfinished || turn.isEdited) return {};
  const { usage, firstTokenMs, reasoningMs, totalMs, finishReason } = result;
  const cost = createCostView(result);
  return {
    inputTokens: usage?.inputTokens,
    outputTokens: usage?.outputTokens,
    cachedTokens: usage?.cachedTokens,
    cacheWriteTokens: usage?.cacheWriteTokens,
    reasoningTokens: usage?.reasoningTokens,
    // For an incomplete reply, the token count is the last reported value, which may be much too low.
    ...(hasCompleteCounts(result) ? {} : { isOutputPartial: true }),
    firstTokenMs,
    reasoningMs,
    // Exports of other programs rarely contain the duration of a reply.
    ...(totalMs > 0 && { totalMs }),
    tokensPerSecond: computeTokensPerSecond(result),
    end: describeEnd(result),
    finishReason,
    ...(cost ? { cost } : { unknownCost: describeUnknownCost(result) }),
    // The notice of a failure already shows this id next to the extension's own request id.
    ...('error' in result.outcome ? {} : { gatewayRequestId: result.gatewayRequestId }),
  };
}

/** Describes the end of a reply in a few words. */
function describeEnd({ outcome, endReason }: ChatResult): string {
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

function computeTokensPerSecond(result: ReplyResult): number | undefined {
  const { usage, firstTokenMs, totalMs } = result;
  const tokens = usage?.outputTokens;
  if (!hasCompleteCounts(result) || tokens === undefined || firstTokenMs === undefined) return undefined;
  const ms = result.writingMs ?? totalMs - firstTokenMs;
  return tokens >= minTokens && ms >= minMs ? (tokens * 1000) / ms : undefined;
}
