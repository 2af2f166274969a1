// The bundles and their entries. The import rules are tested against the same entries.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { root } from './root.mjs';

/** @type {import('esbuild').BuildOptions} */
const common = {
  absWorkingDir: fileURLToPath(root),
  bundle: true,
  minify: true,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
};

/** @type {import('esbuild').BuildOptions} */
const node = {
  ...common,
  platform: 'node',
  target: 'node22',
  // With this name undici omits its second, experimental HTTP parser, as Node's own build does.
  define: { esbuildDetection: 'true' },
  // The other form of the package resolves its own modules at run time.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
};

/** @type {import('esbuild').BuildOptions} */
const browser = {
  ...common,
  format: 'esm',
  platform: 'browser',
  target: 'chrome134',
};

/** The bundles of the pages; the second one is only for formulas. @type {import('esbuild').BuildOptions[]} */
export const pageBundles = [
  {
    ...browser,
    entryPoints: ['src/webview/main.ts'],
    outfile: 'dist/webview.js',
    loader: { '.ttf': 'file' },
    assetNames: '[name]',
  },
  { ...browser, entryPoints: ['src/webview/maths/formulaTree.ts'], outfile: 'dist/maths.js' },
];

/** The local gateway, which is packed with the extension and alone. @type {import('esbuild').BuildOptions} */
export const gatewayBundle = {
  ...node,
  entryPoints: ['src/localGateway/program/main.ts'],
  outfile: 'dist/gateway.js',
  format: 'cjs',
};

/** The Node options of the local gateway's process, used by all its starters. @type {string[]} */
export const gatewayNodeOptions = JSON.parse(
  readFileSync(new URL('src/base/node/gatewayNodeOptions.json', root), 'utf8'),
);

/** The bundles of the extension and of everything else that is packed. @type {import('esbuild').BuildOptions[]} */
export const extensionBundles = [
  {
    ...node,
    entryPoints: ['src/extension.ts'],
    outfile: 'dist/extension.js',
    format: 'cjs',
    external: ['vscode'],
  },
  ...pageBundles,
  gatewayBundle,
  {
    ...node,
    entryPoints: ['src/conversations/worker/main.ts'],
    outfile: 'dist/conversationsWorker.js',
    format: 'cjs',
  },
  {
    ...node,
    entryPoints: ['src/conversations/schemaCheck/main.ts'],
    outfile: 'dist/schemaCheck.js',
    format: 'cjs',
  },
  {
    ...node,
    entryPoints: ['src/requests/worker/main.ts'],
    outfile: 'dist/requestsWorker.js',
    format: 'cjs',
  },
  {
    ...node,
    entryPoints: ['src/tasks/worker/main.ts'],
    outfile: 'dist/tasksWorker.js',
    format: 'cjs',
  },
];

/** @type {import('esbuild').BuildOptions} */
const clientLibrary = {
  ...node,
  entryPoints: ['src/client/library.ts'],
  outfile: 'dist/client.mjs',
  format: 'esm',
  // Users of a library read it and step through it.
  minify: false,
  sourcesContent: true,
  banner: {
    js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
  },
};

/** @type {import('esbuild').BuildOptions[]} */
export const bundles = [...extensionBundles, clientLibrary];

/**
 * The tests that run inside an extension host, bundled like the extension they test.
 *
 * @returns {import('esbuild').BuildOptions}
 */
export function vscodeTestBundle() {
  const files = readdirSync(new URL('test', root), { recursive: true, encoding: 'utf8' });
  const tests = files.filter((file) => /^(host|window)[\\/].*\.test\.ts$/.test(file));
  return {
    ...node,
    minify: false,
    sourcesContent: true,
    entryPoints: ['test/window/run.ts', ...tests.map((file) => `test/${file}`)],
    outdir: 'dist-test',
    outbase: 'test',
    format: 'cjs',
    external: ['vscode', 'mocha', 'playwright-core'],
    // The bundles find the fixtures by MODEL_GATEWAY_TEST_FIXTURES.
    logOverride: { 'empty-import-meta': 'silent' },
  };
}
