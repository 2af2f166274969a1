import * as vscode from 'vscode';
import { hasChatSetting, readChatSetting } from './chatSettings.ts';
import { hasAccountModels } from './vsCodeChat.ts';

// VS Code has two programs that run an agent: its local agent in the extension host, which uses the models of
// extensions directly, and the Copilot agent in the agent host, a process of its own. See the decision record
// docs/decisions/agent-host.md.

/** Whether the agent host shows models of extensions. VS Code without this setting has no agent host for them. */
const modelsSetting = 'agentHost.byokModels.enabled';
const signedOutSetting = 'agentHost.allowSignedOutWhenUsable';

/** With one of these values, new chats use the Copilot agent. */
const copilotValues: Readonly<Record<string, boolean>> = {
  'editor.preferCopilotHarness': true,
  defaultToCopilotHarness: true,
  'editor.localAgent.enabled': false,
};

/** The models of the user are missing in new chats of VS Code. */
export interface MissingModels {
  /**
   * Whether the Copilot agent can show them. VS Code (1.139) connects the agent host with the models of extensions
   * only in local windows.
   */
  readonly canBeShown: boolean;
  /** The chat settings with which new chats show them: in the Copilot agent or, if it cannot, in the local agent. */
  readonly remedy: Readonly<Record<string, boolean>>;
}

/**
 * Finds out from VS Code's settings whether new chats use the Copilot agent without our models. The user's last
 * choice in VS Code's picker takes precedence, and extensions cannot read it.
 *
 * @returns undefined if no models are missing
 */
export async function findMissingModels(): Promise<MissingModels | undefined> {
  const copilotSettings = Object.entries(copilotValues).filter(
    ([name, value]) => readChatSetting(name) === value,
  );
  if (!hasChatSetting(modelsSetting) || copilotSettings.length === 0) return undefined;
  if (!isLocalWindow()) {
    return {
      canBeShown: false,
      remedy: Object.fromEntries(copilotSettings.map(([name, value]) => [name, !value])),
    };
  }
  const needed = (await hasAccountModels()) ? [modelsSetting] : [modelsSetting, signedOutSetting];
  const missing = needed.filter((name) => hasChatSetting(name) && readChatSetting(name) !== true);
  if (missing.length === 0) return undefined;
  return { canBeShown: true, remedy: Object.fromEntries(missing.map((name) => [name, true])) };
}

function isLocalWindow(): boolean {
  return vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop;
}
