import assert from 'node:assert/strict';
import { build } from 'esbuild';
import { bundles } from '../../scripts/bundles.mjs';

/** The files that run as soon as VS Code loads the extension: everything not behind a dynamic import. */
async function loadedAtStart(): Promise<readonly string[]> {
  const extension = bundles.find((bundle) => bundle.outfile === 'dist/extension.js');
  const { metafile } = await build({ ...extension, metafile: true, write: false });
  const seen = new Set<string>();
  const waiting = ['src/extension.ts'];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const imported of metafile.inputs[file]?.imports ?? []) {
      if (imported.kind !== 'dynamic-import') waiting.push(imported.path);
    }
  }
  return [...seen];
}

describe('start-up', () => {
  it('loads no HTTP library, schema library, command, gateway or database before they are used', async () => {
    const files = await loadedAtStart();
    const early = files.filter(
      (file) =>
        /node_modules\/(undici|zod|fastify)\//.test(file) ||
        /^src\/localGateway\//.test(file) ||
        file === 'node:sqlite' ||
        file === 'src/host/commandTable.ts',
    );
    assert.ok(files.includes('src/host/services.ts'), 'the extension itself is among the files');
    assert.deepEqual(early, []);
  });
});
