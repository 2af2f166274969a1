import * as vscode from 'vscode';
import { localEntry } from '../../connection/gateways.ts';
import { notify } from '../../kit/display/notify.ts';
import { pick } from '../../kit/display/quickInput.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import { type ClientProgram, clientPrograms, hiddenCredential, type ShellName } from './clientSettings.ts';
import { openGatewayControl } from './startStop.ts';

/**
 * Copies the settings that another program needs to use the local gateway. The credential is included only if the
 * user chooses so.
 */
export async function copyClientSettings(services: GatewayServices): Promise<void> {
  const choice = await pick(
    clientPrograms.map((each) => ({ label: each.name, detail: detailWords(each), program: each })),
    { title: vscode.l10n.t('Copy Settings For'), placeHolder: vscode.l10n.t('Which program or library?') },
  );
  if (!choice || !(await openGatewayControl(services))) return;
  const { address } = services.localGateway;
  const model = await chooseModel(services, choice.label);
  if (!address || model === undefined) return;
  const { baseUrl, credential } = address;
  const { settings, name } = choice.program;
  const shell: ShellName = process.platform === 'win32' ? 'powershell' : 'sh';
  await vscode.env.clipboard.writeText(settings({ baseUrl, model, shell }));
  const withCredential = vscode.l10n.t('Copy with Credential');
  const chosen = await notify(
    'info',
    vscode.l10n.t(
      'Settings for {0} were copied with {1} in place of the credential. Paste them into {2}.',
      ...[name, hiddenCredential, targetWords(choice.program)],
    ),
    withCredential,
  );
  if (chosen !== withCredential) return;
  await vscode.env.clipboard.writeText(settings({ baseUrl, model, credential, shell }));
  showStatusMessage(vscode.l10n.t('Settings for {0} were copied with the credential', name), 'key');
}

/** Lets the user choose a model of the local gateway; returns the only one without a dialog. */
async function chooseModel({ connection }: GatewayServices, program: string): Promise<string | undefined> {
  const local = connection.get(localEntry);
  const { models } = local.state.models.length > 0 ? local.state : await local.refresh();
  const [first, second] = models;
  if (!second) return first?.id ?? 'demo/chat';
  const chosen = await pick(
    models.map(({ id }) => ({ label: id })),
    { title: vscode.l10n.t('Copy Settings For {0}', program), placeHolder: vscode.l10n.t('Which model?') },
  );
  return chosen?.label;
}

function detailWords(program: ClientProgram): string {
  return program.pasteTarget === 'terminal' ? vscode.l10n.t('terminal commands') : targetWords(program);
}

function targetWords({ pasteTarget, file }: ClientProgram): string {
  if (file !== undefined) return file;
  switch (pasteTarget) {
    case 'python':
      return vscode.l10n.t('a Python program');
    case 'javascript':
      return vscode.l10n.t('a JavaScript module (.mjs)');
    default:
      return vscode.l10n.t('a terminal');
  }
}
