// `npm run package [-- --repository URL]`: builds model-gateway-<version>.vsix and checks its contents.
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildForShipping } from './build.mjs';
import { deadLinks, getRepositoryAddress, packedPage } from './packagedPages.mjs';
import { run } from './processes.mjs';
import { Advice, step } from './progress.mjs';
import { root } from './root.mjs';
import { isCommand, underPinnedNode } from './setup.mjs';
import { thirdPartyNotices } from './thirdPartyNotices.mjs';

const home = fileURLToPath(root);
/**
 * The package is built in this folder, so that a window that runs the extension from the project's own dist/ is
 * not affected.
 */
const staging = new URL('.vscode-test/package/', root);
const sizeLimit = 2 * 1024 * 1024;

/** The exact contents of the package: the manifests that vsce writes, and these files. */
const expected = [
  '[Content_Types].xml',
  'extension.vsixmanifest',
  'package.json',
  'readme.md',
  'changelog.md',
  'LICENSE.txt',
  'ThirdPartyNotices.txt',
  'dist/extension.js',
  'dist/webview.js',
  'dist/maths.js',
  'dist/webview.css',
  'dist/codicon.ttf',
  'dist/conversationsWorker.js',
  'dist/schemaCheck.js',
  'dist/requestsWorker.js',
  'dist/tasksWorker.js',
  'dist/gateway.js',
  'dist/gatewayConfig.schema.json',
];

/** Files that are packed if they exist, by folder. The pages for developers are in the repository only. */
const optional = {
  '': /^package\.nls.*\.json$/,
  'docs/': /^(?!(?:architecture|benchmarks)\.md$)[\w-]+\.md$/,
  'docs/local-gateway/': /^[\w-]+\.md$/,
  'docs/zh-cn/': /^[\w-]+\.md$/,
  'media/': /\.(png|svg)$/,
  'media/l10n/': /^\w+\.l10n\.[\w-]+\.json$/,
  'media/walkthrough/': /^\w+-(dark|light)\.webp$/,
  'media/demo/': /^(landscape|portrait|square)\.mp4$/,
};

/** @type {ReadonlyArray<[name: string, pattern: RegExp]>} patterns that shipped files must not contain */
const forbidden = [
  ['a path of the machine that built it', new RegExp(home.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))],
  ['a reference to a source map', /\/\/# sourceMappingURL=/],
  [
    'a credential',
    /\b(?:sk-[A-Za-z0-9_-]{20,}|AIza[\w-]{35}|gh[pousr]_\w{30,}|xox[abp]-[\w-]{10,}|eyJ[\w-]{20,}\.eyJ)/,
  ],
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
];

/**
 * Builds, packs and checks the extension.
 *
 * @param {(note: string) => void} [say] receives the size
 * @param {string} [repository] web address of the repository, in place of those in package.json
 * @returns {Promise<string>} path of the package
 */
export async function packageExtension(say = () => {}, repository = undefined) {
  await stage(repository);
  const { name, version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  const path = fileURLToPath(new URL(`${name}-${version}.vsix`, root));
  const options = ['--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links'];
  const vsce = fileURLToPath(new URL('node_modules/@vscode/vsce/vsce', root));
  await run(process.execPath, [vsce, 'package', ...options, '--out', path], { cwd: fileURLToPath(staging) });
  const archive = await readFile(path);
  await verify(archive);
  say(`${path}, ${Math.ceil(archive.length / 1024)} KiB`);
  return path;
}

/** @param {string | undefined} repository */
async function stage(repository) {
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { recursive: true });
  const names = await readdir(root);
  const parts = names.filter((name) =>
    /^(package\.(json|nls.*)|[A-Z]+(\.md)?|\.vscodeignore|docs|media)$/.test(name),
  );
  await Promise.all(
    parts.map((name) => cp(new URL(name, root), new URL(name, staging), { recursive: true })),
  );
  const metafiles = await buildForShipping(fileURLToPath(staging));
  await writeFile(new URL('ThirdPartyNotices.txt', staging), await thirdPartyNotices(metafiles));
  if (repository !== undefined) await nameRepository(repository);
  await stagePages();
}

/**
 * Writes the addresses that a marketplace page links to into the packed manifest.
 *
 * @param {string} address
 */
async function nameRepository(address) {
  if (getRepositoryAddress(address) === undefined)
    throw new Advice(
      `--repository is not the address of a repository on github.com or gitlab.com: ${address}`,
    );
  const url = address.replace(/(\.git)?\/?$/, '');
  const file = new URL('package.json', staging);
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  const links = {
    repository: { type: 'git', url: `${url}.git` },
    bugs: { url: `${url}/issues` },
    homepage: `${url}#readme`,
  };
  await writeFile(file, `${JSON.stringify({ ...manifest, ...links }, null, 2)}\n`);
}

async function stagePages() {
  const files = await packedFiles();
  const { repository } = JSON.parse(await readFile(new URL('package.json', staging), 'utf8'));
  const names = ['README.md', 'CHANGELOG.md', ...files.filter((name) => /^docs\/.*\.md$/.test(name))];
  const pages = new Map(
    await Promise.all(
      names.map(
        async (name) => /** @type {const} */ ([name, await readFile(new URL(name, staging), 'utf8')]),
      ),
    ),
  );
  const web = getRepositoryAddress(repository);
  await Promise.all(
    names.map((name) => writeFile(new URL(name, staging), packedPage(name, { files, pages }, web))),
  );
}

/** @param {Buffer} archive */
async function verify(archive) {
  const { strFromU8, unzipSync } = await import('fflate');
  const files = Object.entries(unzipSync(archive));
  const names = files.map(([name]) => name.replace(/^extension\//, ''));
  const pages = new Map(
    files.map(([, content], place) => /** @type {const} */ ([names[place] ?? '', strFromU8(content)])),
  );
  const wanted = await packedFiles();
  const problems = [
    ...names.filter((name) => !wanted.includes(name)).map((name) => `${name} does not belong in the package`),
    ...wanted.filter((name) => !names.includes(name)).map((name) => `${name} is missing`),
    ...files.flatMap(([name, content]) => secretsIn(name, strFromU8(content))),
    ...names.flatMap((name) => findDeadLinks(name, { files: names, pages })),
  ];
  if (archive.length > sizeLimit) problems.push(`it has ${archive.length} bytes; the limit is ${sizeLimit}`);
  if (problems.length) throw new Advice(`The package cannot be shipped:\n- ${problems.join('\n- ')}`);
}

async function packedFiles() {
  const folders = Object.entries(optional).map(async ([folder, pattern]) => {
    const names = await readdir(new URL(folder, root));
    return names.filter((name) => pattern.test(name)).map((name) => folder + name);
  });
  return [...expected, ...(await Promise.all(folders)).flat()];
}

function secretsIn(name, text) {
  return forbidden
    .filter(([, pattern]) => pattern.test(text))
    .map(([content]) => `${name} contains ${content}`);
}

function findDeadLinks(name, book) {
  const links = name.endsWith('.md') ? deadLinks(name, book) : [];
  return links.map((target) => `${name} links to ${target}, which is not in the package`);
}

if (isCommand(import.meta.url)) {
  await underPinnedNode(import.meta.url, async () => {
    const { repository } = parseArgs({ options: { repository: { type: 'string' } } }).values;
    await step('Packaging', (say) => packageExtension(say, repository));
  });
}
