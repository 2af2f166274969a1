import * as vscode from 'vscode';
import type { AgentServices } from './agentServices.ts';
import { vendor } from './languageModels/list/offeredModel.ts';
import { ModelProvider } from './languageModels/modelProvider.ts';
import { openReplies } from './languageModels/reply/openReplies.ts';
import { canOfferModels } from './languageModels/setup/hostChat.ts';
import { ProviderGroup } from './languageModels/setup/providerGroup.ts';

/**
 * Offers the gateways' models to VS Code's own chat and to other extensions. Editors made of an older VS Code lack
 * the API; there, nothing is offered.
 */
export function openLanguageModels(services: AgentServices): vscode.Disposable {
  const provider = new ModelProvider(
    services.offeredModels,
    new ProviderGroup(services.memory, services.log),
    services.offers,
    openReplies(services),
  );
  if (!canOfferModels()) {
    services.log.warn('chat', 'this editor cannot show models of extensions in its chat');
    return new vscode.Disposable(() => {});
  }
  return vscode.lm.registerLanguageModelChatProvider(vendor, provider);
}
