import * as vscode from 'vscode';
import { hasChatSetting, readChatSetting } from './chatSettings.ts';
import { hasAccountModels } from './vsCodeChat.ts';

// VS Code has two programs that run an agent: its local agent in the extension host, which uses the models of
// extensions directly, and the Copilot agent in the agent host, a process of its own. See the decision record
// docs/decisions/agent-host.md.

/** Whether the agent host shows models of extensions. VS Code without this setting does not have this agent host. */
const modelsSetting = 'agentHost.byokModels.enabled';
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
}

/**
 * Determines from VS Code's settings whether new chats use the Copilot agent without our models. The user's last choice
 * in VS Code's picker overrides `defaultToCopilotHarness`, but extensions cannot read this choice.
 *
 * @returns undefined if no models are missing
 */
export async function findMissingModels(): Promise<MissingModels | undefined> {
  return findCopilotSettings().length > 0 && !isVirtualWorkspace() ? findHiddenModels() : undefined;
}

/**
 * Finds the settings that show our models also in chats with the Copilot agent, even if new chats do not use it by
 * default: the user may have chosen it.
 *
 * @returns undefined if the Copilot agent shows them, or if it cannot show them and new chats use the local agent
 */
export async function findHiddenModels(): Promise<MissingModels | undefined> {
  if (!hasChatSetting(modelsSetting)) return undefined;
  if (!isLocalWindow()) {
    const remedy = Object.fromEntries(findCopilotSettings().map(([name, value]) => [name, !value]));
    return Object.keys(remedy).length > 0 ? { canBeShown: false, remedy } : undefined;
  }
  const needed = (await hasAccountModels()) ? [modelsSetting] : [modelsSetting, signedOutSetting];
  const missing = needed.filter((name) => hasChatSetting(name) && readChatSetting(name) !== true);
  if (missing.length === 0) return undefined;
  return { canBeShown: true, remedy: Object.fromEntries(missing.map((name) => [name, true])) };
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

function isLocalWindow(): boolean {
  return vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop;
}
