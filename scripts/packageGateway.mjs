// `npm run package:gateway`: builds model-gateway-local-<version>.tgz, the local gateway alone, which `npx` runs.
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildGateway } from './build.mjs';
import { gatewayNodeOptions } from './bundles.mjs';
import { run } from './processes.mjs';
import { step } from './progress.mjs';
import { root } from './root.mjs';
import { isCommand, underPinnedNode } from './setup.mjs';
import { thirdPartyNotices } from './thirdPartyNotices.mjs';

/** The oldest Node that supports all the features that the gateway uses. */
const oldestNode = '22.15';
const staging = new URL('.vscode-test/gatewayPackage/', root);

/** Older versions would report a missing module. To set its options, Node starts again where it can. */
const program = `#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
const [oldestMajor, oldestMinor] = [${oldestNode.replace('.', ', ')}];
if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
  console.error(\`The local gateway needs Node ${oldestNode} or newer. This is Node \${process.versions.node}.\`);
  process.exit(1);
}
const options = ${JSON.stringify(gatewayNodeOptions)};
const has = options.every((option) => process.execArgv.includes(option));
if (!has && process.execve && process.platform !== 'win32') {
  // Hides Node's warning that execve is experimental.
  process.removeAllListeners('warning');
  const own = [process.execPath, ...process.execArgv, ...options];
  process.execve(process.execPath, [...own, __filename, ...process.argv.slice(2)], process.env);
}
require('../dist/gateway.js');
`;

/**
 * Writes the contents of the package.
 *
 * @param {URL} folder
 */
export async function stageGateway(folder) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(new URL('bin/', folder), { recursive: true });
  const metafile = await buildGateway(fileURLToPath(folder));
  await writeFile(new URL('package.json', folder), `${JSON.stringify(await manifest(), undefined, 2)}\n`);
  const bin = new URL('bin/model-gateway.cjs', folder);
  await writeFile(bin, program);
  await chmod(bin, 0o755);
  await writeFile(new URL('ThirdPartyNotices.txt', folder), await thirdPartyNotices([metafile]));
  await cp(new URL('LICENSE', root), new URL('LICENSE.txt', folder));
  await cp(new URL('src/localGateway/README.md', root), new URL('README.md', folder));
  await cp(new URL('media/demo/', root), new URL('media/demo/', folder), { recursive: true });
}

/**
 * Builds and packs the gateway.
 *
 * @param {(note: string) => void} [say] receives the path
 * @param {string} [destination] the folder of the package
 * @returns {Promise<string>} path of the package
 */
export async function packageGateway(say = () => {}, destination = fileURLToPath(root)) {
  await stageGateway(staging);
  await run('npm', ['pack', '--silent', '--pack-destination', destination], { cwd: fileURLToPath(staging) });
  const { name, version } = await manifest();
  const path = fileURLToPath(new URL(`${name}-${version}.tgz`, `${pathToFileURL(destination)}/`));
  say(path);
  return path;
}

async function manifest() {
  const { version, license } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  return {
    name: 'model-gateway-local',
    version,
    description: "One address on this machine for several providers' models.",
    license,
    bin: { 'model-gateway': 'bin/model-gateway.cjs' },
    engines: { node: `>=${oldestNode}` },
    files: ['bin', 'dist', 'media', 'LICENSE.txt', 'ThirdPartyNotices.txt'],
  };
}

if (isCommand(import.meta.url)) {
  await underPinnedNode(import.meta.url, async () => {
    await step('Packaging the local gateway', packageGateway);
  });
}
