import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pagesWithTables } from '../../scripts/docs.mjs';
import { deadLinks, linkedPages } from '../../scripts/packagedPages.mjs';
import { root } from '../../scripts/root.mjs';
import { readGateways } from '../../src/host/connection/configuredGateway.ts';

const index = 'docs/README.md';

/** The most words of a page of docs/, and of the pages with another limit. */
const usualWords = 900;
const mostWords: Readonly<Record<string, number>> = { 'README.md': 800, 'CONTRIBUTING.md': 500 };

const docs = found('docs/**/*.md');
const names = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...docs];
const pages = new Map(names.map((name) => [name, source(name)]));

describe('the documentation', () => {
  it('has the tables that npm run docs generates', async function () {
    // Loading the schemas is slow on a busy machine.
    this.timeout(30_000);
    const written = await pagesWithTables();
    assert.ok(written.size >= 5, 'the markers are found');
    const outdated = [...written].filter(([name, page]) => page !== pages.get(name));
    assert.deepEqual(
      outdated.map(([name]) => name),
      [],
      'run npm run docs',
    );
  });

  for (const name of names) {
    it(`has no dead links: ${name}`, () => {
      assert.deepEqual(deadLinks(name, { files: found('{*,docs/**,media/**,test/*.md}'), pages }), []);
    });

    const most = mostWords[name] ?? usualWords;
    it(`has at most ${most} words outside generated tables: ${name}`, () => {
      const count = wordsIn(pages.get(name) ?? '');
      assert.ok(count <= most, `${name} has ${count} words: shorten it, or split it by goals`);
    });
  }

  for (const name of [
    'package.nls.json',
    'package.nls.zh-cn.json',
    'src/host/connection/failureMessage.ts',
  ]) {
    it(`has every page that the extension opens by a link: ${name}`, () => {
      const inSettings = [...source(name).matchAll(/openHelp\?%22([^)]*)%22/g)].map(([, page = '']) => page);
      const inFailures = [...source(name).matchAll(/'([a-z/-]+#[a-z-]+)'/g)].map(([, page = '']) => page);
      const links = [...inSettings.map(decodeURIComponent), ...inFailures];
      assert.ok(links.length > 0, 'links are found');
      const page = links.map((link) => `[Help](${link.replace(/(#|$)/, '.md$1')})`).join('\n');
      const linking = new Map([...pages, ['docs/link.md', page]]);
      assert.deepEqual(deadLinks('docs/link.md', { files: docs, pages: linking }), []);
    });
  }

  it('has no page that cannot be reached from the index', () => {
    const reached = new Set([index]);
    for (const name of reached) {
      for (const other of linkedPages(name, { files: [], pages })) reached.add(other);
    }
    assert.deepEqual(
      docs.filter((name) => !reached.has(name)),
      [],
      `link these from ${index}`,
    );
  });

  it('names only settings and npm scripts that exist', () => {
    const { contributes, scripts } = JSON.parse(source('package.json'));
    const settings = Object.keys(contributes.configuration.properties);
    const text = [...pages.values()].join('\n');
    const settingNames = [...text.matchAll(/`(modelGateway\.[\w.]+)`/g)].map(([, name = '']) => name);
    const scriptNames = [...text.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name = '']) => name);
    assert.ok(settingNames.length > 20 && scriptNames.length > 10, 'the patterns find the names');
    const unknown = [
      ...settingNames.filter((name) => !settings.includes(name)),
      ...scriptNames.filter((name) => !Object.hasOwn(scripts, name)),
    ];
    assert.deepEqual([...new Set(unknown)], []);
  });

  for (const [language, isPage] of [
    ['', (name) => !name.startsWith('docs/zh-cn/')],
    ['.zh-cn', (name) => name.startsWith('docs/zh-cn/')],
  ] as const satisfies readonly (readonly [string, (name: string) => boolean])[]) {
    it(`names only commands and buttons that the screen shows: package.nls${language}.json`, () => {
      const shown = new Set([...listShownTexts(language), ...otherNames].map(normalizeName));
      const all = [...shown].join('\n');
      const unknown = names.filter(isPage).flatMap((name) =>
        listEmphasized(pages.get(name) ?? '')
          .filter((text) => !all.includes(normalizeName(text)))
          .map((text) => `${name}: ${text}`),
      );
      assert.deepEqual(unknown, []);
    });
  }

  it('has a table of the fields of each setting with fields', () => {
    const { properties } = JSON.parse(source('package.json')).contributes.configuration;
    const withFields = Object.keys(properties).filter(
      (name) => properties[name].properties ?? properties[name].items?.properties,
    );
    assert.ok(withFields.length >= 4, 'the fields are found');
    const text = [...pages.values()].join('\n');
    const undocumented = withFields.filter((name) => !text.includes(`<!-- table: ${name} -->`));
    assert.deepEqual(undocumented, []);
  });

  it('shows settings for hosted gateways that the extension reads unchanged', () => {
    const page = pages.get('docs/local-gateway/machines.md') ?? '';
    const [, block = ''] = /```jsonc\n("modelGateway\.gateways": .*?)```/s.exec(page) ?? [];
    const entries = JSON.parse(`{${block}}`)['modelGateway.gateways'];
    assert.equal(entries.length, 4);
    const read = readGateways(entries).map(({ headers, openRoutes, ...gateway }) => ({
      ...gateway,
      headers: headers && { preset: headers.preset },
      ...(openRoutes && { openRoutes: { messages: { path: openRoutes.messages?.path } } }),
    }));
    assert.deepEqual(read, entries);
  });

  it('lists the same allowed imports for each room as rooms.test.ts', () => {
    const name = 'docs/architecture.md';
    const rooms = source('test/unit/rooms.test.ts');
    const rows = [...(pages.get(name) ?? '').matchAll(/^\| `src\/(\w+)` \|.*\| ([^|]*) \|$/gm)];
    assert.equal(rows.length, 12);
    for (const [, room = '', cell = ''] of rows) {
      if (cell.startsWith('all but')) continue;
      const [imported = '', types = ''] = cell.split(/; of (.*) its types/);
      assert.deepEqual(listed(imported), allowed(rooms, 'mayImport', room), `${name} on src/${room}`);
      assert.deepEqual(
        listed(types),
        allowed(rooms, 'mayTakeTypes', room),
        `${name} on src/${room}, of types`,
      );
    }
  });
});

/** Names in italics that are not texts of the extension: of VS Code, and of formats and kinds, which are not translated. */
const otherNames = [
  'Extensions: Install from VSIX…',
  'Preferences: Open Keyboard Shortcuts',
  'Chat: Manage Language Models',
  'Thinking Level',
  'agent host',
  'italics',
  '斜体',
  'Chat Completions (OpenAI)',
  'Content Generation (Gemini)',
  'Interactions (Gemini)',
  'Video Synthesis (DashScope)',
  'OpenAI-Compatible',
  'Gemini',
  'Google Cloud',
  'Volcengine Ark',
  'New API',
  // A question to a demo model, a plural, and a word that a page defines.
  'ignore the schema',
  '6 replies are already being compared. Close one first.',
  'rests',
];

/** All texts of the extension in English or another language. */
function listShownTexts(language: string): readonly string[] {
  const values = (file: string) => Object.values<string>(JSON.parse(source(file)));
  const bundles = ['bundle', 'pages'].map((name) => JSON.parse(source(`media/l10n/${name}.l10n.zh-cn.json`)));
  return [
    ...values(`package.nls${language}.json`),
    ...bundles.flatMap((bundle) => (language === '' ? Object.keys(bundle) : Object.values<string>(bundle))),
  ];
}

/** The texts in italics of a page, without generated tables and code. */
function listEmphasized(page: string): readonly string[] {
  const text = page.replace(/<!-- table: .*?<!-- end of table -->|```.*?```|`[^`]*`/gs, '');
  return [...text.matchAll(/(?<![*\w])\*([^*\n]+)\*(?![*\w])/g)].map(([, name = '']) => name);
}

function normalizeName(name: string): string {
  return name.replaceAll('…', '').replaceAll('’', "'").trim().toLowerCase();
}

/** The rooms in a cell of the table of rooms. */
function listed(cell: string): readonly string[] {
  return cell === 'nothing' ? [] : (cell.match(/\w+/g) ?? []).toSorted();
}

/** The rooms that a table in rooms.test.ts lists for a room. */
function allowed(rooms: string, table: string, room: string): readonly string[] {
  const [, rows = ''] = new RegExp(`const ${table}\\b.*?= \\{\\n(.*?)\\n\\};`, 's').exec(rooms) ?? [];
  const [, list = ''] = new RegExp(`^  ${room}: \\[(.*)\\],$`, 'm').exec(rows) ?? [];
  return (list.match(/\w+/g) ?? []).toSorted();
}

/** Counts the words of a page, without generated tables and the lines of tables. */
function wordsIn(page: string): number {
  const written = page.replace(/<!-- table: .*?<!-- end of table -->/gs, '');
  return written.match(/\S*\w\S*/g)?.length ?? 0;
}

function source(name: string): string {
  return readFileSync(new URL(name, root), 'utf8');
}

/** The files of a pattern, as paths from the root with `/`. */
function found(pattern: string): readonly string[] {
  return globSync(pattern, { cwd: fileURLToPath(root) }).map((path) => path.replaceAll('\\', '/'));
}
