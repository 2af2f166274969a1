import * as vscode from 'vscode';
import type { ActionButton } from '../../protocol/notice.ts';
import type { ReplyAction } from '../../protocol/pageMessage.ts';
import { type CommandId, runCommand } from './manifest/contributions.ts';

interface NoticeActionEntry {
  /** The words on its button. */
  readonly label: () => string;
  /** The command of its button, unless a page handles the action itself; absent where only a page can. */
  readonly command?: CommandId;
}

/** The actions beside a notice. Their ids are in the pages' messages. */
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
  'open-timeouts': { label: () => vscode.l10n.t('Open Time Limits'), command: 'openTimeouts' },
  'open-proxy': { label: () => vscode.l10n.t('Open Proxy Settings'), command: 'openProxySettings' },
  'check-connection': { label: () => vscode.l10n.t('Check Connection'), command: 'checkConnection' },
  'open-request': { label: () => vscode.l10n.t('Open the Request') },
  'copy-details': { label: () => vscode.l10n.t('Copy Details') },
  'show-log': { label: () => vscode.l10n.t('Show Log'), command: 'showLog' },
};

/** The words on the button of an action. */
export function actionLabel(action: ReplyAction): string {
  return noticeActions[action].label();
}

export function actionButton(action: ReplyAction): ActionButton<ReplyAction> {
  return { action, label: actionLabel(action) };
}

/** The command of an action; undefined where only a page can handle it. */
export function actionCommand(action: ReplyAction): CommandId | undefined {
  return noticeActions[action].command;
}

/** The actions on the gateway that failed, or on what is behind it. */
const gatewayActions: ReadonlySet<ReplyAction> = new Set([
  'set-upstream-key',
  'set-credential',
  'change-address',
  'check-connection',
]);

/**
 * Runs the command of an action, if it has one.
 *
 * @param failed what leads to the gateway that failed, for the actions on it; by default it is the window's
 */
export async function runAction(action: ReplyAction, failed?: unknown): Promise<void> {
  const command = actionCommand(action);
  if (command === undefined) return;
  if (gatewayActions.has(action)) await runCommand(command, failed);
  else await runCommand(command);
}
