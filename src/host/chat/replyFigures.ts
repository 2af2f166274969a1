import type { Turn } from '../../conversations/conversation.ts';
import type { ReplyFigures } from '../../protocol/chatPage.ts';

/** The figures under the reply of a turn; none while it arrives, and of a reply that never began. */
export function replyFigures(turn: Turn): ReplyFigures {
  const { result } = turn;
  if (result === undefined || !turn.replies.some(({ parts }) => parts.length > 0)) return {};
  const { usage, firstTokenMs, totalMs, finishReason } = result;
  return {
    inputTokens: usage?.inputTokens,
    outputTokens: usage?.outputTokens,
    firstTokenMs,
    totalMs,
    tokensPerSecond: tokensPerSecond(usage?.outputTokens, firstTokenMs, totalMs),
    finishReason,
    // A failure's notice shows it beside ours.
    ...('error' in result.outcome ? {} : { gatewayRequestId: result.gatewayRequestId }),
  };
}

function tokensPerSecond(
  tokens: number | undefined,
  firstTokenMs: number | undefined,
  totalMs: number,
): number | undefined {
  if (tokens === undefined || firstTokenMs === undefined || totalMs <= firstTokenMs) return undefined;
  return (tokens * 1000) / (totalMs - firstTokenMs);
}
