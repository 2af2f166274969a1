// The desktop VS Code of this machine, for `npm start`.
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, startGroup, stopGroup } from './processes.mjs';
import { step } from './progress.mjs';
import { root } from './root.mjs';
import { workFolder } from './vscodeInstall.mjs';
import { writeSettings } from './vscodeServer.mjs';

/** The minor version of VS Code 1 that `engines` in package.json requires. */
const oldestMinorVersion = 106;

/**
 * The command that opens a desktop VS Code on this machine; undefined in a terminal of a remote window, without a
 * display, as root (VS Code refuses), and if VS Code is too old for the extension.
 *
 * @returns {Promise<string | undefined>}
 */
export async function findDesktop() {
  const { env, platform } = process;
  if (env.VSCODE_IPC_HOOK_CLI || env.WSL_DISTRO_NAME || process.getuid?.() === 0) return;
  if (platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY) return;
  const printed = await run('code', ['--version']).catch(() => '');
  const version = /^1\.(\d+)\./.exec(printed);
  if (!version) return;
  if (Number(version[1]) < oldestMinorVersion) {
    console.log(`  VS Code 1.${version[1]} is too old for the extension; using VS Code’s server instead.`);
    return;
  }
  return 'code';
}

/**
 * Opens a window of its own, apart from the user's settings and extensions, with the extension loaded.
 *
 * @param {string} code the command of `findDesktop`
 * @param {Record<string, string>} env added to the environment of VS Code
 */
export async function openDesktop(code, env) {
  const home = join(workFolder, 'start');
  const folder = join(home, 'workspace');
  const userData = join(home, 'desktop');
  await mkdir(folder, { recursive: true });
  await writeSettings(join(userData, 'User'));
  return step('Opening VS Code', () => {
    const child = startGroup(
      code,
      [
        '--new-window',
        '--wait',
        '--user-data-dir',
        userData,
        '--extensions-dir',
        join(home, 'extensions'),
        `--extensionDevelopmentPath=${fileURLToPath(root)}`,
        folder,
      ],
      { stdio: 'ignore', env: { ...process.env, ...env } },
    );
    // The command only waits for the window, whose own process writes its id to a file.
    process.on('exit', () => endProcessNamedIn(join(userData, 'code.lock')));
    const ended = new Promise((resolve) => {
      child.once('exit', () => resolve('VS Code was closed.'));
      child.once('error', (error) => resolve(`VS Code could not be opened: ${error.message}`));
    });
    return { ended, stop: () => stopGroup(child) };
  });
}

function endProcessNamedIn(file) {
  try {
    const id = Number(readFileSync(file, 'utf8'));
    if (id > 0) process.kill(id);
  } catch {
    // The window was closed by hand.
  }
}
