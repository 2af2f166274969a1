import * as vscode from 'vscode';
import { readConfigFile, UnsavedConfigError, writeConfigText } from '../../connection/configFile.ts';
import { GatewayControlError } from '../../connection/gatewayControl.ts';
import { notify } from '../../kit/display/notify.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import { readUpstreamEntries, UneditableConfigError, type UpstreamEntry } from './configEdit.ts';

/** The path of the configuration that the local gateway reads. */
export function configPath({ localGateway, localUpstreams }: GatewayServices): string {
  return localUpstreams.state.status?.config ?? localGateway.configFile;
}

/** The names that a new upstream must not use. */
export async function readTakenNames(services: GatewayServices): Promise<readonly string[] | undefined> {
  const configuredUpstreams = await readUpstreams(services);
  const running = services.localUpstreams.state.status?.upstreams ?? [];
  return configuredUpstreams && [...running, ...configuredUpstreams].map(({ name }) => name);
}

/** The upstreams of the configuration. If it cannot be read, shows the problem and returns undefined. */
export async function readUpstreams(
  services: GatewayServices,
): Promise<readonly UpstreamEntry[] | undefined> {
  return readFromConfig(services, readUpstreamEntries);
}

/** Reads a value from the configuration. If it cannot be read, shows the problem and returns undefined. */
export async function readFromConfig<T>(
  services: GatewayServices,
  read: (text: string) => T,
): Promise<T | undefined> {
  try {
    return read(await readConfigFile(configPath(services)));
  } catch (error) {
    return showConfigProblem(error);
  }
}

/**
 * Edits the configuration and reloads it in the gateway. Shows a problem together with the action that fixes it.
 *
 * @param edit returns the new text; undefined to change nothing
 * @returns whether the gateway accepted it
 */
export async function changeConfig(
  services: GatewayServices,
  edit: (text: string) => string | undefined,
): Promise<boolean> {
  const path = configPath(services);
  try {
    const text = edit(await readConfigFile(path));
    if (text !== undefined) await writeConfigText(path, text);
    await services.localGateway.control?.reload();
    return true;
  } catch (error) {
    await showConfigProblem(error);
    return false;
  }
}

/** Shows why the configuration could not be read or changed. Rethrows errors with other causes. */
async function showConfigProblem(error: unknown): Promise<undefined> {
  const words = problemWords(error);
  if (words === undefined) throw error;
  const editConfig = vscode.l10n.t('Edit Configuration');
  const chosen = await notify('error', words, editConfig);
  if (chosen === editConfig) await runCommand('localGateway.editConfiguration');
}

function problemWords(error: unknown): string | undefined {
  if (error instanceof UnsavedConfigError)
    return vscode.l10n.t('The configuration is open and has unsaved changes. Save it first.');
  if (error instanceof UneditableConfigError)
    return vscode.l10n.t('The configuration has a JSON error. Nothing was changed.');
  if (error instanceof GatewayControlError)
    return vscode.l10n.t('The local gateway rejects the configuration. {0}', error.message);
  return undefined;
}
