import * as vscode from 'vscode';
import { runCommand } from '../contributions.ts';
import { confirm, notify } from '../display/notify.ts';
import { type Choice, pick } from '../display/prompts.ts';
import { flash } from '../display/statusBar.ts';
import type { Services } from '../services.ts';
import type { GatewayProfile } from './gatewayProfile.ts';
import { demoProfile } from './profiles.ts';

interface ProfileItem extends Choice {
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
    ...(item.name === profiles.current?.name && { icon: 'check' }),
  }));
  const other = { name: '', icon: 'plug', label: vscode.l10n.t('Connect to another gateway…') };
  const chosen = await pick<ProfileItem>([...items, other], { title: vscode.l10n.t('Switch profile') });
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
  const chosen = await confirm(
    vscode.l10n.t('Remove the profile “{0}”?', profile.name),
    vscode.l10n.t('Its credential is deleted from this machine. The gateway keeps everything.'),
    remove,
  );
  if (chosen !== remove) return;
  await services.credentials.forget(profile);
  await services.profiles.remove(profile.name);
}

/** In a remote window it asks again before the next start. */
export async function stopLocalGateway({ localGateway }: Services): Promise<void> {
  await localGateway.consent.withdraw();
  if (localGateway.isRunning) localGateway.stop();
  else flash(vscode.l10n.t('The demo gateway is not running.'));
}

async function pickProfile(all: readonly GatewayProfile[]): Promise<GatewayProfile | undefined> {
  if (all.length === 0) {
    void notify('info', vscode.l10n.t('There is no profile to remove.'));
    return undefined;
  }
  const items = all.map((profile) => ({ label: profile.name, description: profile.baseUrl, profile }));
  const chosen = await pick(items, { title: vscode.l10n.t('Remove which profile?') });
  return chosen?.profile;
}
