import type { WrongPatch } from './wrongPatch.ts';

/** It packs the extension, which checks the content, before it opens a window. */
const tests = ['test/ui/workbench/package.test.ts'];

/** The content of the package. */
export const packagePatches: readonly WrongPatch[] = [
  {
    promise: 'P15',
    title: 'packs references to source maps',
    file: 'scripts/build.mjs',
    find: 'sourcemap: false, metafile: true',
    replace: "sourcemap: 'linked', metafile: true",
    tests,
  },
  {
    promise: 'P15',
    title: 'packs the path of the folder in which it was built',
    file: 'scripts/bundles.mjs',
    find: "outfile: 'dist/gateway.js',",
    replace: "outfile: 'dist/gateway.js',\n  banner: { js: '// ' + fileURLToPath(root) },",
    tests,
  },
  {
    promise: 'P15',
    title: 'packs the extension without the local gateway',
    file: 'scripts/bundles.mjs',
    find: '  gatewayBundle,',
    replace: '',
    tests,
  },
];
