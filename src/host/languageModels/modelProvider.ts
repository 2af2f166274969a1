import type * as vscode from 'vscode';
import type { OfferedModels } from './list/offeredModels.ts';
import type { OfferedModel } from './offeredModel.ts';
import { withoutStack } from './reply/replyFailure.ts';
import { isVsCodesChat } from './requestInitiator.ts';
import type { ChatOffer } from './setup/chatOffer.ts';
import type { ProviderGroup } from './setup/providerGroup.ts';
import type { UtilityNotice } from './utility/utilityNotice.ts';

/** How a reply ended: with an answer, with calls of tools, after which an agent asks again, or by the user. */
export type ReplyEnd = 'answer' | 'calls' | 'cancelled';

/** Answers requests of VS Code's own chat, and of other extensions. */
export interface ModelReplies {
  /**
   * Asks the model, and passes on its reply as it comes.
   *
   * @throws what is to be shown in place of a reply
   */
  respond(
    model: OfferedModel,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    options: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<ReplyEnd>;
  /** About how many tokens it has. Called often: nothing is sent. */
  countTokens(
    model: OfferedModel,
    text: string | vscode.LanguageModelChatRequestMessage,
    token: vscode.CancellationToken,
  ): Promise<number>;
}

/** The gateways' models in VS Code's own chat: the list and the replies are each made elsewhere. */
export class ModelProvider implements vscode.LanguageModelChatProvider<OfferedModel> {
  readonly #models: OfferedModels;
  readonly #group: ProviderGroup;
  readonly #offer: ChatOffer;
  readonly #replies: ModelReplies;
  readonly #utilityNotice: UtilityNotice;
  readonly onDidChangeLanguageModelChatInformation: vscode.Event<void>;

  constructor(
    models: OfferedModels,
    group: ProviderGroup,
    offer: ChatOffer,
    replies: ModelReplies,
    utilityNotice: UtilityNotice,
  ) {
    this.#models = models;
    this.#group = group;
    this.#offer = offer;
    this.#replies = replies;
    this.#utilityNotice = utilityNotice;
    this.onDidChangeLanguageModelChatInformation = models.onDidChange;
  }

  async provideLanguageModelChatInformation(
    { silent }: { readonly silent: boolean },
    token: vscode.CancellationToken,
  ): Promise<OfferedModel[]> {
    const offered = await this.#models.list(silent, token);
    if (offered.length > 0) void this.#setUp();
    return [...offered];
  }

  async provideLanguageModelChatResponse(
    ...[model, ...asked]: Parameters<ModelReplies['respond']>
  ): Promise<void> {
    const isOfHost = isVsCodesChat(asked[1]);
    let end: ReplyEnd;
    try {
      end = await this.#replies.respond(this.#models.asked(model), ...asked);
    } catch (error) {
      throw isOfHost ? withoutStack(error) : error;
    }
    // Not while an agent is at work, whose next step would be covered.
    if (isOfHost && end === 'answer') void this.#utilityNotice.afterReply();
  }

  async #setUp(): Promise<void> {
    await this.#group.add();
    await this.#offer.make();
  }

  provideTokenCount(...asked: Parameters<ModelReplies['countTokens']>): Promise<number> {
    return this.#replies.countTokens(...asked);
  }
}
