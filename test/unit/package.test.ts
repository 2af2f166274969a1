import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Metafile } from 'esbuild';
import { buildForShipping } from '../../scripts/build.mjs';
import { deadLinks, withoutDeadLinks } from '../../scripts/packagedPages.mjs';
import { root } from '../../scripts/root.mjs';
import { bundledPackages, thirdPartyNotices } from '../../scripts/thirdPartyNotices.mjs';

describe('the package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'package-'));

  after(() => rmSync(folder, { recursive: true }));

  describe('names whose code it holds', () => {
    let shipped: Metafile[];

    before(async function () {
      // Bundling takes its time beside other work.
      this.timeout(60_000);
      shipped = await buildForShipping(folder);
    });

    it('with the version of each package that is bundled, and its licence, once', async () => {
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

    it('the same way in whatever order the bundles come', async () => {
      assert.equal(await thirdPartyNotices(shipped.toReversed()), await thirdPartyNotices(shipped));
    });
  });

  describe('is not made', () => {
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

    it('with code under a licence that asks for more than to be named', async () => {
      for (const license of ['GPL-3.0-only', '(MIT AND GPL-2.0)', 'SEE LICENSE IN x', undefined]) {
        await assert.rejects(notices(installed('copyleft', { license }, 'terms')), {
          message: new RegExp(`copyleft 1\\.2\\.3 is under ${license?.replace(/[()]/g, '\\$&')}`),
        });
      }
    });

    it('with code whose licence has no text', async () => {
      for (const text of [undefined, ' \n']) {
        await assert.rejects(notices(installed(`bare${text?.length ?? 0}`, { license: 'MIT' }, text)), {
          message: /bare\d 1\.2\.3 has no text of its licence/,
        });
      }
    });

    it('with code under a licence of pictures, but for the icons', async () => {
      await assert.rejects(
        notices(installed('picture', { license: 'CC-BY-4.0' }, 'terms')),
        /picture 1\.2\.3/,
      );
    });

    it('unless one of the licences to choose from will do', async () => {
      const text = await notices(
        installed('choice', { license: '(MPL-2.0 OR Apache-2.0)' }, '\uFEFFterms\r\n'),
      );
      assert.match(text, /\n\nchoice 1\.2\.3\nLicence: \(MPL-2\.0 OR Apache-2\.0\)\n\nterms\n$/);
    });
  });

  describe('holds pages', () => {
    for (const page of ['README.md', 'CHANGELOG.md']) {
      it(`whose links lead somewhere: ${page}`, () => {
        const whole = readFileSync(new URL(page, root), 'utf8');
        const packed = withoutDeadLinks(whole, ['media/icon.png']);
        assert.deepEqual(deadLinks(packed, ['media/icon.png']), []);
        assert.deepEqual(lines(packed, /^#/), lines(whole, /^#/));
      });
    }

    it('that keep links to the web, to a heading, and to what is packed', () => {
      const page =
        '# One place!\n\n![icon](media/icon.png) [site](https://site.example/a) [down](#one-place) [file](LICENSE.txt)';
      assert.equal(withoutDeadLinks(page, ['media/icon.png', 'LICENSE.txt']), page);
    });

    it('that say in words what a link to nowhere said, and leave out its pictures', () => {
      const page = '![seen](a/b.png)\n\nSee [the faults](test/faults.md), [here](#nowhere) or `[x](y)`.';
      assert.equal(withoutDeadLinks(page, ['b.png']), 'See the faults, here or `[x](y)`.');
    });

    it('of which a link to nowhere is found however it is written', () => {
      const page = '[a]: gone.md\n\n[a] ![b][a] [d](<e f.md> "title") | [g](javascript:h)';
      assert.deepEqual(deadLinks(page, []), ['gone.md', 'gone.md', 'e%20f.md']);
    });
  });
});

function lines(page: string, pattern: RegExp): readonly string[] {
  return page.split('\n').filter((line) => pattern.test(line));
}
