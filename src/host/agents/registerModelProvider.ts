import * as vscode from 'vscode';
import { errorMessage, errorTrace } from '../../base/errors.ts';
import { VerbatimTurns } from '../../conversations/verbatim/verbatimTurns.ts';
import type { Log } from '../kit/display/log.ts';
import { extensionName } from '../kit/manifest/contributions.ts';
import type { AgentServices } from './agentServices.ts';
import { type OfferedModel, vendor } from './languageModels/list/offeredModel.ts';
import { GatewayReplies } from './languageModels/reply/gatewayReplies.ts';
import { withoutStack } from './languageModels/replyFailure.ts';
import { isFromVsCodeChat } from './languageModels/requestInitiator.ts';
import { findMissingModels } from './languageModels/setup/copilotAgent.ts';
import { lacksUtilityModel } from './languageModels/setup/utilityModel.ts';
import { canOfferModels, vsCodeChatState } from './languageModels/setup/vsCodeChat.ts';
import { requiresAccount } from './languageModels/setup/vsCodeVersion.ts';

/** The time limit for reading stored turns, in case the disk does not respond. */
const maxReadMs = 3_000;

/**
 * Offers the gateways' models to VS Code's own chat and to other extensions. Does nothing in editors that are
 * based on an older VS Code without the API.
 */
export function registerModelProvider(context: vscode.ExtensionContext, services: AgentServices): void {
  const { chatWorker, log } = services;
  if (!canOfferModels()) {
    log.warn('chat', 'this editor cannot show models of extensions in its chat');
    return;
  }
  const turns = new VerbatimTurns(
    {
      add: (turn) => chatWorker.request('storeVerbatimTurn', turn),
      find: (ids) => chatWorker.request('findVerbatimTurns', ids, { signal: AbortSignal.timeout(maxReadMs) }),
    },
    // The conversation continues without the stored turns; only their reasoning is missing.
    (error) => log.error('chat', errorTrace(error)),
  );
  const replies = new GatewayReplies({ ...services, turns });
  const provider = new ModelProvider(services, replies);
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider(vendor, provider),
    replies,
    services.offeredModels.onDidChange(() => void provider.updateOffers()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('chat')) void provider.updateOffers();
    }),
  );
}

/** Provides the gateways' models to VS Code. `OfferedModels` builds the list, and `GatewayReplies` the replies. */
class ModelProvider implements vscode.LanguageModelChatProvider<OfferedModel> {
  readonly #services: AgentServices;
  readonly #group: ProviderGroup;
  readonly #replies: GatewayReplies;
  readonly onDidChangeLanguageModelChatInformation: vscode.Event<void>;

  constructor(services: AgentServices, replies: GatewayReplies) {
    this.#services = services;
    this.#group = new ProviderGroup(services.memory, services.log);
    this.#replies = replies;
    this.onDidChangeLanguageModelChatInformation = services.offeredModels.onDidChange;
  }

  async provideLanguageModelChatInformation(
    { silent }: { readonly silent: boolean },
    token: vscode.CancellationToken,
  ): Promise<OfferedModel[]> {
    const offered = await this.#services.offeredModels.list(silent, token);
    if (offered.length > 0) void this.#group.add();
    void this.updateOffers();
    return [...offered];
  }

  async provideLanguageModelChatResponse(
    ...[model, messages, options, ...others]: Parameters<GatewayReplies['respond']>
  ): Promise<void> {
    const { offeredModels, offers } = this.#services;
    const isFromChat = isFromVsCodeChat(options);
    const end = await this.#replies
      .respond(offeredModels.withChosenFormat(model), messages, options, ...others)
      .catch((error) => {
        throw isFromChat ? withoutStack(error) : error;
      });
    if (isFromChat && end === 'text') void offers.make('utility-model', lacksUtilityModel);
  }

  async provideTokenCount(...parameters: Parameters<GatewayReplies['countTokens']>): Promise<number> {
    return this.#replies.countTokens(...parameters);
  }

  /** Offers to show the models in VS Code's chat, if it does not show them and there are models. */
  async updateOffers(): Promise<void> {
    const { offers, offeredModels } = this.#services;
    // Read last: the list may change while VS Code's state is read.
    const hasModels = () => offeredModels.offered.length > 0;
    if (!hasModels()) offers.withdraw('utility-model');
    await offers.make(
      'vscode-chat',
      async () => !requiresAccount(vscode.version) && (await vsCodeChatState()) === 'off' && hasModels(),
    );
    const missing = (await vsCodeChatState()) === 'ready' ? await findMissingModels() : undefined;
    await offers.make('new-chats', () => missing?.canBeShown === true && hasModels());
    await offers.make('local-agent', () => missing?.canBeShown === false && hasModels());
  }
}

const addedKey = 'vscodeChatGroupAdded';
/** Available since VS Code 1.109. Older versions do not require a sign-in for models of extensions. */
const addGroup = 'lm.addLanguageModelsProviderGroup';

/**
 * The group of our models in VS Code's own list of providers. VS Code (1.139) uses models of extensions only if
 * such a group exists: without one, its chat prompts signed-out users to sign in at the first question.
 */
class ProviderGroup {
  readonly #memory: vscode.Memento;
  readonly #log: Log;
  #hasRequested = false;

  constructor(memory: vscode.Memento, log: Log) {
    this.#memory = memory;
    this.#log = log;
  }

  /** Adds the group once for all windows. If the user deletes it, it is not added again. */
  async add(): Promise<void> {
    if (this.#hasRequested || this.#memory.get<boolean>(addedKey, false)) return;
    this.#hasRequested = true;
    try {
      if (!(await vscode.commands.getCommands(true)).includes(addGroup)) return;
      // VS Code refuses the group if another window has added it since.
      await vscode.commands.executeCommand(addGroup, { vendor, name: extensionName });
    } catch (error) {
      this.#log.warn('chat', `could not add a group of models to VS Code’s list: ${errorMessage(error)}`);
    }
    await this.#memory.update(addedKey, true);
  }
}
