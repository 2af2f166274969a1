// Writes dist/: the extension, the page, the local gateway and the client library.
// `--watch` builds again on every change; `--tests` also bundles the tests that run inside VS Code.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundles, extensionBundles, gatewayBundle, vscodeTestBundle } from './bundles.mjs';
import { run } from './processes.mjs';
import { Advice } from './progress.mjs';
import { root } from './root.mjs';
import { isCommand, underPinnedNode } from './setup.mjs';

/**
 * Bundles everything.
 *
 * @param {object} [options]
 * @param {boolean} [options.watch] keep bundling on every change
 * @param {boolean} [options.tests] also the tests that run inside VS Code
 */
export async function build({ watch = false, tests = false } = {}) {
  const esbuild = await import('esbuild');
  const wanted = tests ? [...bundles, vscodeTestBundle()] : bundles;
  await remove(tests ? ['dist', 'dist-test'] : ['dist']);
  if (watch) {
    await writeConfigSchema(fileURLToPath(root));
    const contexts = await Promise.all(
      wanted.map((bundle) => esbuild.context({ ...bundle, logLevel: 'info' })),
    );
    await Promise.all(contexts.map((context) => context.watch()));
    return;
  }
  try {
    await Promise.all([
      ...wanted.map((bundle) => esbuild.build(bundle)),
      writeClientTypes(),
      writeConfigSchema(fileURLToPath(root)),
    ]);
  } catch (error) {
    throw new Advice(error.message);
  }
}

/**
 * Bundles the shipped files, without source maps.
 *
 * @param {string} folder in which dist/ is written; this project's own dist/ is not changed
 * @returns {Promise<import('esbuild').Metafile[]>} the metafiles of the bundles
 */
export async function buildForShipping(folder) {
  await writeConfigSchema(folder);
  return Promise.all(extensionBundles.map((bundle) => buildPacked(bundle, folder)));
}

/**
 * Bundles only the local gateway, as it is shipped.
 *
 * @param {string} folder in which dist/ is written
 * @returns {Promise<import('esbuild').Metafile>}
 */
export async function buildGateway(folder) {
  await writeConfigSchema(folder);
  return buildPacked(gatewayBundle, folder);
}

/** @param {import('esbuild').BuildOptions} bundle @param {string} folder */
async function buildPacked(bundle, folder) {
  const esbuild = await import('esbuild');
  const outfile = join(folder, bundle.outfile ?? '');
  const { metafile } = await esbuild.build({ ...bundle, outfile, sourcemap: false, metafile: true });
  return metafile;
}

async function remove(folders) {
  await Promise.all(folders.map((folder) => rm(new URL(folder, root), { recursive: true, force: true })));
}

async function writeClientTypes() {
  const tsc = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root));
  await run(process.execPath, [tsc, '-p', fileURLToPath(new URL('src/client', root))]);
  await writeFile(new URL('dist/client.d.mts', root), "export * from './types/client/library.js';\n");
}

/**
 * Writes the JSON schema of the local gateway's configuration file, generated from the gateway's own validation.
 */
async function writeConfigSchema(folder) {
  const { createConfigJsonSchema } = await import('../src/localGateway/config/configSchema.ts');
  await mkdir(join(folder, 'dist'), { recursive: true });
  const text = `${JSON.stringify(createConfigJsonSchema(), undefined, 2)}\n`;
  await writeFile(join(folder, 'dist/gatewayConfig.schema.json'), text);
}

if (isCommand(import.meta.url)) {
  await underPinnedNode(import.meta.url, () =>
    build({ watch: process.argv.includes('--watch'), tests: process.argv.includes('--tests') }),
  );
}
