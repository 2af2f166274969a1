import { randomUUID } from 'node:crypto';
import type { ChatResult } from '../../../client/types.ts';
import { madeNothing } from '../../../conversations/conversation/joinedResult.ts';
import { askedRecord, endedRecord } from '../../../conversations/conversation/requestRecord.ts';
import type { ConversationService } from '../../../conversations/conversationService.ts';
import { replyCost } from '../../../conversations/cost/replyCost.ts';
import type { TextFormatId } from '../../../wire/apis/textFormats.ts';
import type { GatewayConnection } from '../../connection/gatewayConnection.ts';
import { gatewayKey } from '../../connection/gateways.ts';
import { readModelRules } from '../../models/modelSettings.ts';
import { replyPrice } from './replyPrice.ts';

/** Whom a request asked. */
export interface Asked {
  readonly connection: GatewayConnection;
  readonly model: string;
  readonly format: TextFormatId;
}

/**
 * Counts what a request that made no message of a chat used and cost, unless there is proof that nothing was made.
 *
 * @param chat with which it is counted: its id, or another asker
 * @param what it was for, in a word
 */
export async function countRequest(
  conversations: ConversationService,
  chat: string,
  what: string,
  { connection: { gateway, state }, model, format }: Asked,
  result: ChatResult,
): Promise<void> {
  const price = replyPrice({ gateway, rules: readModelRules(), models: state.models }, model, result);
  const cost = replyCost(result, price);
  const asked = { gateway: gatewayKey(gateway), gatewayName: gateway.name };
  const record = askedRecord({ model, format, parameters: {} }, asked, result.requestedAt.getTime());
  const ended = cost ? { ...result, cost } : result;
  if (madeNothing(ended)) return;
  await conversations.change(({ usage }) =>
    usage.add(chat, `${what} ${randomUUID()}`, endedRecord(record, ended)),
  );
}
