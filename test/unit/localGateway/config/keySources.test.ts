import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findWorkspace } from '../../../../src/localGateway/config/configFile.ts';
import { KeySources } from '../../../../src/localGateway/config/keySources.ts';

describe('keys of upstreams', () => {
  it('come from a VS Code window first, then from the environment', () => {
    const keys = new KeySources({ ONE_KEY: ' from environment\n', EMPTY: ' ' });
    const one = { name: 'one', keyEnv: 'ONE_KEY' };
    const both = () => {
      const { readStored, readVariable } = keys.getExternalKeys(one);
      return [readStored() ?? readVariable('ONE_KEY'), keys.findSourceKind(one)];
    };
    assert.deepEqual(both(), ['from environment', 'environment']);
    keys.receive({ one: ' from window ' });
    assert.deepEqual(both(), ['from window', 'window']);
    keys.setUpstreams([one]);
    assert.deepEqual(keys.secrets, ['from window', 'from environment']);
    keys.receive({ one: '' });
    assert.deepEqual(both(), ['from environment', 'environment']);
    assert.equal(keys.findSourceKind({ name: 'two' }), 'none');
    assert.equal(keys.findSourceKind({ name: 'two', keyEnv: 'EMPTY' }), 'missing');
    assert.equal(keys.findSourceKind({ name: 'two', keyEnv: 'EMPTY', keyCommand: 'print-key' }), 'command');
    assert.equal(keys.findSourceKind({ name: 'two', keyFile: '/key' }), 'file');
  });

  it('T21 are all hidden in logs, and each has a name and a state without its value', () => {
    const keys = new KeySources({ ONE_KEY: 'first-value', TWO_KEY: 'second-value' });
    const listed = [{ keyEnv: 'ONE_KEY' }, { name: 'spare', keyEnv: 'TWO_KEY' }, { keyEnv: 'NOT_SET' }];
    const one = { name: 'one', keys: listed };
    keys.receive({ one: 'stored-value' });
    keys.setUpstreams([one]);
    assert.deepEqual(keys.secrets, ['stored-value', 'first-value', 'second-value']);
    const resting = [{ name: 'spare', status: 402, leftMs: 60_000, isForAllModels: true }];
    const states = keys.listStatuses(one, resting);
    assert.deepEqual(
      states.map(({ name, source, refused }) => [name, source, refused]),
      [
        ['VS Code', 'window', undefined],
        ['$ONE_KEY', 'environment', undefined],
        ['spare', 'environment', 402],
        ['$NOT_SET', 'missing', undefined],
      ],
    );
    assert.ok((states[2]?.restsUntil ?? 0) > Date.now());
    assert.deepEqual(keys.listStatuses({ name: 'one', keyEnv: 'ONE_KEY' }, []), []);
  });

  it('get a name from their source, not from their position, if they have none', () => {
    const sources = [{ keyCommand: 'print-key one' }, { keyCommand: 'print-key two' }, { keyFile: '/key' }];
    const listKeyNames = (listed: readonly object[]) =>
      new KeySources({}).listStatuses({ name: 'one', keys: [...listed] }, []).map(({ name }) => name);
    const names = listKeyNames(sources);
    assert.equal(new Set(names).size, 3);
    for (const name of names) assert.match(name, /^key [0-9a-f]{8}$/);
    assert.deepEqual(listKeyNames(sources.toReversed()), names.toReversed());
  });

  it('are tied to the workspace of their configuration file, which is also found through links', () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'home-')));
    const file = (...path: readonly string[]) => {
      const at = join(home, ...path);
      mkdirSync(join(at, '..'), { recursive: true });
      writeFileSync(at, '{}');
      return at;
    };
    mkdirSync(join(home, '.vscode'));
    mkdirSync(join(home, 'project', '.git'), { recursive: true });
    assert.equal(findWorkspace(file('gateway.json'), home), undefined);
    assert.equal(findWorkspace(file('.config', 'gateway.json'), home), undefined);
    assert.equal(findWorkspace(file('project', 'deep', 'er', 'gateway.json'), home), join(home, 'project'));
    const link = join(home, 'link.json');
    symlinkSync(join(home, 'project', 'deep', 'er', 'gateway.json'), link);
    assert.equal(findWorkspace(link, home), join(home, 'project'));
    symlinkSync(file('mine.json'), join(home, 'project', 'mine.json'));
    assert.equal(findWorkspace(join(home, 'project', 'mine.json'), home), join(home, 'project'));
    const linkedHome = `${home}-link`;
    symlinkSync(home, linkedHome);
    assert.equal(
      findWorkspace(join(linkedHome, 'gateway.json'), linkedHome),
      undefined,
      'a home that is a link',
    );
    rmSync(linkedHome);
    rmSync(home, { recursive: true });
  });
});
