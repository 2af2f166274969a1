// `npm start`: VS Code with the extension loaded and connected to the local gateway.
// `--server` takes VS Code's server even where there is a desktop; `--no-open` opens no browser.
import { step } from './progress.mjs';
import { underPinnedNode } from './setup.mjs';

await underPinnedNode(import.meta.url, async () => {
  const { build } = await import('./build.mjs');
  const { startLocalGateway } = await import('./localGateway.mjs');
  const { findDesktop, openDesktop } = await import('./vscodeDesktop.mjs');
  const { openInBrowser } = await import('./vscodeBrowser.mjs');

  const interruption = interrupted();
  await step('Building', () => build());
  const gateway = await step('Starting the local gateway', startLocalGateway);
  const env = { MODEL_GATEWAY_DEV_GATEWAY: gateway.handshakeFile };
  const desktop = process.argv.includes('--server') ? undefined : await findDesktop();
  const vscode = desktop
    ? await openDesktop(desktop, env)
    : await openInBrowser(env, { launch: !process.argv.includes('--no-open') });
  console.log(`\n${await Promise.race([interruption, vscode.ended])}`);
  await Promise.all([vscode.stop(), gateway.stop()]);
});

/** Ctrl+C is the expected way to end this. */
async function interrupted() {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.on(signal, () => {
        process.exitCode = 0;
        resolve('Stopped.');
      });
    }
  });
}
