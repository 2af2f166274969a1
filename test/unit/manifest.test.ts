import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { root } from '../../scripts/root.mjs';

interface Command {
  readonly command: string;
  readonly title: string;
  readonly category?: string;
}

interface Setting {
  readonly scope?: string;
  readonly markdownDescription?: string;
  readonly description?: string;
}

interface Manifest {
  readonly activationEvents: readonly string[];
  readonly capabilities: {
    readonly virtualWorkspaces: boolean;
    readonly untrustedWorkspaces: {
      readonly supported: string;
      readonly restrictedConfigurations: readonly string[];
    };
  };
  readonly contributes: {
    readonly commands: readonly Command[];
    readonly configuration: ConfigurationGroup | readonly ConfigurationGroup[];
    readonly viewsContainers: Readonly<Record<string, readonly { id: string; icon: string }[]>>;
    readonly views: Readonly<Record<string, readonly { id: string }[]>>;
    readonly viewsWelcome?: readonly { view: string; contents: string }[];
    readonly menus?: Readonly<Record<string, readonly { command?: string; submenu?: string }[]>>;
    readonly submenus?: readonly { id: string }[];
    readonly keybindings?: readonly { command: string }[];
  };
}

interface ConfigurationGroup {
  readonly properties: Readonly<Record<string, Setting>>;
}

interface LockedPackage {
  readonly integrity?: string;
  readonly resolved?: string;
}

const manifest: Manifest = read('package.json');
const { contributes } = manifest;
const declared = contributes.commands.map(({ command }) => command);
const settings = Object.assign({}, ...[contributes.configuration].flat().map(({ properties }) => properties));

function read(file: string) {
  return JSON.parse(readFileSync(new URL(file, root), 'utf8'));
}

describe('the manifest', () => {
  it('T1 T2 lets no workspace name an address, a header, a proxy or a credential', () => {
    const sensitive = /url|endpoint|host|header|proxy|path|token|key|command|gateway/i;
    const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
    const names = Object.keys(settings).filter((name) => sensitive.test(name));
    assert.deepEqual(
      names.filter((name) => settings[name].scope !== 'application'),
      [],
      'these settings must have application scope',
    );
    assert.deepEqual(
      names.filter((name) => !restricted.includes(name)),
      [],
      'these settings must be in restrictedConfigurations',
    );
  });

  it('restricts only settings that exist', () => {
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    assert.deepEqual(
      restrictedConfigurations.filter((name) => !(name in settings)),
      [],
    );
  });

  it('F106 lets the extension run in a virtual workspace and in one that is not trusted', () => {
    const { virtualWorkspaces, untrustedWorkspaces } = manifest.capabilities;
    assert.deepEqual([virtualWorkspaces, untrustedWorkspaces.supported], [true, 'limited']);
  });

  it('starts with VS Code, not before it', () => {
    assert.ok(!manifest.activationEvents.includes('*'));
  });

  it('gives every command a title and a category, and no command twice', () => {
    const nameless = contributes.commands.filter(({ title, category }) => !title || !category);
    assert.deepEqual(nameless, []);
    assert.deepEqual(declared, [...new Set(declared)]);
  });

  it('names the title of every command after its id, from which the ids are derived', () => {
    for (const { command, title } of contributes.commands) {
      assert.equal(title, `%command.${command.replace('modelGateway.', '')}.title%`);
    }
  });

  it('F71 is woken for each page that a window opens again when it is loaded anew', () => {
    const services = readFileSync(new URL('src/host/services.ts', root), 'utf8');
    const restored = [...services.matchAll(/name: '(\w+)',\s+restored: true/g)].map(([, name]) => name);
    const woken = manifest.activationEvents.flatMap(
      (event) => /^onWebviewPanel:modelGateway\.(\w+)$/.exec(event)?.[1] ?? [],
    );
    assert.deepEqual(woken.toSorted(), restored.toSorted());
    assert.ok(restored.length > 0);
  });

  it('describes every setting', () => {
    const silent = Object.keys(settings).filter(
      (name) => !settings[name].description && !settings[name].markdownDescription,
    );
    assert.deepEqual(silent, []);
  });

  it('uses exactly the texts that each package.nls file has', () => {
    const used = JSON.stringify(manifest).matchAll(/"%([^%"]+)%"/g);
    const wanted = [...new Set([...used].map(([, key]) => key))].sort();
    for (const file of globSync('package.nls*.json', { cwd: fileURLToPath(root) })) {
      assert.deepEqual(Object.keys(read(file)).sort(), wanted, file);
    }
  });

  it('refers to no command that it does not declare', () => {
    const menus = Object.values(contributes.menus ?? {}).flat();
    const shown = menus.flatMap(({ command }) => command ?? []);
    const bound = (contributes.keybindings ?? []).map(({ command }) => command);
    const texts = globSync('package.nls*.json', { cwd: fileURLToPath(root) }).map((file) =>
      JSON.stringify(read(file)),
    );
    const linked = texts.flatMap((text) =>
      [...text.matchAll(/\(command:(modelGateway\.[\w.]+)/g)].map(([, id]) => id),
    );
    const unknown = [...shown, ...bound, ...linked].filter(
      (command) => command && !declared.includes(command),
    );
    assert.deepEqual(unknown, []);
  });

  it('refers to no view, container or submenu that it does not declare', () => {
    const containers = Object.values(contributes.viewsContainers).flat();
    const views = Object.values(contributes.views).flat();
    const submenus = (contributes.submenus ?? []).map(({ id }) => id);
    const menus = Object.values(contributes.menus ?? {}).flat();
    const unknown = [
      ...Object.keys(contributes.views).filter((id) => !containers.some((container) => container.id === id)),
      ...(contributes.viewsWelcome ?? [])
        .map(({ view }) => view)
        .filter((id) => !views.some((view) => view.id === id)),
      ...menus.flatMap(({ submenu }) => submenu ?? []).filter((id) => !submenus.includes(id)),
    ];
    assert.deepEqual(unknown, []);
  });

  it('locks every dependency to its contents, and names no registry', () => {
    for (const file of ['package-lock.json', 'test/package-lock.json']) {
      const locked: Readonly<Record<string, LockedPackage>> = read(file).packages;
      const dependencies = Object.entries(locked).filter(([path]) => path !== '');
      assert.ok(dependencies.length > 0, file);
      assert.deepEqual(
        dependencies.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path),
        [],
        `${file} needs an integrity for these: write it afresh in a folder that has package.json only, ` +
          'with npm install --package-lock-only --ignore-scripts --omit-lockfile-registry-resolved',
      );
      assert.deepEqual(
        dependencies.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path),
        [],
        `${file} must leave the registry to who installs`,
      );
    }
  });

  it('refers to no picture that is not there', () => {
    const pictures = [...JSON.stringify(manifest).matchAll(/"(?:\.\/)?(media\/[^"]+)"/g)].map(
      ([, path]) => path ?? '',
    );
    assert.deepEqual(
      pictures.filter((path) => !existsSync(new URL(path, root))),
      [],
    );
  });
});
