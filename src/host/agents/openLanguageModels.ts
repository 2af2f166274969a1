import * as vscode from 'vscode';
import { errorTrace } from '../../base/errors.ts';
import { VerbatimTurns } from '../../conversations/verbatim/verbatimTurns.ts';
import type { AgentServices } from './agentServices.ts';
import { vendor } from './languageModels/list/offeredModel.ts';
import { ModelProvider } from './languageModels/modelProvider.ts';
import { GatewayReplies } from './languageModels/reply/gatewayReplies.ts';
import { ProviderGroup } from './languageModels/setup/providerGroup.ts';
import { canOfferModels } from './languageModels/setup/vsCodeChat.ts';

/** The longest wait of a reply for a disk that does not respond. */
const maxReadMs = 3_000;

/**
 * Offers the gateways' models to VS Code's own chat and to other extensions. Does nothing in editors that are
 * based on an older VS Code without the API.
 */
export function openLanguageModels(services: AgentServices): vscode.Disposable {
  const { chatWorker, log } = services;
  if (!canOfferModels()) {
    log.warn('chat', 'this editor cannot show models of extensions in its chat');
    return new vscode.Disposable(() => {});
  }
  const turns = new VerbatimTurns(
    {
      add: (turn) => chatWorker.request('storeVerbatimTurn', turn),
      find: (ids) => chatWorker.request('findVerbatimTurns', ids, { signal: AbortSignal.timeout(maxReadMs) }),
    },
    // Without the stored turns, the conversation continues without its reasoning.
    (error) => log.error('chat', errorTrace(error)),
  );
  const replies = new GatewayReplies({ ...services, memory: turns });
  const provider = new ModelProvider(
    services.offeredModels,
    new ProviderGroup(services.memory, log),
    services.offers,
    replies,
  );
  return vscode.Disposable.from(vscode.lm.registerLanguageModelChatProvider(vendor, provider), replies);
}
