import * as vscode from 'vscode';
import { notify } from '../kit/display/notify.ts';
import type { CommandTable } from '../kit/manifest/command.ts';
import { modelOf } from '../models/modelCommands.ts';
import { pickModel } from '../models/modelPicker.ts';
import { connected } from '../models/noGateway.ts';
import type { AgentServices } from './agentServices.ts';
import { offeredId } from './languageModels/list/offeredId.ts';
import {
  canOfferModels,
  hasOwnModels,
  hostChatState,
  openHostChat,
  switchOnHostChat,
} from './languageModels/setup/hostChat.ts';
import { asksForAccount, firstWithoutAccount } from './languageModels/setup/hostVersion.ts';

/** Opens VS Code's own chat with the model of a row, else with one that the user picks, and switches it on if need be. */
async function useInVsCodeChat(services: AgentServices, row?: unknown): Promise<void> {
  void services.offers.answer('vscode-chat');
  if (!canOfferModels()) return tellUnable();
  if (!(await connected(services))) return;
  const { gateway } = services.connection.state;
  if (!gateway) return;
  const only = services.modelNotes.inVsCodeChatAt(gateway);
  const model = modelOf(row) ?? (await pickModel(services, { use: 'chat', only }));
  if (!model) return;
  const state = await hostChatState();
  if (state === 'unwanted') return tellUnwanted();
  if (asksForAccount(vscode.version)) {
    if (!(await hasOwnModels())) void notify('info', olderWords());
  } else if (state === 'off') await switchOnHostChat();
  await openHostChat(offeredId(gateway, model.id));
}

/** What to know about VS Code's own chat in a version that asks for an account. */
function olderWords(): string {
  return vscode.l10n.t(
    'The chat of VS Code {0} needs a VS Code account. Since VS Code {1}, it needs none for the models of your gateway.',
    vscode.version,
    firstWithoutAccount,
  );
}

async function tellUnable(): Promise<void> {
  const words = vscode.l10n.t(
    'This editor cannot show models of extensions in its chat; VS Code can since version {0}.',
    '1.104',
  );
  await notify('info', words);
}

async function tellUnwanted(): Promise<void> {
  const { t } = vscode.l10n;
  const setting = 'chat.disableAIFeatures';
  const show = t('Show Setting');
  const words = t('VS Code’s own chat is switched off by its setting {0}.', setting);
  if ((await notify('info', words, show)) !== show) return;
  await vscode.commands.executeCommand('workbench.action.openSettings', `@id:${setting}`);
}

/** The commands that lead to VS Code's own chat, by their ids. */
export const vscodeChatSetupCommands = {
  'models.useInVsCodeChat': useInVsCodeChat,
} satisfies CommandTable<AgentServices>;
