// Runs every benchmark in test/bench, or those whose name contains one of the arguments, and prints one table. The
// packages for comparison are installed on first use.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { step } from './progress.mjs';
import { root } from './root.mjs';
import { installGateways, installSdks } from './sdkInstall.mjs';

const folder = fileURLToPath(new URL('test/bench/', root));
const node = fileURLToPath(new URL('node_modules/.bin/node', root));

/** Runs one benchmark; its figures are the lines of JSON on its standard output. */
function run(file) {
  console.log(`Running ${file}`);
  const { status, stdout } = spawnSync(node, ['--expose-gc', folder + file], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) return [{ figure: `${file} failed`, value: '-', target: '-', met: false }];
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Writes the bundle that VS Code loads; the startup benchmark loads it too. */
function buildExtension() {
  const { status } = spawnSync(node, [fileURLToPath(new URL('scripts/build.mjs', root))], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) process.exit(1);
}

const wanted = process.argv.slice(2);
const files = readdirSync(folder)
  .filter((file) => file.endsWith('.bench.ts'))
  .sort();
const chosen = files.filter((file) => wanted.length === 0 || wanted.some((name) => file.includes(name)));

await step('Client libraries', installSdks);
if (chosen.includes('gateway.bench.ts')) await step('Other gateways', installGateways);
if (chosen.includes('startup.bench.ts')) await step('Build', buildExtension);
const figures = chosen.flatMap(run);
console.table(
  figures.map(({ figure, value, target, met }) => ({ figure, value, target, met: met ? 'yes' : 'NO' })),
);
process.exitCode = figures.every(({ met }) => met) ? 0 : 1;
