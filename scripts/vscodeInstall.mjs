// A complete VS Code server from npm, for machines without a display or without VS Code. It is installed in a
// folder that git ignores and needs only Node.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './processes.mjs';
import { Advice } from './progress.mjs';
import { root } from './root.mjs';

/** 4.139.1 contains VS Code 1.139.1. */
const pinnedVersion = '4.139.1';
/** `MODEL_GATEWAY_SERVER=4.106.3 npm run test:window` runs these tests in VS Code 1.106.3. */
const version = process.env.MODEL_GATEWAY_SERVER ?? pinnedVersion;
const integrity =
  'sha512-fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG/d3HV9Yy6ew==';

/** Everything that the commands write to disk, except dist/. */
export const workFolder = fileURLToPath(new URL('.vscode-test/', root));

/** The location of the installed server. */
export const serverFolder = join(workFolder, `vscode-server-${version}`);

/**
 * Installs VS Code's server once and returns the path of its entry script. An aborted install leaves only a folder
 * with another name and is repeated.
 *
 * @param {(note: string) => void} [say]
 * @returns {Promise<string>}
 */
export async function installServer(say = () => {}) {
  if (process.platform === 'win32') {
    throw new Advice(
      'VS Code’s server from npm runs on Linux and macOS. On Windows use the desktop: `npm start` with the ' +
        '`code` command on the PATH, `npm run test:desktop`, and `npm test -- --skip window,ui` for the rest; ' +
        'or run the project inside WSL.',
    );
  }
  if (existsSync(serverFolder)) say('already there');
  else await install(`${serverFolder}.partial`);
  await addStandIns(serverFolder);
  return join(serverFolder, 'out/server-main.js');
}

async function install(folder) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await unpack(folder);
  await useReleasedWatcher(folder);
  await run('npm', ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  await adaptWorkbench(folder);
  await rename(folder, serverFolder);
}

/** Older versions need a commit of the file watcher from its repository. Its release serves as well. */
async function useReleasedWatcher(folder) {
  const path = join(folder, 'package.json');
  const manifest = JSON.parse(await readFile(path, 'utf8'));
  if (!manifest.dependencies['@parcel/watcher']?.includes('#')) return;
  manifest.dependencies['@parcel/watcher'] = '2.5.1';
  await writeFile(path, JSON.stringify(manifest));
  await rm(join(folder, 'npm-shrinkwrap.json'), { force: true });
}

/** The modules of VS Code that are not compiled here, each with its entry file. */
const nativeModules = {
  spdlog: 'index.js',
  'native-watchdog': 'index.js',
  sqlite3: 'lib/sqlite3.js',
};

/** Replaces the native modules. An earlier install may lack some of the replacements. */
async function addStandIns(folder) {
  for (const [name, entry] of Object.entries(nativeModules)) {
    const code = await readFile(new URL(`vscode/${name}.cjs`, import.meta.url));
    const path = join(folder, `node_modules/@vscode/${name}`, entry);
    if (!existsSync(path)) continue;
    if ((await readFile(path)).equals(code)) continue;
    // The file may have other links.
    await rm(path);
    await writeFile(path, code);
  }
}

async function unpack(folder) {
  const args = ['pack', `code-server@${version}`, '--ignore-scripts', '--json', '--pack-destination', folder];
  await run('npm', args);
  const archive = join(folder, `code-server-${version}.tgz`);
  await verify(archive);
  await run('tar', ['-xzf', archive, '-C', folder, '--strip-components=3', 'package/lib/vscode']);
  await rm(archive);
}

async function verify(archive) {
  const digest = createHash('sha512')
    .update(await readFile(archive))
    .digest('base64');
  // npm itself checks other versions.
  if (version === pinnedVersion && `sha512-${digest}` !== integrity)
    throw new Advice(`code-server@${version} is not the expected package.`);
}

/**
 * A built workbench in the browser loads an extension from its folder only when VS Code's own smoke tests drive
 * it, and then it does not show notifications. This removes that condition.
 *
 * The workbench also lists entry files for the browser that its extensions do not contain in this package. An
 * extension that is activated there fails with a notification, which covers the window's lower right part. This
 * removes these entries.
 */
async function adaptWorkbench(folder) {
  const path = join(folder, 'out/vs/code/browser/workbench/workbench.js');
  const condition = 'if(this.payload&&(!this.isBuilt||this.enableSmokeTestDriver))';
  const entry = /browser:"\.\/(?:client\/)?dist\/browser\/\w+(?:\.\w+)*",/g;
  const code = await readFile(path, 'utf8');
  // VS Code 1.117 and older do not have the condition.
  const isExpected = code.split(condition).length === 2 || version !== pinnedVersion;
  if (!isExpected || !entry.test(code)) {
    throw new Advice(`${path} is not the expected workbench.`);
  }
  await writeFile(path, code.replace(condition, 'if(this.payload)').replace(entry, ''));
}
