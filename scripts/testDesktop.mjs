// `npm run test:desktop [-- --vscode PATH | --version VERSION] [-g title]`: the window tests in a desktop VS Code, the
// given one or a downloaded one: `stable`, `insiders` or a number such as `1.106.3`. On Linux it needs a display, such
// as `xvfb-run`.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { step } from './progress.mjs';
import { underPinnedNode } from './setup.mjs';

await underPinnedNode(import.meta.url, async () => {
  // The caller's Node may be older, without globSync.
  const { globSync } = await import('node:fs');
  const { runTests } = await import('@vscode/test-electron');
  const { build } = await import('./build.mjs');
  const { standInOnly } = await import('./testParts.mjs');
  const { countsIn, testEnvironment } = await import('./windowTests.mjs');
  const { root } = await import('./root.mjs');
  const { workFolder } = await import('./vscodeInstall.mjs');
  const { writeSettings } = await import('./vscodeServer.mjs');
  const { values } = parseArgs({
    options: {
      vscode: { type: 'string' },
      version: { type: 'string' },
      grep: { type: 'string', short: 'g' },
    },
  });

  const home = join(workFolder, 'desktop');
  const folder = join(home, 'workspace');
  const data = join(home, 'data');
  const counts = join(home, 'counts.json');
  await rm(home, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeSettings(join(data, 'User'), {});
  await step('Building', () => build({ tests: true }));
  const sources = globSync('test/{host,window}/**/*.test.ts', { cwd: fileURLToPath(root) });
  const files = sources
    .filter((file) => !standInOnly.includes(file))
    .map((file) => file.replace('test/', '').replace(/ts$/, 'js'));
  const failure = await runTests({
    vscodeExecutablePath: values.vscode,
    version: values.version,
    extensionDevelopmentPath: fileURLToPath(root),
    extensionTestsPath: fileURLToPath(new URL('dist-test/window/run.js', root)),
    extensionTestsEnv: testEnvironment({ data, counts }, { files, grep: values.grep }),
    launchArgs: [folder, '--user-data-dir', data, '--extensions-dir', join(home, 'extensions')],
  }).then(
    () => '',
    (error) => error.message,
  );
  const { passed, failed } = countsIn(counts, failure);
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 || failure ? 1 : 0;
});
