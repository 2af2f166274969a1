// The cost of the extension when VS Code starts: loading its bundle and running activate(), each time in a new
// process. VS Code's API is mocked by objects without behaviour, so only our own work is counted.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median, report } from './report.ts';

const runCount = 21;
const maxMs = 15;
const program = fileURLToPath(new URL('startupOnce.cjs', import.meta.url));

interface Start {
  readonly loadMs: number;
  readonly activateMs: number;
}

function startOnce(): Start {
  return JSON.parse(execFileSync(process.execPath, [program], { encoding: 'utf8' })) as Start;
}

const starts = Array.from({ length: runCount }, startOnce);
const activate = median(starts.map((start) => start.activateMs));
const load = median(starts.map((start) => start.loadMs));
report({
  figure: 'Start-up: activate(), p50',
  value: `${activate.toFixed(1)} ms (and ${load.toFixed(1)} ms to load the bundle)`,
  target: `<= ${maxMs} ms`,
  met: activate <= maxMs,
});
