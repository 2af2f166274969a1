// VS Code in the browser, for `npm start` on machines without a desktop VS Code.
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { linkedExtension } from './linkedExtension.mjs';
import { step } from './progress.mjs';
import { installServer, workFolder } from './vscodeInstall.mjs';
import { startServer } from './vscodeServer.mjs';

/** The same port each time, if it is free: the browser stores the window's state by address. */
const usualPort = 8790;

/**
 * Starts VS Code's server and prints the address of a window with the extension loaded.
 *
 * @param {Record<string, string>} env added to the environment of the extension host
 * @param {{ launch: boolean }} options whether to open the address, where there is a browser to open it with
 */
export async function openInBrowser(env, { launch }) {
  await step('Installing VS Code’s server', installServer);
  const folder = join(workFolder, 'start/workspace');
  await mkdir(folder, { recursive: true });
  const dataDir = join(workFolder, 'start/server');
  const server = await step('Starting VS Code’s server', async () =>
    startServer({ dataDir, port: (await isFree(usualPort)) ? usualPort : 0, env }),
  );
  const address = server.address({ folder, extensions: [await linkedExtension()] });
  console.log(`\nOpen this address in a browser on this machine. Ctrl+C ends everything.\n\n${address}\n`);
  console.log('The Model Gateway view in the activity bar lists the models.\n');
  if (launch) openAddress(address);
  return { stop: server.stop, ended: server.ended.then(() => 'VS Code’s server ended.') };
}

async function isFree(port) {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

function openAddress(address) {
  const hasDisplay = process.platform === 'darwin' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
  if (!hasDisplay || process.env.CI) return;
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  // A missing opener is not a problem: the address is printed.
  spawn(opener, [address], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
