import * as vscode from 'vscode';
import type { ChatResult } from '../../../client/types.ts';
import type { CostRecord } from '../../../conversations/conversation/conversationRecord.ts';
import type { ChatCost } from '../../../conversations/conversation/cost.ts';
import { hasCompleteCounts } from '../../../conversations/conversation/joinedResult.ts';
import { isEmptyTurn, type ReplyResult, type Turn } from '../../../conversations/conversation/turn.ts';
import type { CostView, ReplyFigures } from '../../../protocol/chatTurn.ts';
import { findServiceTier } from '../../../wire/apis/models/serviceTier.ts';
import { costText } from '../../models/modelFigures.ts';

/** The minimum output and time for a speed. For a shorter reply, the speed would depend on the network. */
const minTokens = 20;
const minMs = 250;

/** Creates the figures under the reply of a turn. They are empty for an arriving, empty, unfinished or edited reply. */
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
    // The notice of a failure already shows this id.
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

/** Describes the cost of a reply with its source; undefined if the cost is unknown. */
function createCostView(result: ReplyResult): CostView | undefined {
  const { cost } = result;
  if (!cost) return undefined;
  const sum = costText(cost.usd, vscode.env.language);
  if (hasCompleteCounts(result)) {
    const text =
      cost.source === 'gateway' ? vscode.l10n.t('charged {0}', sum) : vscode.l10n.t('about {0}', sum);
    return { text, explanation: describeSource(cost, result) };
  }
  const mayBeMore = vscode.l10n.t('The reply is incomplete, so it may have cost more.');
  return {
    text: vscode.l10n.t('at least {0}', sum),
    explanation: `${describeSource(cost, result)} ${mayBeMore}`,
  };
}

/** Explains why a cost is unknown. */
function describeUnknownCost({ serviceTier }: ReplyResult): string {
  if (serviceTier !== undefined && findServiceTier(serviceTier) !== 'standard') {
    return vscode.l10n.t(
      'Cost: unknown. The request was processed as “{0}”, but neither the gateway nor the setting {1} has a price for that.',
      serviceTier,
      'modelGateway.models',
    );
  }
  return vscode.l10n.t(
    'Cost: unknown. The gateway reported no cost, and neither the gateway nor the setting {0} has all the prices needed for an estimate.',
    'modelGateway.models',
  );
}

/** Describes the sum of a chat's costs; undefined if all costs are unknown. */
export function describeChatCost({
  usd,
  pricedCount,
  unpricedCount,
  isCharged,
  isLowerBound,
}: ChatCost): string | undefined {
  if (pricedCount === 0) return undefined;
  const sum = costText(usd, vscode.env.language);
  const known = isLowerBound
    ? vscode.l10n.t('This chat: at least {0}', sum)
    : isCharged
      ? vscode.l10n.t('This chat: charged {0}', sum)
      : vscode.l10n.t('This chat: about {0}', sum);
  return unpricedCount === 0 ? known : vscode.l10n.t('{0}, +{1} without a price', known, unpricedCount);
}

function describeSource({ source }: CostRecord, { serviceTier }: ReplyResult): string {
  if (source === 'gateway') return vscode.l10n.t('Charged: cost reported by the gateway.');
  const service = findServiceTier(serviceTier);
  const text =
    source === 'user-price'
      ? vscode.l10n.t('Estimated from your price in the setting {0}.', 'modelGateway.models')
      : vscode.l10n.t('Estimated from the price listed by the gateway.');
  return service === undefined || service === 'standard'
    ? text
    : `${text} ${vscode.l10n.t('The request was processed as “{0}”, which has its own rate.', service)}`;
}
