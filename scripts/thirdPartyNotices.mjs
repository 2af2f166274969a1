// ThirdPartyNotices.txt: the packages that are bundled into the shipped files, and their licences.
import { readdir, readFile } from 'node:fs/promises';
import { Advice } from './progress.mjs';
import { root } from './root.mjs';

/** The licences that the shipped packages may have. */
const accepted = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

/** The licence of the icon font requires attribution, which the notices contain. */
const acceptedOf = { '@vscode/codicons': ['CC-BY-4.0'] };

/** The copyright holders of packages that declare the MIT licence but do not include its text. */
const holders = { 'abstract-logging': 'James Sumners', '@cfworker/json-schema': 'Jeremy Danyow' };

const heading = `Third-party notices

Model Gateway is distributed under the licence in LICENSE.txt. It contains code of these packages, each under
its own licence, which follows.
`;

/**
 * Writes the notices: each package once, by name and version, even if several bundles include it.
 *
 * @param {ReadonlyArray<import('esbuild').Metafile>} metafiles of the shipped bundles
 * @param {URL} [folder] the base of the relative paths in the metafiles
 * @returns {Promise<string>}
 * @throws {Advice} naming each package whose licence is not accepted, or has no text
 */
export async function thirdPartyNotices(metafiles, folder = root) {
  const packages = await Promise.all(bundledPackages(metafiles).map((path) => readPackage(path, folder)));
  const problems = packages.flatMap(findProblems);
  if (problems.length) throw new Advice(`Some packages cannot be shipped:\n- ${problems.join('\n- ')}`);
  const sorted = packages.toSorted(
    (a, b) => compareTexts(a.name, b.name) || compareTexts(a.version, b.version),
  );
  return [heading, ...sorted.map(notice)].join(`\n${'='.repeat(80)}\n\n`);
}

/**
 * The folders of the packages whose code is in the bundles.
 *
 * @param {ReadonlyArray<import('esbuild').Metafile>} metafiles
 * @returns {readonly string[]}
 */
export function bundledPackages(metafiles) {
  const inputs = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap((output) => Object.entries(output.inputs));
  const folders = inputs
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .flatMap(([path]) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  return [...new Set(folders)];
}

async function readPackage(path, folder) {
  const home = new URL(`${path}/`, folder);
  const { name, version, license } = JSON.parse(await readFile(new URL('package.json', home), 'utf8'));
  const files = (await readdir(home)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, home), 'utf8')));
  if (texts.length === 0 && name in holders) texts.push(await mitLicence(holders[name]));
  return { name, version, licence: String(license), texts: texts.map(tidy).filter(Boolean) };
}

/** The text of this project's licence, which is the same, with another holder. */
async function mitLicence(holder) {
  const ours = await readFile(new URL('LICENSE', root), 'utf8');
  return ours.replace(/^(Copyright \(c\)) .*$/m, `$1 ${holder}`);
}

function tidy(text) {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .trim();
}

function findProblems({ name, version, licence, texts }) {
  const licences = [...accepted, ...(acceptedOf[name] ?? [])];
  // One accepted licence of several is enough.
  const choices = licence.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return [
    ...(choices.some((choice) => licences.includes(choice))
      ? []
      : [`${name} ${version} is under ${licence}`]),
    ...(texts.length ? [] : [`${name} ${version} has no licence text`]),
  ];
}

function notice({ name, version, licence, texts }) {
  return `${name} ${version}\nLicence: ${licence}\n\n${texts.join('\n\n')}\n`;
}

function compareTexts(a, b) {
  return a < b ? -1 : Number(a > b);
}
