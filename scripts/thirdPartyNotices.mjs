// ThirdPartyNotices.txt: whose code is bundled into what is shipped, and under which licence.
import { readdir, readFile } from 'node:fs/promises';
import { Advice } from './progress.mjs';
import { root } from './root.mjs';

/** What ships with the extension may be under one of these. */
const accepted = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

/** The icon font: a picture asks for its makers to be named, which the notices do. */
const acceptedOf = { '@vscode/codicons': ['CC-BY-4.0'] };

/** Who holds the copyright of a package that names the MIT licence, and brings no copy of it. */
const holders = { 'abstract-logging': 'James Sumners', '@cfworker/json-schema': 'Jeremy Danyow' };

const heading = `Third-party notices

Model Gateway is distributed under the licence in LICENSE.txt. It contains code of these packages, each under
its own licence, which follows.
`;

/**
 * Writes the notices: each package once, by name and version, however the files come in.
 *
 * @param {ReadonlyArray<import('esbuild').Metafile>} metafiles of what is shipped
 * @param {URL} [folder] to which the paths of the metafiles are relative
 * @returns {Promise<string>}
 * @throws {Advice} naming each package whose licence is not accepted, or has no text
 */
export async function thirdPartyNotices(metafiles, folder = root) {
  const packages = await Promise.all(bundledPackages(metafiles).map((path) => readPackage(path, folder)));
  const problems = packages.flatMap(problemsOf);
  if (problems.length) throw new Advice(`Not every package may be shipped:\n- ${problems.join('\n- ')}`);
  const sorted = packages.toSorted((a, b) => order(a.name, b.name) || order(a.version, b.version));
  return [heading, ...sorted.map(notice)].join(`\n${'='.repeat(80)}\n\n`);
}

/**
 * The folders of the packages that something of is left from, after bundling.
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

/** Ours is the same licence. */
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

function problemsOf({ name, version, licence, texts }) {
  const licences = [...accepted, ...(acceptedOf[name] ?? [])];
  // Of several licences, one is enough.
  const choices = licence.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return [
    ...(choices.some((choice) => licences.includes(choice))
      ? []
      : [`${name} ${version} is under ${licence}`]),
    ...(texts.length ? [] : [`${name} ${version} has no text of its licence`]),
  ];
}

function notice({ name, version, licence, texts }) {
  return `${name} ${version}\nLicence: ${licence}\n\n${texts.join('\n\n')}\n`;
}

function order(a, b) {
  return a < b ? -1 : Number(a > b);
}
