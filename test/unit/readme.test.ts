import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { root } from '../../scripts/root.mjs';
import { readGateways } from '../../src/host/connection/configuredGateway.ts';

/** Files that the README names and that a build, or its reader, makes. */
const madeLater = new Set(['dist/client.mjs', 'gateway.json', '.mp4.json']);

describe('the README', () => {
  const text = readFileSync(new URL('README.md', root), 'utf8');

  it('names only files and folders that are there', () => {
    const cwd = fileURLToPath(root);
    const files = globSync(
      ['*', 'src/**', 'media/l10n/*', 'test/{*,unit/**,host/**,support/**,ui/**}', 'scripts/*', '.vscode/*'],
      {
        cwd,
        exclude: (path) => path.endsWith('node_modules'),
      },
    ).map((path) => `/${path.replaceAll('\\', '/')}`);
    const named = [...text.matchAll(/`([\w./-]+(?:\.(?:ts|mjs|md|json)|\/))`/g)].map(([, name = '']) => name);
    assert.ok(named.length > 100, 'the pattern finds the names');
    const missing = named
      .filter((name) => !name.startsWith('/') && !madeLater.has(name))
      .filter((name) => !files.some((file) => file.endsWith(`/${name.replace(/\/$/, '')}`)));
    assert.deepEqual([...new Set(missing)], [], 'rename them in README.md as well');
  });

  it('shows settings of hosted gateways that are read as they stand', () => {
    const [, block = ''] = /```jsonc\n("modelGateway\.gateways": .*?)```/s.exec(text) ?? [];
    const entries = JSON.parse(`{${block}}`)['modelGateway.gateways'];
    assert.equal(entries.length, 4);
    const read = readGateways(entries).map(({ headers, openRoutes, ...gateway }) => ({
      ...gateway,
      headers: headers && { preset: headers.preset },
      ...(openRoutes && { openRoutes: { messages: { path: openRoutes.messages?.path } } }),
    }));
    assert.deepEqual(read, entries);
  });

  it('says of each room what it may import, as the test of the rooms does', () => {
    const rooms = readFileSync(new URL('test/unit/rooms.test.ts', root), 'utf8');
    const rows = [...text.matchAll(/^\| `src\/(\w+)` \|.*\| ([^|]*) \|$/gm)];
    assert.ok(rows.length > 8);
    for (const [, room = '', told = ''] of rows) {
      if (told.startsWith('all but')) continue;
      const [imported = '', types = ''] = told.split(/; of (.*) its types/);
      assert.deepEqual(listed(imported), held(rooms, 'mayImport', room), `README.md on src/${room}`);
      assert.deepEqual(
        listed(types),
        held(rooms, 'mayTakeTypes', room),
        `README.md on src/${room}, of types`,
      );
    }
  });
});

/** The rooms in a cell of the README. */
function listed(cell: string): readonly string[] {
  return cell === 'nothing' ? [] : (cell.match(/\w+/g) ?? []).toSorted();
}

/** The rooms that a table of the test of the rooms has for one of them. */
function held(rooms: string, table: string, room: string): readonly string[] {
  const [, rows = ''] = new RegExp(`const ${table}\\b.*?= \\{\\n(.*?)\\n\\};`, 's').exec(rooms) ?? [];
  const [, list = ''] = new RegExp(`^  ${room}: \\[(.*)\\],$`, 'm').exec(rows) ?? [];
  return (list.match(/\w+/g) ?? []).toSorted();
}
