import * as vscode from 'vscode';
import { errorTrace } from '../../../../base/errors.ts';
import type { GatewayClient } from '../../../../client/gatewayClient.ts';
import type { ChatResult } from '../../../../client/types.ts';
import type { OtherInitiator } from '../../../../conversations/store/usageLedger.ts';
import type { VerbatimTurns } from '../../../../conversations/verbatim/verbatimTurns.ts';
import { type CountedTarget, countRequest } from '../../../chat/session/countRequest.ts';
import type { GatewayConnection } from '../../../connection/gatewayConnection.ts';
import { findGatewayByKey } from '../../../connection/gateways.ts';
import { chooseCaching } from '../../../connection/requestCaching.ts';
import { toGatewayError } from '../../../connection/unsentError.ts';
import { readModelRules } from '../../../models/modelSettings.ts';
import type { RequestServices } from '../../../requests/requestServices.ts';
import type { OfferedModel } from '../list/offeredModel.ts';
import { replyFailure } from '../replyFailure.ts';
import { isFromAgentHost, usageInitiator } from '../requestInitiator.ts';
import type { VsCodeOptions } from '../requestSettings.ts';
import { FailedRequests } from './failedRequests.ts';
import { sendToModel } from './sendToModel.ts';
import { requestEstimate, TokenCounts } from './tokenCounts.ts';
import { VsCodeReply } from './vsCodeReply.ts';

interface RepliesServices extends RequestServices {
  /** The stored turns of models, which are sent back unchanged. */
  readonly turns: VerbatimTurns;
}

/** How a reply ended. After `calls`, an agent sends their results in another request. */
type ReplyEnd = 'text' | 'calls' | 'cancelled';

/** Replies to requests of VS Code's own chat and of other extensions, in every API format. */
export class GatewayReplies implements vscode.Disposable {
  readonly #services: RepliesServices;
  readonly #counts = new TokenCounts();
  readonly #failed = new FailedRequests();
  readonly #unsentErrors = new WeakSet<object>();
  readonly #subscriptions: readonly vscode.Disposable[];

  constructor(services: RepliesServices) {
    this.#services = services;
    // The user may have corrected a key, an address or a limit.
    this.#subscriptions = [services.gateways, services.credentials].map(({ onDidChange }) =>
      onDidChange(() => this.#failed.forget()),
    );
  }

  /**
   * Sends one request to the model, without retries, and passes on its reply as it arrives. Cancelling closes the
   * socket; VS Code reports a cancellation after the start since 1.127.
   *
   * @throws the error to show instead of a reply
   */
  async respond(
    model: OfferedModel,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    options: vscode.ProvideLanguageModelChatResponseOptions & VsCodeOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<ReplyEnd> {
    const send = () => this.#send(model, messages, options, progress, token);
    const isUnsent = (error: unknown) => error instanceof Error && this.#unsentErrors.has(error);
    const { modelConfiguration } = options;
    return isFromAgentHost(options)
      ? this.#failed.send({ id: model.id, modelConfiguration }, messages, send, isUnsent)
      : send();
  }

  dispose(): void {
    for (const each of this.#subscriptions) each.dispose();
  }

  async #send(
    model: OfferedModel,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    options: vscode.ProvideLanguageModelChatResponseOptions & VsCodeOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<ReplyEnd> {
    const { gateway, model: id, format, maxOutputTokens: maxOutput } = model;
    const { tools = [] } = options;
    const reply = new VsCodeReply(progress);
    const controller = new AbortController();
    if (token.isCancellationRequested) controller.abort();
    const subscription = token.onCancellationRequested(() => controller.abort());
    try {
      const thinkTags = readModelRules().thinkTags(id);
      const turnModel = { gateway, model: id, format };
      const initiator = usageInitiator(options);
      const connection = this.#connection(model);
      const caching = chooseCaching({ connection, model: id, format });
      const request = { turnModel, messages, options, maxOutput, thinkTags, caching, initiator };
      const client = await openClient(connection);
      const modelReply = await sendToModel(client, request, this.#services.turns, reply, controller.signal);
      const { outcome } = modelReply.result;
      this.#count(initiator, { connection, model: id, format }, modelReply.result);
      this.#calibrate(model, messages, tools, modelReply.result);
      if (outcome.kind === 'cancelled') return 'cancelled';
      if ('error' in outcome) {
        const failure = replyFailure(outcome.error, tools);
        if (outcome.error.wasSent === false) this.#unsentErrors.add(failure);
        throw failure;
      }
      reply.end(modelReply);
      modelReply.storeTurn(reply.sentText);
      return modelReply.accepted.length > 0 ? 'calls' : 'text';
    } finally {
      subscription.dispose();
    }
  }

  /** Estimates the number of tokens. Does not send a request, because VS Code calls this method often. */
  countTokens({ id }: OfferedModel, content: string | vscode.LanguageModelChatRequestMessage): number {
    return this.#counts.count(id, content);
  }

  #calibrate(
    { id }: OfferedModel,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    tools: readonly vscode.LanguageModelChatTool[],
    { usage }: ChatResult,
  ): void {
    if (usage?.inputTokens === undefined) return;
    const estimate = requestEstimate(messages, tools);
    if (estimate !== undefined) this.#counts.calibrate(id, estimate, usage.inputTokens);
  }

  /** Counts the usage in the background, because the reply must not fail if counting fails. */
  #count(initiator: OtherInitiator, target: CountedTarget, result: ChatResult): void {
    const { conversations, log } = this.#services;
    countRequest(conversations, initiator, 'reply', target, result).catch((error) =>
      log.warn('chat', `could not count the request: ${errorTrace(error)}`),
    );
  }

  #connection({ gateway, name }: OfferedModel): GatewayConnection {
    const { connection: connections, gateways } = this.#services;
    const configured = findGatewayByKey(gateways, gateway);
    const connection = configured && connections.find(configured);
    if (connection) return connection;
    const words = vscode.l10n.t(
      'The gateway of {0} is no longer connected: choose another model in the model picker.',
      name,
    );
    throw vscode.LanguageModelError.NotFound(words);
  }
}

async function openClient(connection: GatewayConnection): Promise<GatewayClient> {
  try {
    return await connection.getClient();
  } catch (error) {
    throw replyFailure(toGatewayError(error, connection.gateway), []);
  }
}
