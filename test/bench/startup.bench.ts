// The cost of the extension when VS Code starts: loading its bundle and running activate(), each time in a new
// process. VS Code's API is mocked by objects without behaviour, so only our own work is counted. A machine that is slow
// on cold code would miss any number of milliseconds, so the yardstick is a bundle of the providers' packages, of about
// the same size, that is loaded in other processes between ours.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { median, report } from './report.ts';

const runCount = 21;
/** The targets relative to the time of loading a yardstick of the size of our bundle. */
const maxLoad = 1;
const maxActivate = 0.15;
const program = fileURLToPath(new URL('startupOnce.cjs', import.meta.url));
const bundle = fileURLToPath(new URL('../../dist/extension.js', import.meta.url));
const yardstickPackages = ['openai', '@anthropic-ai/sdk', '@google/genai', 'undici'];

interface Start {
  readonly loadMs: number;
  readonly activateMs: number;
}

function startOnce(...args: readonly string[]): Start {
  return JSON.parse(execFileSync(process.execPath, [program, ...args], { encoding: 'utf8' })) as Start;
}

const folder = mkdtempSync(join(tmpdir(), 'startup-bench-'));
const yardstick = join(folder, 'yardstick.cjs');
await build({
  stdin: {
    contents: yardstickPackages
      .map((name) => `exports[${JSON.stringify(name)}] = require('${name}');`)
      .join('\n'),
    resolveDir: fileURLToPath(new URL('.', import.meta.url)),
  },
  outfile: yardstick,
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'cjs',
  logLevel: 'error',
});
const starts: Start[] = [];
const yardsticks: number[] = [];
for (let run = 0; run < runCount; run++) {
  starts.push(startOnce());
  yardsticks.push(startOnce(yardstick).loadMs);
}
const sizeRatio = statSync(bundle).size / statSync(yardstick).size;
rmSync(folder, { recursive: true, force: true });

const unit = median(yardsticks) * sizeRatio;
const figures = [
  { name: 'loading the bundle', ms: median(starts.map(({ loadMs }) => loadMs)), max: maxLoad },
  { name: 'activate()', ms: median(starts.map(({ activateMs }) => activateMs)), max: maxActivate },
];
for (const { name, ms, max } of figures) {
  report({
    figure: `Start-up: ${name} / loading as many bytes of other packages, p50`,
    value: `${(ms / unit).toFixed(2)} (${ms.toFixed(1)} ms / ${unit.toFixed(1)} ms)`,
    target: `<= ${max.toFixed(2)}`,
    met: ms / unit <= max,
  });
}
