import * as vscode from 'vscode';
import { isLocalWindow } from '../../../kit/localWindow.ts';
import { hasChatSetting, readChatSetting } from './chatSettings.ts';
import { hasAccountModels } from './vsCodeChat.ts';

// VS Code has two programs that run an agent: its local agent in the extension host, which uses the models of
// extensions directly, and the Copilot agent in the agent host, a process of its own. See the decision record
// docs/decisions/agent-host.md.

/** Whether the agent host shows models of extensions. VS Code without this setting does not have this agent host. */
const modelsSetting = 'agentHost.byokModels.enabled';
/** VS Code 1.128 to 1.132 also need this setting. They read both settings only when they start. */
const agentHostSetting = 'agentHost.enabled';
const signedOutSetting = 'agentHost.allowSignedOutWhenUsable';

/** With one of these values, new chats use the Copilot agent. */
const copilotValues: Readonly<Record<string, boolean>> = {
  'editor.preferCopilotHarness': true,
  defaultToCopilotHarness: true,
  'editor.localAgent.enabled': false,
};

/** How new chats of VS Code can show the user's models, which are missing there. */
export interface MissingModels {
  /**
   * Whether the Copilot agent can show the models. VS Code (1.139) connects the agent host with the models of
   * extensions only in local windows.
   */
  readonly canBeShown: boolean;
  /** The chat settings with which new chats show them: in the Copilot agent or, if it cannot, in the local agent. */
  readonly remedy: Readonly<Record<string, boolean>>;
  /** Whether a change of the settings has no effect before a restart. */
  readonly requiresRestart: boolean;
}

/**
 * Determines from VS Code's settings whether new chats use the Copilot agent without our models. The user's last choice
 * in VS Code's picker overrides `defaultToCopilotHarness`, but extensions cannot read this choice.
 *
 * @param isCopilotChosen assumes that new chats use the Copilot agent, because the user may have chosen it
 * @returns undefined if no models are missing
 */
export async function findMissingModels(isCopilotChosen = false): Promise<MissingModels | undefined> {
  if (!hasChatSetting(modelsSetting)) return undefined;
  const copilotSettings = findCopilotSettings();
  const isCopilotUsed = copilotSettings.length > 0 && !isVirtualWorkspace();
  if (!isCopilotUsed && !isCopilotChosen) return undefined;
  const canBeShown = isLocalWindow();
  const remedy = canBeShown ? await findHidingSettings() : copilotSettings;
  if (remedy.length === 0) return undefined;
  const requiresRestart = canBeShown && hasChatSetting(agentHostSetting);
  return {
    canBeShown,
    remedy: Object.fromEntries(remedy.map(([name, value]) => [name, !value])),
    requiresRestart,
  };
}

/** Finds the settings that prevent the Copilot agent from showing our models. */
async function findHidingSettings(): Promise<readonly (readonly [string, boolean])[]> {
  const needed = [agentHostSetting, modelsSetting, ...((await hasAccountModels()) ? [] : [signedOutSetting])];
  return needed
    .filter((name) => hasChatSetting(name) && readChatSetting(name) !== true)
    .map((name) => [name, false]);
}

/** Finds the settings with which new chats use the Copilot agent. */
function findCopilotSettings(): readonly (readonly [string, boolean])[] {
  return Object.entries(copilotValues).filter(([name, value]) => readChatSetting(name) === value);
}

/** Whether VS Code always uses its local agent because no folder is on a disk. */
function isVirtualWorkspace(): boolean {
  const schemes = ['file', 'vscode-remote'];
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.length > 0 && folders.every(({ uri }) => !schemes.includes(uri.scheme));
}
