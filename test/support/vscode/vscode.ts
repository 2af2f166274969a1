// biome-ignore-all lint/performance/noBarrelFile: this file is the module
// biome-ignore-all lint/performance/noReExportAll: this file is the module
// The module `vscode` for tests that do not need a real window. Tests of other parts of it must run in VS Code.
import { activate, extension } from './extension.ts';
import { EventEmitter, UIKind } from './values.ts';

export { commands } from './commands.ts';
export { WorkspaceEdit } from './edits.ts';
export * from './languages.ts';
export * from './values.ts';
export { window } from './window.ts';
export { workspace } from './workspace.ts';

export const version = '1.130.0';

let clipboard = '';

export const env = {
  appName: 'Stand-in',
  appHost: 'server',
  language: 'en',
  uriScheme: 'vscode',
  remoteName: 'stand-in',
  machineId: 'machine',
  sessionId: 'session',
  isNewAppInstall: false,
  isTelemetryEnabled: false,
  shell: '/bin/sh',
  uiKind: UIKind.Web,
  appRoot: '',
  onDidChangeTelemetryEnabled: new EventEmitter<boolean>().event,
  clipboard: {
    readText: async () => clipboard,
    writeText: async (text: string) => {
      clipboard = text;
    },
  },
  openExternal: async () => false,
  asExternalUri: async <T>(uri: T) => uri,
};

type Arguments = readonly unknown[] | readonly [Record<string, unknown>];

/** Fills the placeholders of an English text: the tests run in English. */
function t(text: string | { message: string; args?: Arguments }, ...rest: Arguments): string {
  const message = typeof text === 'string' ? text : text.message;
  const [first] = rest;
  const positional = typeof text === 'string' ? rest : (text.args ?? []);
  const byName = typeof first === 'object' && first !== null ? (first as Record<string, unknown>) : undefined;
  const values = byName ?? Object.fromEntries(Object.entries(positional));
  return message.replace(/\{([^}]+)\}/g, (placeholder, key) =>
    key in values ? String(values[key]) : placeholder,
  );
}

export const l10n = { t, bundle: undefined, uri: undefined };

/** Tests check only the tab of a preview, not its content. */
const markdown = {
  id: 'vscode.markdown-language-features',
  isActive: false,
  exports: undefined,
  packageJSON: {},
};

const all = [extension, markdown];

export const extensions = {
  all,
  getExtension: (id: string) => all.find((each) => each.id === id),
  onDidChange: new EventEmitter<void>().event,
};

export { activate };
