import * as vscode from 'vscode';
import type { ChatResult } from '../../../client/types.ts';
import { isWhole } from '../../../conversations/conversation/joinedResult.ts';
import { isEmpty, type ReplyResult, type Turn } from '../../../conversations/conversation/turn.ts';
import type { ReplyFigures } from '../../../protocol/chatTurn.ts';
import { costView, unknownCostWords } from './costWords.ts';

/** The speed of a shorter reply is that of its first words' way here, not that of the model. */
const minTokens = 20;
const minMs = 250;

/** The figures under the reply of a turn; none while it arrives, and of a reply that never began or was left. */
export function replyFigures(turn: Turn): ReplyFigures {
  const { result } = turn;
  if (result === undefined || isEmpty(turn) || turn.unfinished || turn.isEdited) return {};
  const { usage, firstTokenMs, reasoningMs, totalMs, finishReason } = result;
  const cost = costView(result);
  return {
    inputTokens: usage?.inputTokens,
    outputTokens: usage?.outputTokens,
    cachedTokens: usage?.cachedTokens,
    cacheWriteTokens: usage?.cacheWriteTokens,
    reasoningTokens: usage?.reasoningTokens,
    // Of another reply, a count of tokens is the last that came: the messages format begins with 1.
    ...(isWhole(result) ? {} : { outputIsPartial: true }),
    firstTokenMs,
    reasoningMs,
    // Other programs' exports seldom tell how long a reply took.
    ...(totalMs > 0 && { totalMs }),
    tokensPerSecond: tokensPerSecond(result),
    end: endWord(result),
    finishReason,
    ...(cost ? { cost } : { unknownCost: unknownCostWords(result) }),
    // A failure's notice shows it beside ours.
    ...('error' in result.outcome ? {} : { gatewayRequestId: result.gatewayRequestId }),
  };
}

/** How a reply ended, in a word or two. */
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
  if (!isWhole(result) || tokens === undefined || firstTokenMs === undefined) return undefined;
  const ms = result.writingMs ?? totalMs - firstTokenMs;
  return tokens >= minTokens && ms >= minMs ? (tokens * 1000) / ms : undefined;
}
