// `npm run package`: builds model-gateway-<version>.vsix and looks into it before anybody installs it.
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildForShipping } from './build.mjs';
import { deadLinks, withoutDeadLinks } from './packagedPages.mjs';
import { run } from './processes.mjs';
import { Advice, step } from './progress.mjs';
import { root } from './root.mjs';
import { isCommand, underPinnedNode } from './setup.mjs';
import { thirdPartyNotices } from './thirdPartyNotices.mjs';

const home = fileURLToPath(root);
/** Packed from here, so that a window that runs the extension from the project's own dist/ keeps it. */
const staging = new URL('.vscode-test/package/', root);
const sizeLimit = 2 * 1024 * 1024;

/** What the package holds, no more and no less: the manifests that vsce writes, and these files. */
const expected = [
  '[Content_Types].xml',
  'extension.vsixmanifest',
  ...['package.json', 'readme.md', 'changelog.md', 'LICENSE.txt'],
  'ThirdPartyNotices.txt',
  ...[
    'dist/extension.js',
    'dist/webview.js',
    'dist/maths.js',
    'dist/webview.css',
    'dist/codicon.ttf',
    'dist/conversationsWorker.js',
    'dist/answerCheck.js',
    'dist/requestsWorker.js',
    'dist/tasksWorker.js',
    'dist/gateway.js',
    'dist/gatewayConfig.schema.json',
  ],
];

/** Files that are packed where there are any, by folder. */
const optional = {
  '': /^package\.nls.*\.json$/,
  'media/': /\.(png|svg)$/,
  'media/l10n/': /^\w+\.l10n\.[\w-]+\.json$/,
  'media/walkthrough/': /^\w+-(dark|light)\.webp$/,
  'media/demo/': /^(landscape|portrait|square)\.mp4$/,
};

/** @type {ReadonlyArray<[what: string, pattern: RegExp]>} what no shipped file may hold */
const forbidden = [
  ['a path of the machine that built it', new RegExp(literally(home))],
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
 * @param {(note: string) => void} [say] told the size
 * @returns {Promise<string>} path of the package
 */
export async function packageExtension(say = () => {}) {
  await stage();
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

async function stage() {
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { recursive: true });
  const names = await readdir(root);
  const parts = names.filter((name) =>
    /^(package\.(json|nls.*)|[A-Z]+(\.md)?|\.vscodeignore|media)$/.test(name),
  );
  await Promise.all(
    parts.map((name) => cp(new URL(name, root), new URL(name, staging), { recursive: true })),
  );
  const metafiles = await buildForShipping(fileURLToPath(staging));
  await writeFile(new URL('ThirdPartyNotices.txt', staging), await thirdPartyNotices(metafiles));
  const packed = await packedFiles();
  for (const page of ['README.md', 'CHANGELOG.md']) {
    const path = new URL(page, staging);
    await writeFile(path, withoutDeadLinks(await readFile(path, 'utf8'), packed));
  }
}

/** @param {Buffer} archive */
async function verify(archive) {
  const { strFromU8, unzipSync } = await import('fflate');
  const files = Object.entries(unzipSync(archive));
  const names = files.map(([name]) => name.replace(/^extension\//, ''));
  const wanted = await packedFiles();
  const problems = [
    ...names.filter((name) => !wanted.includes(name)).map((name) => `${name} does not belong in the package`),
    ...wanted.filter((name) => !names.includes(name)).map((name) => `${name} is missing`),
    ...files.flatMap(([name, content]) => secretsIn(name, strFromU8(content))),
    ...files.flatMap(([name, content]) => linksToNowhereIn(name, strFromU8(content), names)),
  ];
  if (archive.length > sizeLimit) problems.push(`it has ${archive.length} bytes; the limit is ${sizeLimit}`);
  if (problems.length) throw new Advice(`The package is not fit to ship:\n- ${problems.join('\n- ')}`);
}

async function packedFiles() {
  const folders = Object.entries(optional).map(async ([folder, pattern]) => {
    const names = await readdir(new URL(folder, root));
    return names.filter((name) => pattern.test(name)).map((name) => folder + name);
  });
  return [...expected, ...(await Promise.all(folders)).flat()];
}

function secretsIn(name, text) {
  return forbidden.filter(([, pattern]) => pattern.test(text)).map(([what]) => `${name} holds ${what}`);
}

function linksToNowhereIn(name, text, names) {
  const links = name.endsWith('.md') ? deadLinks(text, names) : [];
  return links.map((target) => `${name} links to ${target}, which is not in the package`);
}

function literally(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

if (isCommand(import.meta.url)) {
  await underPinnedNode(import.meta.url, async () => {
    await step('Packaging', packageExtension);
  });
}
