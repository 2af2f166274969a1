import * as vscode from 'vscode';
import type { ActionButton, ReplyAction } from '../../protocol/pageMessage.ts';
import { type CommandId, runCommand } from './manifest/contributions.ts';

interface NoticeActionEntry {
  /** The label of its button. */
  readonly label: () => string;
  /** The command of its button; absent if only a page can perform the action. */
  readonly command?: CommandId;
}

/** The actions of notices. The messages of pages contain their ids. */
const noticeActions: Readonly<Record<ReplyAction, NoticeActionEntry>> = {
  again: { label: () => vscode.l10n.t('Try Again'), command: 'refreshModels' },
  edit: { label: () => vscode.l10n.t('Edit Question') },
  continue: { label: () => vscode.l10n.t('Continue') },
  connect: { label: () => vscode.l10n.t('Connect to a Gateway…'), command: 'connect' },
  'try-demo': { label: () => vscode.l10n.t('Try the Demo'), command: 'tryDemo' },
  'start-local-gateway': {
    label: () => vscode.l10n.t('Start the Local Gateway'),
    command: 'localGateway.start',
  },
  'set-upstream-key': {
    label: () => vscode.l10n.t('Set Upstream Key…'),
    command: 'localGateway.setKey',
  },
  'set-credential': { label: () => vscode.l10n.t('Set Credential…'), command: 'setCredential' },
  'change-address': { label: () => vscode.l10n.t('Change Address…'), command: 'changeAddress' },
  'choose-model': { label: () => vscode.l10n.t('Choose Another Model…'), command: 'chat.chooseModel' },
  'compare-models': { label: () => vscode.l10n.t('Compare Models…'), command: 'chat.compare' },
  'ask-one-model': { label: () => vscode.l10n.t('Ask One Model') },
  'choose-format': { label: () => vscode.l10n.t('Choose Another API Format…'), command: 'chat.chooseFormat' },
  'open-parameters': { label: () => vscode.l10n.t('Open Parameters') },
  'show-field': { label: () => vscode.l10n.t('Show Field') },
  'refresh-models': { label: () => vscode.l10n.t('Refresh Models'), command: 'refreshModels' },
  'new-chat': { label: () => vscode.l10n.t('New Chat'), command: 'newChat' },
  'move-chat': { label: () => vscode.l10n.t('Move This Chat…'), command: 'chat.move' },
  'open-gateway-settings': {
    label: () => vscode.l10n.t('Open Gateway Settings'),
    command: 'openGatewaySettings',
  },
  'open-timeouts': { label: () => vscode.l10n.t('Open Time Limits'), command: 'openTimeouts' },
  'open-proxy': { label: () => vscode.l10n.t('Open Proxy Settings'), command: 'openProxySettings' },
  'raise-limit': { label: () => vscode.l10n.t('Raise Limit for Today…'), command: 'raiseSpendingLimit' },
  'open-limits': { label: () => vscode.l10n.t('Open Spending Limits'), command: 'openSpendingLimits' },
  'check-connection': { label: () => vscode.l10n.t('Check Connection'), command: 'checkConnection' },
  'open-request': { label: () => vscode.l10n.t('Open the Request') },
  'copy-details': { label: () => vscode.l10n.t('Copy Details') },
  'show-log': { label: () => vscode.l10n.t('Show Log'), command: 'showLog' },
  'open-help': { label: () => vscode.l10n.t('Help'), command: 'openHelp' },
};

/** Returns the label of an action's button. */
export function getActionLabel(action: ReplyAction): string {
  return noticeActions[action].label();
}

export function createActionButton(action: ReplyAction): ActionButton<ReplyAction> {
  return { action, label: getActionLabel(action) };
}

/** Returns the command of an action; undefined if only a page can perform it. */
export function getActionCommand(action: ReplyAction): CommandId | undefined {
  return noticeActions[action].command;
}

/** The actions that apply to the failed gateway or its upstreams. */
const gatewayActions: ReadonlySet<ReplyAction> = new Set([
  'set-upstream-key',
  'set-credential',
  'change-address',
  'check-connection',
]);

/**
 * Runs the command of an action, if it has one.
 *
 * @param failed identifies the failed gateway, for actions on a gateway; by default the window's gateway
 */
export async function runAction(action: ReplyAction, failed?: unknown): Promise<void> {
  const { command } = noticeActions[action];
  if (command === undefined) return;
  await runCommand(command, ...(gatewayActions.has(action) ? [failed] : []));
}
