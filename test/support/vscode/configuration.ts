// The settings: default values of VS Code and of the extension, and values in memory.
import { readFileSync } from 'node:fs';
import type * as vscode from 'vscode';
import { EventEmitter } from './values.ts';

type Settings = Record<string, unknown>;

interface SettingSchema {
  readonly default?: unknown;
  readonly type?: string;
}

const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));

/** Default values of VS Code's own settings that the extension reads. */
const defaultsOfVscode: Settings = {
  'chat.agentHost.allowSignedOutWhenUsable': false,
  'chat.agentHost.byokModels.enabled': false,
  'chat.defaultToCopilotHarness': false,
  'chat.disableAIFeatures': false,
  'chat.editor.localAgent.enabled': true,
  'chat.editor.preferCopilotHarness': false,
  'files.autoSave': 'off',
  'files.exclude': { '**/.git': true },
  'files.readonlyExclude': {},
  'files.readonlyFromPermissions': false,
  'files.readonlyInclude': {},
  'http.noProxy': [],
  'http.proxy': '',
  'http.proxySupport': 'override',
  'workbench.editor.restoreEditors': true,
};

const defaults: Settings = { ...defaultsOfVscode };
for (const { properties } of [manifest.contributes.configuration].flat()) {
  for (const [key, schema] of Object.entries(properties as Record<string, SettingSchema>))
    defaults[key] = schema.default ?? createEmptyValue(schema.type);
}

/** The default value of a setting whose schema has none. */
function createEmptyValue(type: string | undefined): unknown {
  return { array: [], object: {}, string: '', boolean: false }[type ?? ''];
}

const targets = ['global', 'workspace', 'workspaceFolder'] as const;
type Target = (typeof targets)[number];

const values: Readonly<Record<Target, Settings>> = { global: {}, workspace: {}, workspaceFolder: {} };
const changedConfiguration = new EventEmitter<vscode.ConfigurationChangeEvent>();

export const onDidChangeConfiguration = changedConfiguration.event;

function toTarget(target: vscode.ConfigurationTarget | boolean | undefined | null): Target {
  if (typeof target === 'number') return targets[target - 1] ?? 'global';
  return target ? 'global' : 'workspace';
}

/** Copies a value because VS Code does not let a caller change a setting in place. */
function copy<T>(value: T): T {
  return value === undefined ? value : structuredClone(value);
}

/** The value of a key, or an object of all keys below it. */
function readValue(settings: Settings, key: string): unknown {
  if (key in settings) return copy(settings[key]);
  const below = Object.entries(settings).filter(([name]) => name.startsWith(`${key}.`));
  if (below.length === 0) return undefined;
  return copy(Object.fromEntries(below.map(([name, value]) => [name.slice(key.length + 1), value])));
}

/** Reads and writes the settings below a section. */
export function getConfiguration(section = ''): vscode.WorkspaceConfiguration {
  const full = (key: string) => (section === '' ? key : `${section}.${key}`);
  const current = (key: string) =>
    readValue({ ...defaults, ...values.global, ...values.workspace, ...values.workspaceFolder }, full(key));
  return {
    get: (key: string, fallback?: unknown) => current(key) ?? fallback,
    has: (key: string) => current(key) !== undefined,
    inspect: (key: string) => ({
      key: full(key),
      defaultValue: readValue(defaults, full(key)),
      globalValue: readValue(values.global, full(key)),
      workspaceValue: readValue(values.workspace, full(key)),
      workspaceFolderValue: readValue(values.workspaceFolder, full(key)),
    }),
    update: (key: string, value: unknown, target?: vscode.ConfigurationTarget | boolean | null) =>
      update(full(key), value, toTarget(target)),
  } as vscode.WorkspaceConfiguration;
}

/** Sets the value of a key, or removes it if the value is `undefined`. */
async function update(name: string, value: unknown, target: Target): Promise<void> {
  if (!(name in defaults)) {
    throw new Error(`Unable to write to User Settings because ${name} is not a registered configuration.`);
  }
  const settings = values[target];
  if (value === undefined) delete settings[name];
  else settings[name] = copy(value);
  // In VS Code, the event arrives later because another process sends it.
  await new Promise(setImmediate);
  changedConfiguration.fire({
    affectsConfiguration: (about) =>
      name === about || name.startsWith(`${about}.`) || about.startsWith(`${name}.`),
  });
}
