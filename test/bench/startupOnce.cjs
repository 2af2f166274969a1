// Loads the built extension once and activates it; prints how long each took. With the path of another bundle as
// argument, it only loads that one.
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { performance } = require('node:perf_hooks');

const missingFile = path.resolve('missing', 'file');

/** A mock for anything of VS Code's API: every property, call and construction returns another mock. */
const anything = new Proxy(class {}, {
  get: (_, name) => {
    if (name === Symbol.toPrimitive) return () => '';
    if (name === 'then') return undefined;
    return name === 'fsPath' ? missingFile : anything;
  },
  apply: () => anything,
  construct: () => anything,
  set: () => true,
});
const memento = { get: (_, fallback) => fallback, update: async () => {}, keys: () => [] };
const configuration = { inspect: () => undefined, get: () => undefined };
const known = {
  workspace: new Proxy(
    { getConfiguration: () => configuration },
    { get: (target, name) => (name in target ? target[name] : anything) },
  ),
  l10n: { t: String },
  EventEmitter: class {
    event = () => anything;
    fire() {}
    dispose() {}
  },
  Disposable: class {
    dispose() {}
  },
  TreeItem: class {},
  ExtensionMode: { Production: 1, Development: 2, Test: 3 },
};
// The bundle copies the members of the module by name, so each name must exist.
const typings = readFileSync(require.resolve('@types/vscode/index.d.ts'), 'utf8');
const members = typings.matchAll(/^\texport (?:abstract )?(?:namespace|class|enum|const|function) (\w+)/gm);
const vscode = { ...Object.fromEntries([...members].map(([, name]) => [name, anything])), ...known };

const load = Module._load;
Module._load = (request, ...rest) => (request === 'vscode' ? vscode : load(request, ...rest));

// An extension host has already read the manifest and loaded these modules before it loads any extension.
const packageJSON = require('../../package.json');
for (const builtin of ['node:child_process', 'node:crypto', 'node:fs/promises']) require(builtin);

const [, , other] = process.argv;
const start = performance.now();
if (other !== undefined) {
  require(other);
  console.log(JSON.stringify({ loadMs: performance.now() - start, activateMs: 0 }));
  process.exit(0);
}
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
// The extension's later work is not measured.
process.exit(0);
