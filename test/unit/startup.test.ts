import assert from 'node:assert/strict';
import { build, type Metafile } from 'esbuild';
import { bundles } from '../../scripts/bundles.mjs';

type Inputs = Metafile['inputs'];

/** The input files of the extension's bundle. */
async function bundled(): Promise<Inputs> {
  const extension = bundles.find((bundle) => bundle.outfile === 'dist/extension.js');
  const { metafile } = await build({ ...extension, metafile: true, write: false });
  return metafile.inputs;
}

/** The files that run as soon as VS Code loads the extension: everything not behind a dynamic import. */
function loadedAtStart(inputs: Inputs): readonly string[] {
  const seen = new Set<string>();
  const waiting = ['src/extension.ts'];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const imported of inputs[file]?.imports ?? []) {
      if (imported.kind !== 'dynamic-import') waiting.push(imported.path);
    }
  }
  return [...seen];
}

describe('start-up', () => {
  let inputs: Inputs;

  before(async () => {
    inputs = await bundled();
  });

  it('does not load HTTP or schema libraries, commands, the gateway or SQLite before they are used', () => {
    const files = loadedAtStart(inputs);
    const early = files.filter(
      (file) =>
        /node_modules\/(undici|zod)\//.test(file) ||
        /^src\/localGateway\//.test(file) ||
        file === 'node:sqlite' ||
        file === 'src/host/app/commandTable.ts',
    );
    assert.ok(files.includes('src/host/app/services.ts'), 'the extension itself is among the files');
    assert.deepEqual(
      early,
      [],
      'these load as soon as VS Code starts: import only types of them in what src/extension.ts loads, and ' +
        'the code by import() where a feature begins (src/host/chat/chatServices.ts shows how)',
    );
  });

  it('does not load the libraries that read chat files, which only the worker needs', () => {
    const ofWorker = /node_modules\/(yauzl|markdown-it)\/|^src\/conversations\/formats\//;
    assert.deepEqual(
      Object.keys(inputs).filter((file) => ofWorker.test(file)),
      [],
      'these are in the extension itself: move the code that needs them to src/conversations/worker, and import types only',
    );
  });

  it('uses dynamic imports only where a feature begins', () => {
    const lazy = Object.keys(inputs)
      .filter((file) => file.startsWith('src/host/'))
      .filter((file) => inputs[file]?.imports.some(({ kind }) => kind === 'dynamic-import'));
    assert.deepEqual(
      lazy.toSorted(),
      [
        'src/host/agents/languageModelTools/registerTools.ts',
        'src/host/agents/participant/registerParticipant.ts',
        'src/host/app/commands.ts',
        'src/host/chat/chatServices.ts',
        'src/host/connection/connection.ts',
        'src/host/models/modelServices.ts',
        'src/host/tasks/task/mediaViews.ts',
        'src/host/tasks/taskServices.ts',
      ],
      'import() belongs where a feature begins: panels load in the services of their floor, commands in ' +
        'src/host/app/commands.ts, tools and participant where they are registered. Import the usual way elsewhere',
    );
  });
});
