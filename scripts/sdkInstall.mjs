// The client libraries that the contract tests and the benchmarks run against. They have their own package.json
// in test/, so that nothing of them can get into the extension or among its own dependencies.
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { run } from './processes.mjs';
import { root } from './root.mjs';

const home = new URL('test/', root);

/**
 * Brings test/node_modules in step with its package-lock.json, if it is not already.
 *
 * @param {(note: string) => void} [say]
 */
export async function installSdks(say = () => {}) {
  if (areCurrent()) say('already there');
  else await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: fileURLToPath(home) });
}

/** npm writes its record of what is installed last. */
function areCurrent() {
  const record = new URL('node_modules/.package-lock.json', home);
  return (
    existsSync(record) && statSync(record).mtimeMs >= statSync(new URL('package-lock.json', home)).mtimeMs
  );
}
