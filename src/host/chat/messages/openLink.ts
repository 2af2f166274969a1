import * as vscode from 'vscode';
import { confirm } from '../../kit/display/notify.ts';

/**
 * Opens a link of a reply after the user has seen its whole address. Only web and mail links open (T9, T11).
 */
export async function openLink(url: string): Promise<void> {
  if (!URL.canParse(url) || !['http:', 'https:', 'mailto:'].includes(new URL(url).protocol)) return;
  const open = vscode.l10n.t('Open');
  const chosen = await confirm(
    vscode.l10n.t('Open this address from a model’s reply?'),
    new URL(url).href,
    open,
  );
  if (chosen === open) await vscode.env.openExternal(vscode.Uri.parse(url, true));
}
