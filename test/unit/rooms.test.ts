import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundles } from '../../scripts/bundles.mjs';
import { root } from '../../scripts/root.mjs';
import { type Import, listImports, readSourceFiles } from '../support/sourceImports.ts';

/** The rooms of src/, and the rooms that each may import at run time. Imports run one way: downwards. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  'extension.ts': [
    'host',
    'tasks',
    'conversations',
    'requests',
    'client',
    'http',
    'storage',
    'protocol',
    'wire',
    'base',
  ],
  host: ['tasks', 'conversations', 'requests', 'client', 'http', 'storage', 'protocol', 'wire', 'base'],
  tasks: ['client', 'storage', 'wire', 'base'],
  conversations: ['client', 'storage', 'wire', 'base'],
  requests: ['client', 'storage', 'wire', 'base'],
  client: ['http', 'wire', 'base'],
  localGateway: ['storage', 'http', 'wire', 'base'],
  http: ['wire', 'base'],
  webview: ['base'],
  protocol: ['base'],
  storage: ['base'],
  wire: ['base'],
  base: [],
};

/** The further rooms whose types each room may import. Types do not exist at run time. */
const mayTakeTypes: Readonly<Record<string, readonly string[]>> = {
  localGateway: ['protocol'],
  webview: ['protocol'],
  protocol: ['wire'],
};

/** The rooms that may call VS Code. The others run without it: in the page, in the gateway, in a library. */
const mayCallVscode = ['extension.ts', 'host'];

/** The floors inside a room, the highest first. A floor imports only from the floors below it, types included. */
const floors: Readonly<Record<string, readonly string[]>> = {
  host: ['app', 'agents', 'requests', 'gateway', 'tasks', 'chat', 'models', 'connection', 'kit'],
  localGateway: [
    'program',
    'operation',
    'routes',
    'server',
    'demo',
    'tasks',
    'config',
    'models',
    'conversion',
    'upstreams',
    'http',
    'json',
  ],
};

/** An import between two files or packages. */
type Arrow = Pick<Import, 'from' | 'to'>;

/** Every import that is left at run time, between files of the project; types are erased by then. */
async function imports(): Promise<readonly Arrow[]> {
  const home = fileURLToPath(root);
  const files = globSync('src/**/*.ts', { cwd: home, exclude: ['**/*.d.ts'] });
  const contents = files
    .map((file, index) => `export * as f${index} from './${file.replaceAll('\\', '/')}';`)
    .join('\n');
  const { metafile } = await build({
    absWorkingDir: home,
    // One bundle of all files: a bundle for each would contain most files hundreds of times.
    stdin: { contents, resolveDir: home },
    bundle: true,
    metafile: true,
    write: false,
    outdir: 'dist',
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'silent',
  });
  return Object.entries(metafile.inputs).flatMap(([from, { imports }]) =>
    from === '<stdin>' ? [] : imports.map(({ path }) => ({ from, to: path })),
  );
}

/** The imports as a newcomer reads them in a failure. */
function arrows(some: readonly Arrow[]): readonly string[] {
  return some.map(({ from, to }) => `${from} -> ${to}`);
}

function room(file: string): string {
  return file.split('/')[1] ?? file;
}

describe('the rooms of src/', () => {
  let all: readonly Arrow[];

  before(async function () {
    // Bundling everything is slow when other work runs at the same time.
    this.timeout(60_000);
    all = await imports();
  });

  it('are all listed in the import rules', () => {
    const strange = all.map(({ from }) => from).filter((file) => !(room(file) in mayImport));
    assert.deepEqual(
      strange,
      [],
      'these lie in no known room: move them into one of the table of rooms in docs/architecture.md, or add the new room ' +
        'there and to `mayImport` in test/unit/rooms.test.ts',
    );
  });

  it('contain the entry point of every bundle', () => {
    const entries = bundles.map(({ entryPoints }) => String(entryPoints));
    assert.deepEqual(entries.map(room), [
      'extension.ts',
      'webview',
      'webview',
      'localGateway',
      'conversations',
      'conversations',
      'requests',
      'tasks',
      'client',
    ]);
  });

  for (const [name, allowed] of Object.entries(mayImport)) {
    it(`${name} imports ${allowed.length > 0 ? `only ${allowed.join(', ')}` : 'no other room'}`, () => {
      const forbidden = all
        .filter(({ from, to }) => room(from) === name && to.startsWith('src/'))
        .filter(({ to }) => room(to) !== name && !allowed.includes(room(to)));
      assert.deepEqual(
        arrows(forbidden),
        [],
        `src/${name} may import ${allowed.join(', ') || 'no other room'}. Move what both sides need down into a ` +
          'room that both may import; the table of rooms is in docs/architecture.md',
      );
    });
  }

  it('import types only from rooms that they may import or that the table of types lists', () => {
    const written = listImports(readSourceFiles()).filter(({ to }) => to.startsWith('src/'));
    assert.ok(written.length > 1000, 'the pattern finds the imports');
    const forbidden = written
      .map((each) => ({ ...each, by: room(each.from), of: room(each.to) }))
      .filter(({ by, of }) => by !== of && !mayImport[by]?.includes(of) && !mayTakeTypes[by]?.includes(of));
    assert.deepEqual(
      arrows(forbidden),
      [],
      'move the types that both sides need down into a room that both may import; the table of rooms is in docs/architecture.md',
    );
  });

  for (const [name, order] of Object.entries(floors)) {
    it(`${name} has floors that import downwards only: ${order.join(' > ')}`, () => {
      const getFloor = (file: string) => order.indexOf(file.split('/')[2] ?? '');
      const written = listImports(readSourceFiles()).filter(
        ({ from, to }) => room(from) === name && room(to) === name,
      );
      const forbidden = written.filter(
        ({ from, to }) => getFloor(from) === -1 || getFloor(from) > getFloor(to),
      );
      assert.deepEqual(
        arrows(forbidden),
        [],
        `move what both floors of src/${name} need to the lower one, or pass it in as a function or a value`,
      );
    });
  }

  it('wire does not import a module of Node', () => {
    const forbidden = all.filter(({ from, to }) => room(from) === 'wire' && to.startsWith('node:'));
    assert.deepEqual(
      arrows(forbidden),
      [],
      'pass the needed functions of Node in, or move the file to src/http',
    );
  });

  it('base imports no packages, and only base/node imports Node modules', () => {
    const isFine = (from: string, to: string) =>
      to.startsWith('src/base/') || (from.startsWith('src/base/node/') && to.startsWith('node:'));
    const forbidden = all.filter(({ from, to }) => room(from) === 'base' && !isFine(from, to));
    assert.deepEqual(
      arrows(forbidden),
      [],
      'src/base is pure: move code that needs Node to src/base/node, and code that needs a package to the room that uses it',
    );
  });

  it('pages, and the files of base outside base/node, do not import base/node', () => {
    const forbidden = all.filter(
      ({ from, to }) =>
        to.startsWith('src/base/node/') && (room(from) === 'webview' || /^src\/base\/[^/]+$/.test(from)),
    );
    assert.deepEqual(
      arrows(forbidden),
      [],
      'src/base/node needs Node, which pages do not have: move the parts that do not need it to src/base',
    );
  });

  it('protocol imports no package except zod', () => {
    const packages = all.filter(({ from, to }) => room(from) === 'protocol' && !to.startsWith('src/'));
    assert.deepEqual(
      [...new Set(packages.map(({ to }) => to))],
      ['zod'],
      'src/protocol has messages and their schemas; code that handles them belongs to src/host or src/webview',
    );
  });

  it('only host and extension.ts import VS Code', () => {
    const forbidden = all.filter(({ from, to }) => to === 'vscode' && !mayCallVscode.includes(room(from)));
    assert.deepEqual(
      arrows(forbidden),
      [],
      'only src/host may call VS Code: pass the needed functions and values in',
    );
  });

  it('host accesses tasks only through the task service', () => {
    const inner =
      /tasks\/(ledger\/\w+|ledgerAccess|taskRuntime|taskWatcher|submitTask|results\/resultDownloads)\.ts'/;
    const files = globSync('src/{extension.ts,host/**/*.ts}', { cwd: fileURLToPath(root) });
    const reaching = files.filter((file) => {
      const text = readFileSync(new URL(file, root), 'utf8');
      return inner.test(text) || /\bledger\??\.\w/.test(text);
    });
    assert.deepEqual(
      reaching,
      [],
      'these reach past src/tasks/taskService.ts: add a method there that does this, and call it',
    );
  });
});
