import { randomUUID } from 'node:crypto';
import type { ChatResult } from '../../../client/types.ts';
import {
  createChatRequestRecord,
  finishRequestRecord,
} from '../../../conversations/conversation/chatRequestRecord.ts';
import { computeReplyCost } from '../../../conversations/conversation/cost.ts';
import { isUnbilled } from '../../../conversations/conversation/joinedResult.ts';
import type { ConversationService } from '../../../conversations/conversationService.ts';
import type { TextFormatId } from '../../../wire/apis/textFormats.ts';
import type { GatewayConnection } from '../../connection/gatewayConnection.ts';
import { buildGatewayKey } from '../../connection/gateways.ts';
import { readModelRules } from '../../models/modelSettings.ts';
import { replyPrice } from '../../models/replyPrice.ts';

/** The target of a counted request. */
export interface CountedTarget {
  readonly connection: GatewayConnection;
  readonly model: string;
  readonly format: TextFormatId;
}

/**
 * Stores the usage and cost of a request that did not add a message to a chat, unless the request was not billed.
 *
 * @param requesterId the id of the chat or other requester that the request is counted for
 * @param purpose one word for the purpose of the request
 */
export async function countRequest(
  conversations: ConversationService,
  requesterId: string,
  purpose: string,
  { connection: { gateway, state }, model, format }: CountedTarget,
  result: ChatResult,
): Promise<void> {
  const price = replyPrice({ gateway, rules: readModelRules(), models: state.models }, model, result);
  const cost = computeReplyCost(result, price);
  const gatewayRecord = { gateway: buildGatewayKey(gateway), gatewayName: gateway.name };
  const record = createChatRequestRecord(
    { model, format, parameters: {} },
    gatewayRecord,
    result.requestedAt.getTime(),
  );
  const finalResult = cost ? { ...result, cost } : result;
  if (isUnbilled(finalResult)) return;
  await conversations.change(({ usage }) =>
    usage.add(requesterId, `${purpose} ${randomUUID()}`, finishRequestRecord(record, finalResult)),
  );
}
