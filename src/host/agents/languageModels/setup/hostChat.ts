import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { questionClosed } from '../../../kit/display/prompts.ts';
import { vendor } from '../list/offeredModel.ts';

/** The extension that VS Code brings along for its own chat, by its id and by its folder. */
const chatExtension = { id: 'GitHub.copilot-chat', folder: 'copilot' };
/** The vendor of the models that come with VS Code's own account. */
const ownVendor = 'copilot';
const aiSetting = 'disableAIFeatures';

/** `off` as VS Code (1.139) leaves its chat until somebody signs in or chooses models; `unwanted` by a setting. */
export type HostChatState = 'ready' | 'off' | 'unwanted';

/** Whether VS Code's own chat answers. Where it lacks the extension altogether, nothing is known against it. */
export async function hostChatState(): Promise<HostChatState> {
  if (chatSettings().get(aiSetting) === true) return 'unwanted';
  if (vscode.extensions.getExtension(chatExtension.id)) return 'ready';
  return (await isBroughtAlong()) ? 'off' : 'ready';
}

/**
 * Switches VS Code's own chat on, without an account. VS Code does so when its setting for it changes, even from the
 * default to the same value.
 */
export async function switchOnHostChat(): Promise<void> {
  const isSet = chatSettings().inspect(aiSetting)?.globalValue === false;
  await chatSettings().update(aiSetting, isSet ? undefined : false, vscode.ConfigurationTarget.Global);
}

/**
 * Opens VS Code's own chat, for its agent.
 *
 * @param model the id by which it is offered; the model chosen last without one
 */
export async function openHostChat(model?: string): Promise<void> {
  // VS Code's chat takes the focus.
  await questionClosed();
  const open = (chosen: object) =>
    vscode.commands.executeCommand('workbench.action.chat.open', { mode: 'agent', ...chosen });
  if (model === undefined) return void (await open({}));
  try {
    await open({ modelSelector: { vendor, id: model } });
  } catch {
    // VS Code has not read the list yet, or hides the model in its own.
    await open({});
  }
}

/** Whether this editor can show models of extensions in its chat at all. */
export function canOfferModels(): boolean {
  return 'registerLanguageModelChatProvider' in vscode.lm;
}

/**
 * Whether VS Code's own account brings models. An account alone does not tell: one may be signed in without a seat, or
 * models be there without one, and some editors have no sign-in at all. Nobody is asked to sign in.
 */
export async function hasOwnModels(): Promise<boolean> {
  return (await vscode.lm.selectChatModels({ vendor: ownVendor })).length > 0;
}

async function isBroughtAlong(): Promise<boolean> {
  const brought = vscode.extensions.all.find(({ packageJSON }) => packageJSON.isBuiltin === true);
  if (!brought) return false;
  return access(join(dirname(brought.extensionPath), chatExtension.folder)).then(
    () => true,
    () => false,
  );
}

function chatSettings(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('chat');
}
