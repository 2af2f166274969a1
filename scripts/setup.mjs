// Makes the project ready on a machine that has nothing but Node >= 18 and npm, then goes on under the
// Node that the project pins: `node:sqlite`, undici and TypeScript without a build step need it.
// Runs on the old Node and before any dependency is installed: only built-in modules here.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { run, runHere } from './processes.mjs';
import { command, step } from './progress.mjs';
import { root } from './root.mjs';

const nodePackage = new URL('node_modules/node/', root);

/**
 * Installs what is missing, then runs `main` under the pinned Node: right here when this process is that
 * Node, else by starting `script` again, whose exit code becomes this process's.
 *
 * @param {string} script `import.meta.url` of the calling script
 * @param {() => Promise<void>} main
 */
export async function underPinnedNode(script, main) {
  await command(async () => {
    await ensureDependencies();
    if (process.version === pinnedVersion()) return main();
    process.exitCode = await runHere(pinnedNode(), [fileURLToPath(script), ...process.argv.slice(2)]);
  });
}

/** Whether the module with this `import.meta.url` is the script that was started, rather than imported. */
export function isCommand(url) {
  return process.argv[1] === fileURLToPath(url);
}

/** Brings node_modules in step with package-lock.json, if it is not already. */
async function ensureDependencies() {
  if (dependenciesAreCurrent()) return;
  await step('Installing dependencies', async () => {
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: fileURLToPath(root) });
    await installPinnedNode();
  });
}

/** The path of the Node that the project pins. */
export function pinnedNode() {
  return fileURLToPath(new URL(process.platform === 'win32' ? 'bin/node.exe' : 'bin/node', nodePackage));
}

function pinnedVersion() {
  return `v${JSON.parse(readFileSync(new URL('package.json', nodePackage), 'utf8')).version}`;
}

function dependenciesAreCurrent() {
  const installed = new URL('node_modules/.package-lock.json', root);
  if (!existsSync(installed) || !existsSync(pinnedNode())) return false;
  return statSync(installed).mtimeMs >= statSync(new URL('package-lock.json', root)).mtimeMs;
}

/**
 * The `node` package fetches the binary of this platform in its install script: the only install script
 * that the project needs, so it is the only one that runs.
 */
async function installPinnedNode() {
  await run(process.execPath, ['installArchSpecificPackage.js'], { cwd: fileURLToPath(nodePackage) });
  // Only now is there a program that node_modules/.bin/node can point to.
  await run('npm', ['rebuild', 'node', '--ignore-scripts'], { cwd: fileURLToPath(root) });
}
