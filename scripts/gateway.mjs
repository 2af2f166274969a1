// Runs the local gateway under the project's own Node, and builds it first if its sources have changed. Standard
// output is reserved for the gateway, which prints one line of JSON; all other output goes to standard error.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gatewayNodeOptions } from './bundles.mjs';
import { runHere } from './processes.mjs';
import { root } from './root.mjs';
import { pinnedNode } from './setup.mjs';

const program = path('dist/gateway.js');

if (!existsSync(pinnedNode()) || isOutdated()) {
  const build = spawnSync(process.execPath, [path('scripts/build.mjs')], { stdio: ['ignore', 2, 2] });
  if (build.status !== 0) process.exit(1);
}
process.exitCode = await runHere(pinnedNode(), [...gatewayNodeOptions, program, ...process.argv.slice(2)]);

function isOutdated() {
  if (!existsSync(program)) return true;
  const built = statSync(program).mtimeMs;
  return ['src/base/', 'src/localGateway/', 'src/storage/', 'src/wire/'].some(
    (folder) => newestIn(path(folder)) > built,
  );
}

/** @param {string} folder @returns {number} */
function newestIn(folder) {
  const times = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const file = `${folder}/${entry.name}`;
    return entry.isDirectory() ? newestIn(file) : statSync(file).mtimeMs;
  });
  return Math.max(0, ...times);
}

/** @param {string} relative */
function path(relative) {
  return fileURLToPath(new URL(relative, root));
}
