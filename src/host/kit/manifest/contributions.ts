import * as vscode from 'vscode';
import type manifest from '../../../../package.json';
import type texts from '../../../../package.nls.json';

/**
 * Commands without a title, because no menu shows them. They are run by a key, a page, a notice or a click on a row.
 */
export const untitledCommands = [
  'closeInput',
  'changeAddress',
  'openGatewaySettings',
  'openTimeouts',
  'openProxySettings',
  'openSpendingLimits',
  'models.openSelected',
  'outline.show',
  'chat.compareReply',
  'chat.openDifferences',
  'generate.chooseModel',
  'generate.chooseRoute',
  'tasks.stopDownload',
] as const;

/**
 * The id of a command without the common prefix. The ids of commands with a title are derived from package.nls.json.
 */
export type CommandId =
  | (typeof untitledCommands)[number]
  | (keyof typeof texts extends infer Text ? (Text extends `command.${infer Id}.title` ? Id : never) : never);

/** The id of a view without the common prefix, derived from its name in package.nls.json. */
export type ViewName = keyof typeof texts extends infer Text
  ? Text extends `view.${infer Name}.name`
    ? Name
    : never
  : never;

/** The id of a tool for agents without the common prefix, derived from its name in package.nls.json. */
export type ToolId = keyof typeof texts extends infer Text
  ? Text extends `tool.${infer Id}.name`
    ? Id
    : never
  : never;

type Setting = keyof (typeof manifest)['contributes']['configuration']['properties'];

/** The key of a setting without the common prefix, derived from package.json. */
export type SettingKey = Setting extends `modelGateway.${infer Key}` ? Key : never;

type ContextKey =
  | 'inputOpen'
  | 'hasGateway'
  | 'stepsShown'
  | 'hasAsked'
  | 'hasChat'
  | 'hasOwnGateway'
  | 'localGatewayRunning'
  | 'localGatewayStopped'
  | 'chatStreaming'
  | 'chatComparing'
  | 'hasClosedChats'
  | 'hasChats'
  | 'hasOutline'
  | 'chatsFiltered'
  | 'chatsDeleted'
  | 'hasTasks'
  | 'tasksHaveMore'
  | 'taskPreview'
  | 'tasksFiltered'
  | 'hasRequests'
  | 'requestsFiltered'
  | 'usesTasks'
  | 'usesRequests'
  | 'usesLocalGateway';

const prefix = 'modelGateway';
const toolPrefix = 'gateway';

export const extensionName = 'Model Gateway';
/** The name of the local gateway's log channel. */
export const gatewayLogName = 'Model Gateway (Local)';
export const extensionId = 'model-gateway.model-gateway';
export const settingsSection = prefix;
/** The participant `@gateway` of VS Code's chat. */
export const participantId = `${prefix}.gateway`;

export function commandName(id: CommandId): string {
  return `${prefix}.${id}`;
}

export function viewId(name: ViewName): string {
  return `${prefix}.${name}`;
}

/** Returns the webview type of a kind of panel. */
export function panelType(name: string): string {
  return `${prefix}.${name}`;
}

/** Returns the id of a command of the manifest. A test ensures that all commands of the manifest have an id. */
export function commandId(name: string): CommandId {
  return name.slice(prefix.length + 1) as CommandId;
}

/** Returns the name of a tool for agents. It is also the reference name, which VS Code's Copilot agent uses. */
export function toolName(id: ToolId): string {
  return `${toolPrefix}${id.charAt(0).toUpperCase()}${id.slice(1)}`;
}

/** Returns the id of a tool of the manifest. */
export function toolId(name: string): ToolId {
  const id = name.slice(toolPrefix.length);
  return `${id.charAt(0).toLowerCase()}${id.slice(1)}` as ToolId;
}

/** Runs a command of the extension. Its errors are shown as if the user ran it. */
export async function runCommand(id: CommandId, ...args: unknown[]): Promise<void> {
  await vscode.commands.executeCommand(commandName(id), ...args);
}

/** Shows and focuses a view of the extension. */
export function showView(name: ViewName): Thenable<unknown> {
  return vscode.commands.executeCommand(`${viewId(name)}.focus`);
}

/** Sets a context key of this window for the `when` clauses of package.json. */
export function setContextKey(key: ContextKey, value: boolean | string): void {
  void vscode.commands.executeCommand('setContext', `${prefix}.${key}`, value);
}
