import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { type SettingKey, settingsSection } from './contributions.ts';

/**
 * Reads a setting from the user's own settings only. A workspace or a remote machine must not choose the receiver of
 * requests and credentials (T1, T2).
 */
export function readSetting<T>(key: SettingKey): T | undefined {
  const setting = vscode.workspace.getConfiguration(settingsSection).inspect<T>(key);
  return setting?.globalValue ?? setting?.defaultValue;
}

/** Reads the path of a folder from a setting; undefined if the value is not an absolute path. */
export function readFolder(key: SettingKey): string | undefined {
  const folder = readSetting<string>(key)?.trim();
  return folder && isAbsolute(folder) ? folder : undefined;
}

/** Writes the user's own value of a setting. */
export async function writeSetting(key: SettingKey, value: unknown): Promise<void> {
  const settings = vscode.workspace.getConfiguration(settingsSection);
  await settings.update(key, value, vscode.ConfigurationTarget.Global);
}

const watchedSections = [
  settingsSection,
  'http.proxy',
  'http.proxySupport',
  'http.noProxy',
  'http.systemCertificates',
] as const;

/** Calls `listener` when a setting of the extension or a network setting of VS Code has changed. */
export function onDidChangeSettings(listener: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (watchedSections.some((section) => event.affectsConfiguration(section))) listener();
  });
}
