import * as vscode from 'vscode';
import { notify } from '../kit/display/notify.ts';
import { runCommand } from '../kit/manifest/contributions.ts';
import type { ModelServices } from './modelServices.ts';

/** Whether the window has a gateway. Offers to connect if it has none. */
export async function ensureGateway({ connection }: ModelServices): Promise<boolean> {
  if (connection.state.gateway) return true;
  const connect = vscode.l10n.t('Connect to a Gateway…');
  const demo = vscode.l10n.t('Try the Demo');
  const chosen = await notify('info', vscode.l10n.t('No gateway is connected yet.'), connect, demo);
  if (chosen === connect) await runCommand('connect');
  else if (chosen === demo) await runCommand('tryDemo');
  return connection.state.gateway !== undefined;
}
