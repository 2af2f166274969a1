import { errorTrace } from '../../../../base/errors.ts';
import type { ConversationService } from '../../../../conversations/conversationService.ts';
import { SaidTurns } from '../../../../conversations/said/saidTurns.ts';
import type { ConversationWorker } from '../../../../conversations/worker/conversationWorker.ts';
import type { Connection } from '../../../connection/connection.ts';
import type { Gateways } from '../../../connection/gateways.ts';
import type { Log } from '../../../kit/display/log.ts';
import type { ModelReplies } from '../modelProvider.ts';
import { GatewayReplies } from './gatewayReplies.ts';

/** A reply does not wait longer for a disk that does not answer. */
const maxReadMs = 3_000;

interface ReplyServices {
  readonly connection: Connection;
  readonly gateways: Gateways;
  readonly chatWorker: ConversationWorker;
  readonly conversations: ConversationService;
  readonly log: Log;
}

/** Creates what answers VS Code's own chat, with the memory of what models said before they called tools. */
export function openReplies({
  connection,
  gateways,
  chatWorker,
  conversations,
  log,
}: ReplyServices): ModelReplies {
  const memory = new SaidTurns(
    {
      keep: (turn) => chatWorker.ask('keepSaid', turn),
      find: (ids) => chatWorker.ask('findSaid', ids, { signal: AbortSignal.timeout(maxReadMs) }),
    },
    // The conversation goes on, without its reasoning.
    (error) => log.error('chat', errorTrace(error)),
  );
  return new GatewayReplies({ connection, gateways, memory, conversations, log });
}
