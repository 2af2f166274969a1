import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { bundles } from '../../../scripts/bundles.mjs';
import { root } from '../../../scripts/root.mjs';

describe('the client library', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'client-library-'));
  const file = path.join(folder, 'client.mjs');

  before(async function () {
    this.timeout(30_000);
    const library = bundles.find(({ outfile }) => outfile === 'dist/client.mjs');
    await build({ ...library, outfile: file });
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Imports the library in a process whose Node reports this version, and prints the names of its exports. */
  function importUnder(version: string): { readonly stdout: string; readonly stderr: string } {
    const script = `
      Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });
      console.log(Object.keys(await import('${pathToFileURL(file)}')).sort().join());`;
    return spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  }

  it('exports the client and its errors', () => {
    for (const version of ['22.15.0', '24.0.0']) {
      const { stdout, stderr } = importUnder(version);
      assert.deepEqual([stdout, stderr], ['GatewayError,TaskWaitError,createGatewayClient\n', '']);
    }
  });

  it('gives its errors the names of their exports', async () => {
    const library = await import(pathToFileURL(file).href);
    for (const name of ['GatewayError', 'TaskWaitError']) assert.equal(library[name].name, name);
  });

  it('reports the required version when Node is older', () => {
    for (const version of ['18.20.0', '20.18.0', '22.14.1']) {
      const { stdout, stderr } = importUnder(version);
      assert.equal(stdout, '');
      assert.match(
        stderr,
        /Error: The client of Model Gateway needs Node 22\.15 or newer, and this is Node /,
      );
    }
  });

  it('imports zlib as a whole, so that it can report an older Node', () => {
    const code = readFileSync(file, 'utf8');
    const fromZlib = code.match(/^import .* from "node:zlib";$/gm);
    assert.deepEqual(fromZlib, ['import zlib from "node:zlib";']);
  });

  it('is not minified, and has a source map with its sources', () => {
    assert.match(readFileSync(file, 'utf8'), /\nfunction createGatewayClient\(options\) \{\n/);
    const { sources, sourcesContent } = JSON.parse(readFileSync(`${file}.map`, 'utf8'));
    const own = sources.findIndex((source: string) => source.endsWith('src/client/gatewayClient.ts'));
    assert.match(sourcesContent[own], /export function createGatewayClient/);
  });

  it('has a comment for each of its types and functions', () => {
    const entry = readFileSync(new URL('src/client/library.ts', root), 'utf8');
    for (const [, list = '', from = ''] of entry.matchAll(/^export (?:type )?\{([^}]*)\} from '(.*)';/gm)) {
      const source = readFileSync(new URL(from, new URL('src/client/', root)), 'utf8');
      for (const [name] of list.replaceAll(/\btype /g, '').matchAll(/\w+/g)) {
        const declared = new RegExp(`^export (?:interface|type|class|(?:async )?function) ${name}\\b`, 'm');
        const before = source.slice(0, declared.exec(source)?.index ?? 0).trimEnd();
        assert.ok(before.endsWith('*/'), `${name} in ${from} has no comment`);
      }
    }
  });
});
