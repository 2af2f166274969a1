import * as vscode from 'vscode';
import { notify } from '../../kit/display/notify.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import type { UpstreamEntry } from './configEdit.ts';

/** Stores the key of an upstream in the secret storage. Warns if it could be stored for this window only. */
export async function storeUpstreamKey(
  { upstreamKeys }: GatewayServices,
  { name, baseUrl }: UpstreamEntry,
  key: string,
): Promise<void> {
  if (await upstreamKeys.store({ name, baseUrl }, key)) return;
  void notify(
    'warning',
    vscode.l10n.t('VS Code could not store the key. It is used until this window closes.'),
  );
}
