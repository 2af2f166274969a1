import * as vscode from 'vscode';
import type { Offers } from '../../models/offers.ts';
import type { OfferedModel } from './list/offeredModel.ts';
import type { OfferedModels } from './list/offeredModels.ts';
import { withoutStack } from './replyFailure.ts';
import { isVsCodesChat } from './requestInitiator.ts';
import { hostChatState } from './setup/hostChat.ts';
import { asksForAccount } from './setup/hostVersion.ts';
import type { ProviderGroup } from './setup/providerGroup.ts';
import { lacksUtilityModel } from './utility/utilityModel.ts';

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
  readonly #offers: Offers;
  readonly #replies: ModelReplies;
  readonly onDidChangeLanguageModelChatInformation: vscode.Event<void>;

  constructor(models: OfferedModels, group: ProviderGroup, offers: Offers, replies: ModelReplies) {
    this.#models = models;
    this.#group = group;
    this.#offers = offers;
    this.#replies = replies;
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
    if (isOfHost && end === 'answer') void this.#offers.make('utility-model', lacksUtilityModel);
  }

  async #setUp(): Promise<void> {
    await this.#group.add();
    await this.#offers.make(
      'vscode-chat',
      async () => !asksForAccount(vscode.version) && (await hostChatState()) === 'off',
    );
  }

  provideTokenCount(...asked: Parameters<ModelReplies['countTokens']>): Promise<number> {
    return this.#replies.countTokens(...asked);
  }
}
