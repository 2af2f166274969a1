// Packages for tests and benchmarks: client libraries, command-line programs, other gateways, a fuzzer, and
// mutation testing. They have their own package.json in test/, so that they cannot get into the extension or its dependencies.
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { run } from './processes.mjs';
import { root } from './root.mjs';

const sdks = new URL('test/', root);
const programs = new URL('test/programs/', root);
const gateways = new URL('test/bench/gateways/', root);
const fuzzer = new URL('test/fuzz/', root);
const mutationTesting = new URL('test/mutation/', root);

/** @param {(note: string) => void} [say] */
export function installSdks(say) {
  return install(sdks, say);
}

/** Command-line programs that send requests to models: half a gigabyte. @param {(note: string) => void} [say] */
export function installPrograms(say) {
  return install(programs, say);
}

/** The gateways that the local gateway is compared with. @param {(note: string) => void} [say] */
export function installGateways(say) {
  return install(gateways, say);
}

/** @param {(note: string) => void} [say] */
export function installFuzzer(say) {
  return install(fuzzer, say);
}

/** @param {(note: string) => void} [say] */
export function installMutationTesting(say) {
  return install(mutationTesting, say);
}

/**
 * Installs the node_modules of a folder from its package-lock.json, if they are not current.
 *
 * @param {URL} home
 * @param {(note: string) => void} [say]
 */
async function install(home, say = () => {}) {
  if (areCurrent(home)) say('already there');
  else await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: fileURLToPath(home) });
}

/** npm writes its record of the installed packages last. @param {URL} home */
function areCurrent(home) {
  const record = new URL('node_modules/.package-lock.json', home);
  return (
    existsSync(record) && statSync(record).mtimeMs >= statSync(new URL('package-lock.json', home)).mtimeMs
  );
}
