import * as vscode from 'vscode';
import { readConfigText, UnsavedConfigError, writeConfigText } from '../../connection/configFile.ts';
import { GatewayControlError } from '../../connection/gatewayControl.ts';
import { notify } from '../../kit/display/notify.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import { UneditableConfigError, type UpstreamEntry, upstreamsOf } from './configEdit.ts';

/** Path of the configuration that the local gateway reads. */
export function configPath({ localGateway, localUpstreams }: GatewayServices): string {
  return localUpstreams.state.status?.config ?? localGateway.configFile;
}

/** The names that no other upstream may have. */
export async function takenNames(services: GatewayServices): Promise<readonly string[] | undefined> {
  const written = await writtenUpstreams(services);
  const running = services.localUpstreams.state.status?.upstreams ?? [];
  return written && [...running, ...written].map(({ name }) => name);
}

/** The upstreams that the configuration names; undefined, once the user was told, where it cannot be read. */
export async function writtenUpstreams(
  services: GatewayServices,
): Promise<readonly UpstreamEntry[] | undefined> {
  return readWritten(services, upstreamsOf);
}

/** What a reading of the configuration finds; undefined, once the user was told, where it cannot be read. */
export async function readWritten<T>(
  services: GatewayServices,
  read: (text: string) => T,
): Promise<T | undefined> {
  try {
    return read(await readConfigText(configPath(services)));
  } catch (error) {
    return tellProblem(error);
  }
}

/**
 * Edits the configuration and lets the gateway read it. Shows what stands in the way, with the action that helps.
 *
 * @param edit makes the new text; undefined where nothing is to change
 * @returns whether the gateway took it
 */
export async function changeConfig(
  services: GatewayServices,
  edit: (text: string) => string | undefined,
): Promise<boolean> {
  const path = configPath(services);
  try {
    const text = edit(await readConfigText(path));
    if (text !== undefined) await writeConfigText(path, text);
    await services.localGateway.control?.reload();
    return true;
  } catch (error) {
    await tellProblem(error);
    return false;
  }
}

/** Tells why the configuration could not be read or changed; throws what has another cause. */
async function tellProblem(error: unknown): Promise<undefined> {
  const words = problemWords(error);
  if (words === undefined) throw error;
  const editConfig = vscode.l10n.t('Edit Configuration');
  const chosen = await notify('error', words, editConfig);
  if (chosen === editConfig) await runCommand('localGateway.editConfiguration');
}

function problemWords(error: unknown): string | undefined {
  if (error instanceof UnsavedConfigError)
    return vscode.l10n.t('The configuration is open with changes that are not saved. Save it first.');
  if (error instanceof UneditableConfigError)
    return vscode.l10n.t('The configuration has a JSON error. Nothing was changed.');
  if (error instanceof GatewayControlError)
    return vscode.l10n.t('The local gateway rejects the configuration. {0}', error.message);
  return undefined;
}
