import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors.ts';
import { notify } from '../kit/display/notify.ts';
import { type Choice, pick } from '../kit/display/quickInput.ts';
import { isLocalWindow } from '../kit/localWindow.ts';
import type { CommandTable } from '../kit/manifest/command.ts';
import { modelArgument } from '../models/modelCommands.ts';
import { ensureGateway, pickModel } from '../models/modelPicker.ts';
import { newChatsWords } from '../models/modelsViewOffers.ts';
import type { AgentServices } from './agentServices.ts';
import { offeredId, vendor } from './languageModels/list/offeredModel.ts';
import { ChatSettingsChange, readChatSetting } from './languageModels/setup/chatSettings.ts';
import { findMissingModels, type MissingModels } from './languageModels/setup/copilotAgent.ts';
import { hasUtilityModelSetting, UtilityModelChange } from './languageModels/setup/utilityModel.ts';
import {
  canOfferModels,
  hasAccountModels,
  openVsCodeChat,
  switchOnVsCodeChat,
  vsCodeChatState,
} from './languageModels/setup/vsCodeChat.ts';
import { firstVersionWithoutAccount, requiresAccount } from './languageModels/setup/vsCodeVersion.ts';

interface UtilityChoice extends Choice {
  readonly choose: () => Promise<void>;
}

/** Lets the user choose the model that writes titles and commit messages in VS Code's own chat, and sets it. */
async function chooseUtilityModel(services: AgentServices): Promise<void> {
  const { t } = vscode.l10n;
  void services.offers.close('utility-model');
  if (!hasUtilityModelSetting()) {
    await notify(
      'info',
      t(
        'This version of VS Code has no setting for this (added in VS Code 1.128): its chat generates titles itself.',
      ),
    );
    return;
  }
  const change = new UtilityModelChange(services.memory);
  const choices: readonly UtilityChoice[] = [
    {
      icon: 'comment-discussion',
      label: t('The Model of Each Chat'),
      choose: () => setUtilityModel(change, undefined, t('the model of each chat')),
    },
    { icon: 'chip', label: t('One Model…'), choose: () => pickUtilityModel(services, change) },
    ...(change.canRestore
      ? [{ icon: 'discard', label: t('Restore Previous Setting'), choose: () => change.restore() }]
      : []),
  ];
  const title = t('Choose the model for titles and commit messages in VS Code’s chat');
  await (await pick(choices, { title }))?.choose();
}

async function pickUtilityModel(services: AgentServices, change: UtilityModelChange): Promise<void> {
  const model = await pickModel(services, { use: 'chat' });
  const { gateway } = services.connection.state;
  if (!model || !gateway) return;
  await setUtilityModel(change, `${vendor}/${offeredId(gateway, model.id)}`, model.id);
}

/**
 * Sets the model that writes titles, and offers to undo it.
 *
 * @param model vendor and id; undefined for the model of each chat
 * @param name of the model, as shown to the user
 */
async function setUtilityModel(
  change: UtilityModelChange,
  model: string | undefined,
  name: string,
): Promise<void> {
  const undo = await change.setModel(model);
  await offerUndo(undo, vscode.l10n.t('Titles and commit messages in VS Code’s chat: {0}.', name));
}

/** Reports a change, with a button that undoes it. */
async function offerUndo(undo: () => Promise<void>, words: string): Promise<void> {
  const label = vscode.l10n.t('Undo');
  if ((await notify('info', words, label)) === label) await undo();
}

/**
 * Opens VS Code's own chat with the model of a row, or with a model that the user picks. Switches the chat on if
 * needed.
 */
async function useInVsCodeChat(services: AgentServices, row?: unknown): Promise<void> {
  void services.offers.close('vscode-chat');
  if (!canOfferModels()) return notifyUnsupported();
  if (!(await ensureGateway(services))) return;
  const { gateway } = services.connection.state;
  if (!gateway) return;
  const only = services.modelChoices.vsCodeChatLookup(gateway);
  const model = modelArgument(row) ?? (await pickModel(services, { use: 'chat', only }));
  if (!model) return;
  const state = await vsCodeChatState();
  if (state === 'disabled') return notifyDisabled();
  if (requiresAccount(vscode.version)) {
    if (!(await hasAccountModels())) void notify('info', accountRequiredWords());
  } else if (state === 'off') await switchOnVsCodeChat();
  await openVsCodeChat(offeredId(gateway, model.id));
  const missing = await findMissingModels();
  if (missing) await offerRemedy(services, missing);
}

/** Shows our models in chats of VS Code that use another agent, and offers to undo the change. */
async function showInNewChats(services: AgentServices): Promise<void> {
  const missing = await findMissingModels(true);
  if (missing) return applyRemedy(services, missing);
  const change = newChatsChange(services);
  const restore = vscode.l10n.t('Restore Previous Setting');
  const words = newChatsWords(isLocalWindow() ? 'shown' : 'local');
  const buttons = change.canRestore ? [restore] : [];
  if ((await notify('info', words, ...buttons)) === restore) await change.restore();
}

async function offerRemedy(services: AgentServices, missing: MissingModels): Promise<void> {
  const { t } = vscode.l10n;
  const label = missing.canBeShown ? t('Show Them There') : t('Use Local Agent');
  const words = [
    t('This chat uses VS Code’s local agent.'),
    newChatsWords(missing.canBeShown ? 'hidden' : 'impossible'),
  ].join(' ');
  if ((await notify('info', words, label)) === label) await applyRemedy(services, missing);
}

async function applyRemedy(services: AgentServices, missing: MissingModels): Promise<void> {
  const { t } = vscode.l10n;
  const { canBeShown, remedy, requiresRestart } = missing;
  let undo: () => Promise<void>;
  try {
    undo = await newChatsChange(services).apply(remedy);
  } catch (error) {
    // For example, the user's organization has set it.
    await notify('error', t('VS Code did not change its setting: {0}', errorMessage(error)));
    return;
  }
  const overridden = Object.keys(remedy).filter((name) => readChatSetting(name) !== remedy[name]);
  if (overridden.length > 0) {
    await undo();
    const names = overridden.map((name) => `chat.${name}`).join(', ');
    await notify('error', t('The settings of this workspace override {0}. Change them there.', names));
    return;
  }
  const undoAndClose = async () => {
    await services.offers.close(canBeShown ? 'new-chats' : 'local-agent');
    await undo();
  };
  const words = [
    newChatsWords(canBeShown ? 'shown' : 'local'),
    ...(canBeShown ? [] : [t('This also applies to local windows.')]),
    ...(requiresRestart
      ? [t('Restart VS Code. Before VS Code 1.133, its Copilot agent may also require an account.')]
      : []),
  ];
  await offerUndo(undoAndClose, words.join(' '));
}

function newChatsChange({ memory }: AgentServices): ChatSettingsChange {
  return new ChatSettingsChange(memory, 'newChatsChanges');
}

/** Explains VS Code's own chat in a version that requires an account. */
function accountRequiredWords(): string {
  return vscode.l10n.t(
    'Chat in VS Code {0} requires a VS Code account. Starting with VS Code {1}, the models of your gateway do not require an account.',
    vscode.version,
    firstVersionWithoutAccount,
  );
}

async function notifyUnsupported(): Promise<void> {
  const words = vscode.l10n.t(
    'This editor’s chat cannot show models from extensions; this requires VS Code {0} or later.',
    '1.104',
  );
  await notify('info', words);
}

async function notifyDisabled(): Promise<void> {
  const { t } = vscode.l10n;
  const setting = 'chat.disableAIFeatures';
  const show = t('Show Setting');
  const words = t('VS Code’s own chat is turned off by its setting {0}.', setting);
  if ((await notify('info', words, show)) !== show) return;
  await vscode.commands.executeCommand('workbench.action.openSettings', `@id:${setting}`);
}

/** The commands of VS Code's own chat by their ids. */
export const vsCodeChatCommands = {
  'models.useInVsCodeChat': useInVsCodeChat,
  'vscodeChat.chooseUtilityModel': chooseUtilityModel,
  'vscodeChat.showInNewChats': showInNewChats,
} satisfies CommandTable<AgentServices>;
