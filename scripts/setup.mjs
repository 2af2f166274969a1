// Prepares the project on a machine that has only Node >= 18 and npm, then continues under the Node that the
// project pins: `node:sqlite`, undici and TypeScript without a build step need it. Runs on the old Node and before
// any dependency is installed: only built-in modules here.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { run, runHere } from './processes.mjs';
import { command, step } from './progress.mjs';
import { root } from './root.mjs';

const nodePackage = new URL('node_modules/node/', root);

/**
 * Installs missing dependencies, then runs `main` under the pinned Node: in this process if it runs that Node,
 * else by starting `script` again, whose exit code becomes this process's.
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

/** Whether the module with this `import.meta.url` is the started script and not imported. */
export function isCommand(url) {
  return process.argv[1] === fileURLToPath(url);
}

/** Installs node_modules from package-lock.json, if they are not current. */
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
 * The `node` package fetches the binary of this platform in its install script. The project needs no other install
 * script, so only this one runs.
 */
async function installPinnedNode() {
  // If this process runs the pinned Node of earlier dependencies, its file was removed with them.
  const node = existsSync(process.execPath) ? process.execPath : 'node';
  await run(node, ['installArchSpecificPackage.js'], { cwd: fileURLToPath(nodePackage) });
  // The target of node_modules/.bin/node exists only now.
  await run('npm', ['rebuild', 'node', '--ignore-scripts'], { cwd: fileURLToPath(root) });
}
