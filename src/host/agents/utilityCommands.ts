import * as vscode from 'vscode';
import { notify } from '../kit/display/notify.ts';
import { type Choice, pick } from '../kit/display/prompts.ts';
import type { CommandTable } from '../kit/manifest/command.ts';
import { pickModel } from '../models/modelPicker.ts';
import type { AgentServices } from './agentServices.ts';
import { offeredId } from './languageModels/list/offeredId.ts';
import { vendor } from './languageModels/list/offeredModel.ts';
import {
  hasBefore,
  hasUtilityModel,
  restoreUtilityModel,
  setUtilityModel,
} from './languageModels/utility/utilityModel.ts';

interface UtilityChoice extends Choice {
  readonly choose: () => Promise<void>;
}

/** Asks who writes titles and commit messages in VS Code's own chat, and sets it. */
async function chooseUtilityModel(services: AgentServices): Promise<void> {
  const { t } = vscode.l10n;
  void services.offers.answer('utility-model');
  if (!hasUtilityModel()) {
    await notify(
      'info',
      t('This VS Code has no setting for it: its chat names itself (since VS Code 1.128).'),
    );
    return;
  }
  const { memory } = services;
  const choices: readonly UtilityChoice[] = [
    {
      icon: 'comment-discussion',
      label: t('The Model of Each Chat'),
      choose: () => set(memory, undefined, t('the model of each chat')),
    },
    { icon: 'chip', label: t('One Model…'), choose: () => chooseModel(services) },
    ...(hasBefore(memory)
      ? [{ icon: 'discard', label: t('Restore Previous Setting'), choose: () => restoreUtilityModel(memory) }]
      : []),
  ];
  const title = t('Choose the model for titles and commit messages in VS Code’s chat');
  await (await pick(choices, { title }))?.choose();
}

async function chooseModel(services: AgentServices): Promise<void> {
  const model = await pickModel(services, { use: 'chat' });
  const { gateway } = services.connection.state;
  if (!model || !gateway) return;
  await set(services.memory, `${vendor}/${offeredId(gateway, model.id)}`, model.id);
}

async function set(memory: vscode.Memento, model: string | undefined, who: string): Promise<void> {
  await setUtilityModel(memory, model);
  await tellUtilityModel(memory, who);
}

/** Says which model writes titles from now on, and offers to undo it. */
async function tellUtilityModel(memory: vscode.Memento, who: string): Promise<void> {
  const { t } = vscode.l10n;
  const undo = t('Undo');
  const words = t('Titles and commit messages in VS Code’s chat: {0}.', who);
  if ((await notify('info', words, undo)) === undo) await restoreUtilityModel(memory);
}

/** The commands of VS Code's own chat by their ids. */
export const vscodeChatCommands = {
  'vscodeChat.chooseUtilityModel': chooseUtilityModel,
} satisfies CommandTable<AgentServices>;
