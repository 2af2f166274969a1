import * as vscode from 'vscode';
import { errorTrace } from '../../base/errors.ts';
import { VerbatimTurns } from '../../conversations/verbatim/verbatimTurns.ts';
import type { AgentServices } from './agentServices.ts';
import { vendor } from './languageModels/list/offeredModel.ts';
import { ModelProvider } from './languageModels/modelProvider.ts';
import { GatewayReplies } from './languageModels/reply/gatewayReplies.ts';
import { ProviderGroup } from './languageModels/setup/providerGroup.ts';
import { canOfferModels } from './languageModels/setup/vsCodeChat.ts';

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
  const provider = new ModelProvider(
    services.offeredModels,
    new ProviderGroup(services.memory, log),
    services.offers,
    replies,
  );
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider(vendor, provider), replies);
}
