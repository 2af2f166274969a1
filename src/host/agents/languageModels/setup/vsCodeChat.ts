import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { waitForOpenQuestion } from '../../../kit/display/quickInput.ts';
import { vendor } from '../list/offeredModel.ts';
import { readChatSetting } from './chatSettings.ts';

/** The extension that VS Code includes for its own chat, by its id and by its folder. */
const chatExtension = { id: 'GitHub.copilot-chat', folder: 'copilot' };
/** The vendor of the models that come with VS Code's own account. */
const accountVendor = 'copilot';
const disablingSetting = 'disableAIFeatures';

/**
 * `off`: VS Code (1.139) turns its chat on only when the user signs in or chooses models; `disabled`: a setting
 * disables it.
 */
type VsCodeChatState = 'ready' | 'off' | 'disabled';

/** The state of VS Code's own chat; `ready` if the editor does not include the chat extension. */
export async function vsCodeChatState(): Promise<VsCodeChatState> {
  if (readChatSetting(disablingSetting) === true) return 'disabled';
  if (vscode.extensions.getExtension(chatExtension.id)) return 'ready';
  return (await isChatBuiltIn()) ? 'off' : 'ready';
}

/**
 * Switches VS Code's own chat on, without an account. VS Code does this when the setting changes, even from the
 * default to the same value.
 */
export async function switchOnVsCodeChat(): Promise<void> {
  const settings = vscode.workspace.getConfiguration('chat');
  const isSet = settings.inspect(disablingSetting)?.globalValue === false;
  await settings.update(disablingSetting, isSet ? undefined : false, vscode.ConfigurationTarget.Global);
}

/** Opens a new chat with VS Code's local agent in its Chat view. Available since VS Code 1.110. */
const newLocalChat = 'workbench.action.chat.openNewChatSessionInPlace.local';

/**
 * Opens VS Code's own chat in agent mode. If this VS Code also has a Copilot agent, opens a new chat with the local
 * agent: the open chat may use the Copilot agent, which would reply with a model of VS Code's account, or require a
 * sign-in.
 *
 * @param model the id of an offered model; the last chosen model if it is omitted
 */
export async function openVsCodeChat(model?: string): Promise<void> {
  // VS Code's chat takes the focus.
  await waitForOpenQuestion();
  if ((await vscode.commands.getCommands(true)).includes(newLocalChat))
    await vscode.commands.executeCommand(newLocalChat, 'sidebar');
  const open = (options: object) =>
    vscode.commands.executeCommand('workbench.action.chat.open', { mode: 'agent', ...options });
  if (model === undefined) {
    await open({});
    return;
  }
  try {
    await open({ modelSelector: { vendor, id: model } });
  } catch {
    // VS Code has not read the list yet, or hides the model in its own list.
    await open({});
  }
}

/** Whether this editor can show models of extensions in its chat. */
export function canOfferModels(): boolean {
  return 'registerLanguageModelChatProvider' in vscode.lm;
}

/**
 * Whether VS Code's own account provides models. Not decided by the account alone: it may have no license, models may
 * exist without an account, and some editors do not have a sign-in. Does not show a sign-in dialog.
 */
export async function hasAccountModels(): Promise<boolean> {
  return (await vscode.lm.selectChatModels({ vendor: accountVendor })).length > 0;
}

async function isChatBuiltIn(): Promise<boolean> {
  const builtIn = vscode.extensions.all.find(({ packageJSON }) => packageJSON.isBuiltin === true);
  if (!builtIn) return false;
  return access(join(dirname(builtIn.extensionPath), chatExtension.folder)).then(
    () => true,
    () => false,
  );
}
