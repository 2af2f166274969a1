// Loads the built extension once and activates it; prints how long each took.
const Module = require('node:module');
const path = require('node:path');
const { performance } = require('node:perf_hooks');

/** Stands for anything of VS Code's API: every property, call and construction gives another one. */
const anything = new Proxy(() => {}, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => '' : name === 'then' ? undefined : anything),
  apply: () => anything,
  construct: () => anything,
  set: () => true,
});
const memento = { get: (_, fallback) => fallback, update: async () => {}, keys: () => [] };
const configuration = { inspect: () => undefined, get: () => undefined };
const vscode = {
  ...{
    window: anything,
    commands: anything,
    env: anything,
    lm: anything,
    Uri: anything,
    l10n: { t: String },
  },
  workspace: new Proxy(
    { getConfiguration: () => configuration },
    { get: (target, name) => (name in target ? target[name] : anything) },
  ),
  EventEmitter: class {
    event = () => anything;
    fire() {}
    dispose() {}
  },
  Disposable: class {
    dispose() {}
  },
  TreeItem: class {},
  ...{ ThemeIcon: anything, ThemeColor: anything, TreeItemCollapsibleState: {}, StatusBarAlignment: {} },
  ...{ ViewColumn: {}, ProgressLocation: {}, ExtensionMode: { Production: 1, Development: 2, Test: 3 } },
};

const load = Module._load;
Module._load = (request, ...rest) => (request === 'vscode' ? vscode : load(request, ...rest));

// An extension host has read the manifest, and loaded these, long before any extension.
const packageJSON = require('../../package.json');
for (const builtin of ['node:child_process', 'node:crypto', 'node:fs/promises']) require(builtin);

const start = performance.now();
const extension = require('../../dist/extension.js');
const loaded = performance.now();
extension.activate({
  subscriptions: [],
  extensionMode: 1,
  extension: { packageJSON },
  globalState: memento,
  workspaceState: memento,
  secrets: anything,
  extensionUri: anything,
  globalStorageUri: anything,
  asAbsolutePath: (file) => path.resolve(file),
});
const activated = performance.now();
console.log(JSON.stringify({ loadMs: loaded - start, activateMs: activated - loaded }));
// What the extension would do from now on is not measured.
process.exit(0);
