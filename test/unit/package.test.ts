import assert from 'node:assert/strict';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Metafile } from 'esbuild';
import { buildForShipping } from '../../scripts/build.mjs';
import { deadLinks, getRepositoryAddress, packedPage } from '../../scripts/packagedPages.mjs';
import { root } from '../../scripts/root.mjs';
import { bundledPackages, thirdPartyNotices } from '../../scripts/thirdPartyNotices.mjs';

describe('the package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'package-'));

  after(() => rmSync(folder, { recursive: true }));

  describe('lists the packages whose code it contains', () => {
    let shipped: Metafile[];

    before(async function () {
      // Bundling is slow when other work runs at the same time.
      this.timeout(60_000);
      shipped = await buildForShipping(folder);
    });

    it('with version and licence, each once', async () => {
      const notices = await thirdPartyNotices(shipped);
      const packages = bundledPackages(shipped);
      for (const path of packages) {
        const { name, version } = JSON.parse(readFileSync(new URL(`${path}/package.json`, root), 'utf8'));
        assert.equal(notices.split(`\n\n${name} ${version}\nLicence: `).length, 2, path);
      }
      assert.equal(notices.match(/^Licence: /gm)?.length, packages.length);
      for (const expected of ['undici', 'zod', 'markdown-it', 'lit-html', '@vscode/codicons']) {
        assert.ok(packages.includes(`node_modules/${expected}`), expected);
      }
      assert.ok(!packages.some((path) => /esbuild|mocha|playwright/.test(path)));
    });

    it('with the attribution that the licence of the icons requires', async () => {
      const notices = await thirdPartyNotices(shipped);
      const [, icons = ''] = notices.split('\n@vscode/codicons ');
      const [own = ''] = icons.split(`\n${'='.repeat(80)}\n`);
      assert.match(own, /^[\d.-]+\nLicence: CC-BY-4\.0\n/);
      assert.match(own, /Attribution 4\.0 International/);
    });

    it('identically for any order of the bundles', async () => {
      assert.equal(await thirdPartyNotices(shipped.toReversed()), await thirdPartyNotices(shipped));
    });
  });

  describe('is not built', () => {
    function installed(name: string, facts: object, licence?: string): Metafile {
      const path = join(folder, 'node_modules', name);
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, 'package.json'), JSON.stringify({ name, version: '1.2.3', ...facts }));
      if (licence !== undefined) writeFileSync(join(path, 'LICENSE.md'), licence);
      const output = { bytes: 9, imports: [], exports: [] };
      const inputs = { [`node_modules/${name}/index.js`]: { bytesInOutput: 9 } };
      return { inputs: {}, outputs: { 'dist/extension.js': { ...output, inputs } } };
    }

    function notices(...metafiles: Metafile[]): Promise<string> {
      return thirdPartyNotices(metafiles, pathToFileURL(`${folder}/`));
    }

    it('with code under a licence that requires more than attribution', async () => {
      for (const license of ['GPL-3.0-only', '(MIT AND GPL-2.0)', 'SEE LICENSE IN x', undefined]) {
        await assert.rejects(notices(installed('copyleft', { license }, 'terms')), {
          message: new RegExp(`copyleft 1\\.2\\.3 is under ${license?.replace(/[()]/g, '\\$&')}`),
        });
      }
    });

    it('with code whose licence text is missing', async () => {
      for (const text of [undefined, ' \n']) {
        await assert.rejects(notices(installed(`bare${text?.length ?? 0}`, { license: 'MIT' }, text)), {
          message: /bare\d 1\.2\.3 has no licence text/,
        });
      }
    });

    it('with code under a Creative Commons licence', async () => {
      await assert.rejects(
        notices(installed('picture', { license: 'CC-BY-4.0' }, 'terms')),
        /picture 1\.2\.3/,
      );
    });

    it('unless one of several alternative licences is acceptable', async () => {
      const text = await notices(
        installed('choice', { license: '(MPL-2.0 OR Apache-2.0)' }, '\uFEFFterms\r\n'),
      );
      assert.match(text, /\n\nchoice 1\.2\.3\nLicence: \(MPL-2\.0 OR Apache-2\.0\)\n\nterms\n$/);
    });
  });

  describe('contains pages', () => {
    const names = [
      'README.md',
      'CHANGELOG.md',
      ...globSync('docs/{*,local-gateway/*,zh-cn/*}.md', { cwd: fileURLToPath(root) }).map((name) =>
        name.replaceAll('\\', '/'),
      ),
    ];
    const project = new Map(names.map((name) => [name, readFileSync(new URL(name, root), 'utf8')]));
    const files = ['media/icon.png', 'LICENSE.txt', 'readme.md', 'changelog.md', ...names.slice(2)];

    for (const name of names) {
      it(`whose links all have a target: ${name}`, () => {
        const packed = packedPage(name, { files, pages: project });
        const pages = new Map([...project, [name, packed]]);
        assert.deepEqual(deadLinks(name, { files, pages }), []);
        assert.deepEqual(lines(packed, /^#/), lines(project.get(name) ?? '', /^#/));
      });
    }

    it('that link to each other', () => {
      const packed = packedPage('README.md', { files, pages: project });
      for (const link of ['docs/README.md', 'docs/connect.md', 'changelog.md', 'LICENSE.txt'])
        assert.ok(packed.includes(`](${link})`), link);
    });

    it('that keep links to the web, to headings and to packaged files', () => {
      const page =
        '# One place!\n\n![icon](media/icon.png) [site](https://site.example/a) [down](#one-place) [file](LICENSE.txt)';
      assert.equal(packed(page), page);
    });

    it('whose links use the file names of the package', () => {
      assert.equal(
        packed('[a](../README.md) [b](../LICENSE) [c](../CHANGELOG.md#changelog)', 'docs/x.md'),
        '[a](../readme.md) [b](../LICENSE.txt) [c](../changelog.md#changelog)',
      );
    });

    it('that replace links without a target by their text, and omit pictures without one', () => {
      const page =
        '![seen](a/b.png)\n\nSee [the faults](test/faults.md), [here](#nowhere), [there](changelog.md#no) or `[x](y)`.';
      assert.equal(packed(page), 'See the faults, here, there or `[x](y)`.');
    });

    it('that load pictures of the repository from the web', () => {
      const web = getRepositoryAddress({ url: 'git+https://github.com/someone/gateway.git' });
      assert.equal(web, 'https://github.com/someone/gateway/raw/HEAD/');
      assert.equal(packed('![seen](../a/b.png)', 'docs/x.md', web), `![seen](${web}a/b.png)`);
      assert.equal(
        getRepositoryAddress('https://gitlab.com/someone/gateway'),
        'https://gitlab.com/someone/gateway/-/raw/HEAD/',
      );
      assert.equal(getRepositoryAddress({ url: 'https://code.example/gateway' }), undefined);
      assert.equal(getRepositoryAddress(undefined), undefined);
    });

    it('whose dead links are found in every Markdown form', () => {
      const page = '[a]: gone.md\n\n[a] ![b][a] [d](<e f.md> "title") | [g](javascript:h)';
      const pages = new Map([['x.md', page]]);
      assert.deepEqual(deadLinks('x.md', { files: [], pages }), ['gone.md', 'gone.md', 'e%20f.md']);
    });

    function packed(page: string, name = 'x.md', web?: string): string {
      return packedPage(name, { files, pages: new Map([...project, [name, page]]) }, web);
    }
  });
});

function lines(page: string, pattern: RegExp): readonly string[] {
  return page.split('\n').filter((line) => pattern.test(line));
}
