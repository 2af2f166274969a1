import * as vscode from 'vscode';
import { runCommand } from '../contributions.ts';
import type { GatewayProfile } from '../gatewayProfile.ts';
import { demoProfile } from '../profiles.ts';
import type { Services } from '../services.ts';

interface ProfileItem extends vscode.QuickPickItem {
  readonly name: string;
}

/** Chooses which gateway this window uses. */
export async function switchProfile(services: Services): Promise<void> {
  const { profiles } = services;
  const items: ProfileItem[] = [
    ...profiles.all.map(({ name, baseUrl }) => ({ name, label: name, description: baseUrl })),
    {
      name: demoProfile.name,
      label: demoProfile.name,
      description: vscode.l10n.t('on this machine, no account'),
    },
  ].map((item) => ({
    ...item,
    label: item.name === profiles.current?.name ? `$(check) ${item.label}` : item.label,
  }));
  const other = { name: '', label: `$(plug) ${vscode.l10n.t('Connect to another gateway…')}` };
  const chosen = await vscode.window.showQuickPick<ProfileItem>([...items, other], {
    title: vscode.l10n.t('Switch profile'),
    matchOnDescription: true,
  });
  if (chosen === undefined) return;
  if (chosen === other) return void (await runCommand('connect'));
  if (chosen.name === demoProfile.name) return void (await runCommand('useDemoGateway'));
  await profiles.use(chosen.name);
  await services.connection.refresh();
}

/** Removes a profile and its credential, after asking. */
export async function removeProfile(services: Services): Promise<void> {
  const profile = await pickProfile(services.profiles.all);
  if (profile === undefined) return;
  const remove = vscode.l10n.t('Remove');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('Remove the profile “{0}”?', profile.name),
    {
      modal: true,
      detail: vscode.l10n.t('Its credential is deleted from this machine. The gateway keeps everything.'),
    },
    remove,
  );
  if (chosen !== remove) return;
  await services.credentials.forget(profile);
  await services.profiles.remove(profile.name);
}

export function stopLocalGateway({ localGateway }: Services): void {
  if (localGateway.isRunning) localGateway.stop();
  else vscode.window.setStatusBarMessage(vscode.l10n.t('The demo gateway is not running.'), 4000);
}

async function pickProfile(all: readonly GatewayProfile[]): Promise<GatewayProfile | undefined> {
  if (all.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There is no profile to remove.'));
    return undefined;
  }
  const items = all.map((profile) => ({ label: profile.name, description: profile.baseUrl, profile }));
  const chosen = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Remove which profile?') });
  return chosen?.profile;
}
