import * as vscode from 'vscode';
import { errorTrace } from '../../../../base/errors.ts';
import type { GatewayClient } from '../../../../client/gatewayClient.ts';
import type { ChatResult } from '../../../../client/types.ts';
import type { ConversationService } from '../../../../conversations/conversationService.ts';
import type { SaidTurns } from '../../../../conversations/said/saidTurns.ts';
import type { OtherAsker } from '../../../../conversations/store/usage.ts';
import { type Asked, countRequest } from '../../../chat/asking/countRequest.ts';
import type { Connection } from '../../../connection/connection.ts';
import type { GatewayConnection } from '../../../connection/gatewayConnection.ts';
import { asGatewayError } from '../../../connection/gatewayError.ts';
import { type Gateways, gatewayOfKey } from '../../../connection/gateways.ts';
import type { Log } from '../../../kit/display/log.ts';
import type { OfferedModel } from '../list/offeredModel.ts';
import type { ModelReplies, ReplyEnd } from '../modelProvider.ts';
import { replyFailure } from '../replyFailure.ts';
import { askerOf } from '../requestInitiator.ts';
import type { HostOptions } from '../requestSettings.ts';
import { askModel } from './askModel.ts';
import { HostReply } from './hostReply.ts';
import { requestEstimate, TokenCounts } from './tokenCounts.ts';

interface RepliesServices {
  readonly connection: Connection;
  readonly gateways: Gateways;
  /** What models said before they called tools. */
  readonly memory: SaidTurns;
  readonly conversations: ConversationService;
  readonly log: Log;
}

/** Replies of gateways to VS Code's own chat and to other extensions, whichever API format a model is asked in. */
export class GatewayReplies implements ModelReplies {
  readonly #services: RepliesServices;
  readonly #counts = new TokenCounts();

  constructor(services: RepliesServices) {
    this.#services = services;
  }

  /** Sends one request, once. Cancelling closes its socket. */
  async respond(
    model: OfferedModel,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    options: vscode.ProvideLanguageModelChatResponseOptions & HostOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<ReplyEnd> {
    const { gateway, model: id, format, maxOutputTokens: maxOutput } = model;
    const { tools = [] } = options;
    const reply = new HostReply(progress);
    const ending = new AbortController();
    if (token.isCancellationRequested) ending.abort();
    const cancelled = token.onCancellationRequested(() => ending.abort());
    try {
      const question = { asked: { gateway, model: id, format }, messages, options, maxOutput };
      const connection = this.#connection(model);
      const client = await clientOf(connection);
      const answer = await askModel(client, question, this.#services.memory, reply, ending.signal);
      const { outcome } = answer.result;
      this.#count(askerOf(options), { connection, model: id, format }, answer.result);
      this.#learn(model, messages, tools, answer.result);
      if (outcome.kind === 'cancelled') return 'cancelled';
      if ('error' in outcome) throw replyFailure(outcome.error, tools);
      reply.end(answer);
      answer.remember(reply.words);
      return answer.made.length > 0 ? 'calls' : 'answer';
    } finally {
      cancelled.dispose();
    }
  }

  async countTokens(
    { id }: OfferedModel,
    content: string | vscode.LanguageModelChatRequestMessage,
  ): Promise<number> {
    return this.#counts.count(id, content);
  }

  #learn(
    { id }: OfferedModel,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    tools: readonly vscode.LanguageModelChatTool[],
    { usage }: ChatResult,
  ): void {
    if (usage?.inputTokens === undefined) return;
    const estimate = requestEstimate(messages, tools);
    if (estimate !== undefined) this.#counts.learn(id, estimate, usage.inputTokens);
  }

  /** Nobody waits for it, and no reply fails with it. */
  #count(asker: OtherAsker, asked: Asked, result: ChatResult): void {
    const { conversations, log } = this.#services;
    countRequest(conversations, asker, 'answer', asked, result).catch((error) =>
      log.warn('chat', `not counted: ${errorTrace(error)}`),
    );
  }

  #connection({ gateway, name }: OfferedModel): GatewayConnection {
    const { connection, gateways } = this.#services;
    const known = gatewayOfKey(gateways, gateway);
    const found = known && connection.find(known);
    if (found) return found;
    const words = vscode.l10n.t(
      'The gateway of {0} is not connected any more: choose another model in the model picker.',
      name,
    );
    throw vscode.LanguageModelError.NotFound(words);
  }
}

async function clientOf(connection: GatewayConnection): Promise<GatewayClient> {
  try {
    return await connection.client();
  } catch (error) {
    throw replyFailure(asGatewayError(error, connection.gateway), []);
  }
}
