import * as vscode from 'vscode';
import type { ModelsViewOffers } from '../../models/modelsViewOffers.ts';
import type { OfferedModel } from './list/offeredModel.ts';
import type { OfferedModels } from './list/offeredModels.ts';
import { withoutStack } from './replyFailure.ts';
import { isFromVsCodeChat } from './requestInitiator.ts';
import { findMissingModels } from './setup/copilotAgent.ts';
import type { ProviderGroup } from './setup/providerGroup.ts';
import { lacksUtilityModel } from './setup/utilityModel.ts';
import { vsCodeChatState } from './setup/vsCodeChat.ts';
import { requiresAccount } from './setup/vsCodeVersion.ts';

/** How a reply ended. After `calls`, an agent sends their results in another request. */
export type ReplyEnd = 'text' | 'calls' | 'cancelled';

/** Replies to requests of VS Code's own chat and of other extensions. */
export interface ModelReplies {
  /**
   * Sends a request to the model, and passes on its reply as it arrives.
   *
   * @throws the error to show instead of a reply
   */
  respond(
    model: OfferedModel,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    options: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<ReplyEnd>;
  /** Estimates the number of tokens. VS Code calls it often, so it sends nothing. */
  countTokens(
    model: OfferedModel,
    text: string | vscode.LanguageModelChatRequestMessage,
    token: vscode.CancellationToken,
  ): Promise<number>;
}

/** Provides the gateways' models to VS Code. `OfferedModels` builds the list, and `ModelReplies` the replies. */
export class ModelProvider implements vscode.LanguageModelChatProvider<OfferedModel> {
  readonly #models: OfferedModels;
  readonly #group: ProviderGroup;
  readonly #offers: ModelsViewOffers;
  readonly #replies: ModelReplies;
  readonly onDidChangeLanguageModelChatInformation: vscode.Event<void>;

  constructor(models: OfferedModels, group: ProviderGroup, offers: ModelsViewOffers, replies: ModelReplies) {
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
    if (offered.length > 0) void this.#prepareVsCode();
    return [...offered];
  }

  async provideLanguageModelChatResponse(
    ...[model, messages, options, ...others]: Parameters<ModelReplies['respond']>
  ): Promise<void> {
    const isFromHost = isFromVsCodeChat(options);
    let end: ReplyEnd;
    try {
      end = await this.#replies.respond(this.#models.withChosenFormat(model), messages, options, ...others);
    } catch (error) {
      throw isFromHost ? withoutStack(error) : error;
    }
    if (isFromHost && end === 'text') void this.#offers.make('utility-model', lacksUtilityModel);
  }

  /** Adds our group of models to VS Code's list, and offers to show the models in its chat. */
  async #prepareVsCode(): Promise<void> {
    await this.#group.add();
    await this.#offers.make(
      'vscode-chat',
      async () => !requiresAccount(vscode.version) && (await vsCodeChatState()) === 'off',
    );
    await this.#offers.make(
      'new-chats',
      async () => (await vsCodeChatState()) === 'ready' && (await findMissingModels()) !== undefined,
    );
  }

  provideTokenCount(...parameters: Parameters<ModelReplies['countTokens']>): Promise<number> {
    return this.#replies.countTokens(...parameters);
  }
}
