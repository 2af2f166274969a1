import * as vscode from 'vscode';
import { chatSetting, hasChatSetting } from './chatSettings.ts';
import { hasAccountModels } from './vsCodeChat.ts';

// VS Code has two programs that run an agent: its local agent in the extension host, which uses the models of
// extensions directly, and the Copilot agent in the agent host, a process of its own. See the decision record
// docs/decisions/agent-host.md.

/** Whether the agent host shows models of extensions. VS Code without this setting has no agent host for them. */
const modelsSetting = 'agentHost.byokModels.enabled';
const signedOutSetting = 'agentHost.allowSignedOutWhenUsable';

/** The values with which new chats use the Copilot agent. */
const copilotValues: Readonly<Record<string, boolean>> = {
  'editor.preferCopilotHarness': true,
  defaultToCopilotHarness: true,
  'editor.localAgent.enabled': false,
};

/** The place where the user's models are missing, and the settings that show them there. */
export interface MissingModels {
  /** VS Code connects the agent host with the models of extensions only in local windows (1.139). */
  readonly canBeShown: boolean;
  readonly remedy: Readonly<Record<string, boolean>>;
}

/**
 * Whether new chats of VS Code use the Copilot agent without our models, according to its settings. The user's
 * last choice in VS Code's picker takes precedence, and extensions cannot read it.
 */
export async function missingModels(): Promise<MissingModels | undefined> {
  const inUse = Object.entries(copilotValues).filter(([name, value]) => chatSetting(name) === value);
  if (!hasChatSetting(modelsSetting) || inUse.length === 0) return undefined;
  if (!isLocalWindow()) {
    return { canBeShown: false, remedy: Object.fromEntries(inUse.map(([name, value]) => [name, !value])) };
  }
  const needed = (await hasAccountModels()) ? [modelsSetting] : [modelsSetting, signedOutSetting];
  const missing = needed.filter((name) => hasChatSetting(name) && chatSetting(name) !== true);
  if (missing.length === 0) return undefined;
  return { canBeShown: true, remedy: Object.fromEntries(missing.map((name) => [name, true])) };
}

function isLocalWindow(): boolean {
  return vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop;
}
