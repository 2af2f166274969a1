import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../../../../src/localGateway/config/configFile.ts';
import { accessOf, Consents } from '../../../../src/localGateway/config/consents.ts';

describe('what the user allowed upstreams', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'consents-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const consents = () => new Consents(join(folder, 'consents.json'));

  function configOf(fields: object, file = join(folder, 'gateway.json')) {
    const upstream = {
      name: 'one',
      kind: 'openai-compatible',
      baseUrl: 'https://models.example/v1',
      ...fields,
    };
    return parseConfig(JSON.stringify({ upstreams: [upstream] }), file);
  }

  const waits = (fields: object, file?: string) => consents().waiting(configOf(fields, file)).length > 0;

  it('T3 is what a configuration says when the user first names it, and no change of address or key after that', () => {
    consents().begin(configOf({ keyEnv: 'ONE_KEY' }));
    assert.equal(waits({ keyEnv: 'ONE_KEY', models: ['m'], name: 'other', headers: { 'x-a': 'b' } }), false);
    for (const change of [
      { keyEnv: 'OTHER_KEY' },
      { keyEnv: 'ONE_KEY', baseUrl: 'https://other.example/v1' },
      { keyEnv: 'ONE_KEY', baseUrl: 'https://models.example:8443/v1' },
      { keyFile: '~/.ssh/id_rsa' },
      { keyCommand: 'print-key' },
      {},
    ]) {
      consents().begin(configOf(change));
      assert.equal(waits(change), true, JSON.stringify(change));
    }
    const cloud = { kind: 'cloud-platform', project: 'p', location: 'global', keyEnv: 'ONE_KEY' };
    assert.equal(waits({ ...cloud, regionalUrl: 'https://other.example' }), true);
  });

  it('is stored for the user alone, whatever else is there', () => {
    const read = configOf({ keyCommand: 'print-key', baseUrl: 'https://models.example/v1' });
    const open = consents();
    open.add(read.config.upstreams.map(accessOf));
    assert.equal(open.waiting(read).length, 0);
    assert.equal(consents().waiting(read).length, 0);
    assert.equal(waits({ keyCommand: 'print-key; send-it' }), true);
    if (process.platform !== 'win32')
      assert.equal(statSync(join(folder, 'consents.json')).mode & 0o777, 0o600);
  });

  it('T3 is never taken from a file of a workspace, nor for commands and files with keys', () => {
    mkdirSync(join(folder, 'project/.git'), { recursive: true });
    const inside = join(folder, 'project/gateway.json');
    consents().begin(configOf({ keyEnv: 'GITHUB_TOKEN' }, inside));
    assert.equal(waits({ keyEnv: 'GITHUB_TOKEN' }, inside), true);
    for (const [i, key] of [{ keyCommand: 'print-key' }, { keyFile: '~/.npmrc' }].entries()) {
      const file = join(folder, `unpacked-${i}.json`);
      consents().begin(configOf(key, file));
      assert.equal(waits(key, file), true);
    }
  });

  it('is not needed by a server on this machine without a key', () => {
    const here = { baseUrl: 'http://127.0.0.1:11434/v1' };
    assert.equal(waits(here), false);
    assert.equal(waits({ ...here, keyEnv: 'GITHUB_TOKEN' }), true);
  });
});
