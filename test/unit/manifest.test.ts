import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { root } from '../../scripts/root.mjs';

interface Command {
  readonly command: string;
  readonly title: string;
  readonly category?: string;
  readonly enablement?: string;
}

interface Setting {
  readonly scope?: string;
  readonly markdownDescription?: string;
  readonly description?: string;
  readonly deprecationMessage?: string;
  readonly markdownDeprecationMessage?: string;
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
    readonly views: Readonly<Record<string, readonly { id: string; name: string }[]>>;
    readonly viewsWelcome?: readonly { view: string; when?: string; contents: string }[];
    readonly menus?: Readonly<
      Record<string, readonly { command?: string; submenu?: string; when?: string }[]>
    >;
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
const untitled = (
  /untitledCommands = \[([^\]]+)\]/.exec(source('src/host/kit/manifest/contributions.ts'))?.[1] ?? ''
).matchAll(/'([\w.]+)'/g);
const untitledCommands = [...untitled].map(([, id]) => `modelGateway.${id}`);
const settings: Readonly<Record<string, Setting>> = Object.assign(
  {},
  ...[contributes.configuration].flat().map(({ properties }) => properties),
);

function source(file: string): string {
  return readFileSync(new URL(file, root), 'utf8');
}

function read(file: string) {
  return JSON.parse(source(file));
}

/** The pages that panels show, by their names. */
const services = ['chat/chatServices', 'tasks/taskServices']
  .map((file) => source(`src/host/${file}.ts`))
  .join('\n');
const pages = [...services.matchAll(/ name: '(\w+)',/g)].map(([, name = '']) => name);

describe('the manifest', () => {
  it('T1 T2 gives every setting application scope and restricts it in untrusted workspaces', () => {
    const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
    const names = Object.keys(settings);
    assert.ok(names.length > 0);
    assert.deepEqual(
      names.filter((name) => settings[name]?.scope !== 'application'),
      [],
      'give these settings "scope": "application" in package.json',
    );
    assert.deepEqual(
      names.filter((name) => !restricted.includes(name)),
      [],
      'add these settings to capabilities.untrustedWorkspaces.restrictedConfigurations in package.json',
    );
  });

  it('declares no setting that the extension does not read', () => {
    const host = globSync('src/host/**/*.ts', { cwd: fileURLToPath(root) })
      .map(source)
      .join('\n');
    const read = [...host.matchAll(/\bread(?:Setting|Folder)(?:<\w+>)?\('([\w.]+)'\)/g)].map(
      ([, name]) => `modelGateway.${name}`,
    );
    assert.deepEqual(
      Object.keys(settings).filter((name) => !read.includes(name)),
      [],
      'read each of these settings by readSetting where the feature needs it',
    );
  });

  it('restricts only settings that exist', () => {
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    assert.deepEqual(
      restrictedConfigurations.filter((name) => !(name in settings)),
      [],
      'package.json restricts these settings, but does not declare them',
    );
  });

  it('F106 supports virtual and untrusted workspaces', () => {
    const { virtualWorkspaces, untrustedWorkspaces } = manifest.capabilities;
    assert.deepEqual([virtualWorkspaces, untrustedWorkspaces.supported], [true, 'limited']);
  });

  it('does not activate the extension with the event *', () => {
    assert.ok(!manifest.activationEvents.includes('*'));
  });

  it('gives every command a title and a category, and declares each command once', () => {
    const nameless = contributes.commands.filter(({ title, category }) => !title || !category);
    assert.deepEqual(nameless, [], 'give these commands a title and a category in package.json');
    const twice = declared.filter((command, index) => declared.indexOf(command) !== index);
    assert.deepEqual(twice, [], 'package.json declares these commands twice');
  });

  it('has title case in the title of every command', () => {
    const small = /^(?:a|an|and|as|at|by|for|from|in|of|on|the|to|with|cURL)$/;
    const texts = read('package.nls.json');
    const titles = contributes.commands.map(({ title }): string => texts[title.replaceAll('%', '')]);
    assert.deepEqual(
      titles.filter((title) =>
        title.split(' ').some((word, index) => /^[a-z]/.test(word) && (index === 0 || !small.test(word))),
      ),
      [],
      'give the words of these titles capitals in package.nls.json',
    );
  });

  it('derives the title key of every command from its id', () => {
    for (const { command, title } of contributes.commands) {
      const expected = `%command.${command.replace('modelGateway.', '')}.title%`;
      assert.equal(title, expected, `package.json: the title of ${command} must be ${expected}`);
    }
  });

  it('derives the name key of every view from its id', () => {
    for (const { id, name } of Object.values(contributes.views).flat()) {
      const expected = `%view.${id.replace('modelGateway.', '')}.name%`;
      assert.equal(name, expected, `package.json: the name of the view ${id} must be ${expected}`);
    }
  });

  it('F71 activates the extension for exactly the pages that a reloaded window restores', () => {
    const restored = [...services.matchAll(/name: '(\w+)',\s+memoryKey:/g)].map(([, name]) => name);
    const woken = manifest.activationEvents.flatMap(
      (event) => /^onWebviewPanel:modelGateway\.(\w+)$/.exec(event)?.[1] ?? [],
    );
    assert.deepEqual(
      woken.toSorted(),
      restored.toSorted(),
      'activationEvents in package.json need onWebviewPanel:modelGateway.NAME for each page whose ' +
        'tabs are remembered in the services of src/host/chat and src/host/tasks, and for no other',
    );
    assert.ok(restored.length > 0);
  });

  it('describes every setting', () => {
    const silent = Object.keys(settings).filter(
      (name) => !settings[name]?.description && !settings[name]?.markdownDescription,
    );
    assert.deepEqual(silent, [], 'give these settings a markdownDescription in package.json');
  });

  it('uses exactly the texts of each package.nls file', () => {
    const used = JSON.stringify(manifest).matchAll(/"%([^%"]+)%"/g);
    const expected = [...new Set([...used].map(([, key = '']) => key))];
    for (const file of globSync('package.nls*.json', { cwd: fileURLToPath(root) })) {
      const texts = Object.keys(read(file));
      const missing = expected.filter((key) => !texts.includes(key));
      const unused = texts.filter((key) => !expected.includes(key));
      assert.deepEqual(missing, [], `add these texts of package.json to ${file}`);
      assert.deepEqual(unused, [], `package.json does not use these texts of ${file}`);
    }
  });

  it('refers only to commands that it declares', () => {
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
      (command) => command && !declared.includes(command) && !untitledCommands.includes(command),
    );
    assert.deepEqual(
      unknown,
      [],
      'menus, keybindings or texts name these commands, which contributes.commands in package.json lacks',
    );
  });

  it('has conditions only on context keys, views and pages that exist', () => {
    const keys =
      /type ContextKey =([^;]+);/.exec(source('src/host/kit/manifest/contributions.ts'))?.[1] ?? '';
    const known = [
      ...[...keys.matchAll(/'(\w+)'/g)].map(([, name]) => `modelGateway.${name}`),
      ...pages.map((name) => `modelGateway.${name}`),
      ...Object.values(contributes.views).flatMap((views) => views.map(({ id }) => id)),
    ];
    const used = [...JSON.stringify(contributes).matchAll(/"(?:when|enablement)":"([^"]*)"/g)].flatMap(
      ([, when = '']) => when.match(/modelGateway\.[\w.]+/g) ?? [],
    );
    assert.deepEqual(
      [...new Set(used)].filter((name) => !known.includes(name)),
      [],
      'a "when" in package.json refers to these, but none is a view, a page of the chat or of tasks, or a ContextKey ' +
        'of src/host/kit/manifest/contributions.ts',
    );
  });

  it('gives every task command a condition for the palette', () => {
    const shown = contributes.menus?.commandPalette ?? [];
    assert.deepEqual(
      declared
        .filter((command) => command.startsWith('modelGateway.tasks.'))
        .filter((command) => !shown.some((item) => item.command === command && item.when))
        .filter((command) => getEnablement(command) === undefined),
      [],
      'give each of these an "enablement" in package.json, such as the view of its row, or where a key or the click on ' +
        'a row runs it a "when" in menus.commandPalette',
    );
  });

  it('enables the command of a view in each menu of that view, and in no other menu', () => {
    const shown = Object.entries(contributes.menus ?? {}).flatMap(([menu, items]) =>
      items.map(({ command = '', when = '' }) => ({ menu, command, when })),
    );
    assert.deepEqual(
      shown.filter(({ menu, command, when }) => {
        const enabled = (getEnablement(command) ?? '').split(' || ').filter((part) => part !== '');
        const isOfView = enabled.some((part) => part.startsWith('view == '));
        return isOfView && (menu === 'commandPalette' || !enabled.some((part) => when.startsWith(part)));
      }),
      [],
      'these rows of menus in package.json show commands whose "enablement" is that of another view',
    );
  });

  it('does not limit a command to a view if a key or a click on a row runs it', () => {
    const bound = (contributes.keybindings ?? []).map(({ command }) => command);
    const host = globSync('src/host/**/*.ts', { cwd: fileURLToPath(root) })
      .map(source)
      .join('\n');
    const clicked = [...host.matchAll(/command: commandName\('([\w.]+)'\)/g)].map(
      ([, id]) => `modelGateway.${id}`,
    );
    assert.deepEqual(
      [...bound, ...clicked].filter((command) => getEnablement(command)?.includes('view == ')),
      [],
      'the view is not set there: hide these with a "when" in menus.commandPalette of package.json',
    );
  });

  it('shows few commands in the palette, and makes the others reachable elsewhere', () => {
    const { commandPalette = [], ...others } = contributes.menus ?? {};
    const hidden = [
      ...commandPalette.filter(({ when }) => when === 'false').map(({ command }) => command ?? ''),
      ...declared.filter((command) =>
        /\b(?:view|scmProvider|resourceScheme) == /.test(getEnablement(command) ?? ''),
      ),
    ];
    const shown = declared.filter((command) => !hidden.includes(command));
    assert.ok(shown.length <= 64, `the palette has ${shown.length} commands: hide some of one row or page`);
    const bound = (contributes.keybindings ?? []).map(({ command }) => command);
    const inMenus = Object.values(others).flatMap((items) => items.map(({ command }) => command));
    const code = globSync('src/host/**/*.ts', { cwd: fileURLToPath(root) }).map(source);
    const isRunBy = (command: string) => {
      const id = `'${command.replace('modelGateway.', '')}'`;
      return (
        code.filter(
          (text) =>
            text.includes(`runCommand(${id}`) ||
            text.includes(`command: ${id}`) ||
            text.includes(`commandName(${id}`),
        ).length > 0
      );
    };
    assert.deepEqual(
      hidden.filter((command) => !bound.includes(command) && !inMenus.includes(command) && !isRunBy(command)),
      [],
      'these commands cannot be run: show them in the palette, in a menu or on a page',
    );
  });

  it('refers only to views, containers and submenus that it declares', () => {
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
    assert.deepEqual(unknown, [], 'package.json refers to these, but does not declare them');
  });

  it('shows in an empty Chats view, once, on which machine chats are saved', () => {
    const words: Readonly<Record<string, string>> = read('package.nls.json');
    const shown = (isRemote: boolean, isFiltered: boolean) =>
      (contributes.viewsWelcome ?? [])
        .filter(({ view, when = '' }) => view === 'modelGateway.chats' && holds(when, isRemote, isFiltered))
        .map(({ contents }) => words[contents.slice(1, -1)] ?? contents);
    const [local, ...otherLocal] = shown(false, false);
    assert.match(local ?? '', /^Chats are saved here automatically, on this machine only\.\n/);
    const [remote, ...otherRemote] = shown(true, false);
    assert.match(
      remote ?? '',
      /on the remote machine\. Chats of local windows are saved on your own machine\.\n/,
    );
    assert.deepEqual([...otherLocal, ...otherRemote], []);
    for (const isRemote of [false, true]) {
      assert.deepEqual(shown(isRemote, true), [words['view.chats.welcomeFiltered']]);
    }
  });

  it('locks every dependency by hash, without a registry address', () => {
    for (const file of ['package-lock.json', 'test/package-lock.json']) {
      const locked: Readonly<Record<string, LockedPackage>> = read(file).packages;
      const dependencies = Object.entries(locked).filter(([path]) => path !== '');
      assert.ok(dependencies.length > 0, file);
      assert.deepEqual(
        dependencies.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path),
        [],
        `${file} needs an integrity for these: create it again in a folder that contains only package.json, ` +
          'with npm install --package-lock-only --ignore-scripts --omit-lockfile-registry-resolved',
      );
      assert.deepEqual(
        dependencies.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path),
        [],
        `${file} must not contain a registry`,
      );
    }
  });

  it('refers only to pictures that exist, and so does every page', () => {
    const pictures = [
      ...[...JSON.stringify(manifest).matchAll(/"(?:\.\/)?(media\/[^"]+)"/g)].map(([, path = '']) => path),
      ...pages.flatMap((name) => [`media/${name}-light.svg`, `media/${name}-dark.svg`]),
    ];
    assert.ok(pages.length > 0);
    assert.deepEqual(
      pictures.filter((path) => !existsSync(new URL(path, root))),
      [],
      'package.json or a page refers to these pictures, which do not exist',
    );
  });
});

function getEnablement(command: string): string | undefined {
  return contributes.commands.find((each) => each.command === command)?.enablement;
}

/** Whether a `when` clause of the Chats view's texts is true. */
function holds(when: string, isRemote: boolean, isFiltered: boolean): boolean {
  const values = new Map([
    ['remoteName', isRemote],
    ['modelGateway.chatsFiltered', isFiltered],
  ]);
  return when.split(' && ').every((term) => {
    const value = values.get(term.replace('!', ''));
    assert.ok(value !== undefined, `this test does not know the value of ${term}`);
    return value !== term.startsWith('!');
  });
}
