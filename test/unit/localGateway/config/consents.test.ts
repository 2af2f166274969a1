import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../../../../src/localGateway/config/configFile.ts';
import { ConfigError } from '../../../../src/localGateway/config/configSchema.ts';
import {
  Consents,
  describeAccess,
  readUpstreamAccess,
} from '../../../../src/localGateway/config/consents.ts';

describe('consent for upstreams', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'consents-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const consents = () => new Consents(join(folder, 'consents.json'));

  function createConfig(fields: object, file = join(folder, 'gateway.json')) {
    const upstream = {
      name: 'one',
      kind: 'openai-compatible',
      baseUrl: 'https://models.example/v1',
      ...fields,
    };
    return parseConfig(JSON.stringify({ upstreams: [upstream] }), file);
  }

  const needsConsent = (fields: object, file?: string) =>
    consents().listUpstreamsWithoutConsent(createConfig(fields, file)).length > 0;

  it('T3 covers the addresses and keys that the user allowed, and no change to them', () => {
    const first = consents();
    first.allowNewFile(createConfig({}));
    assert.equal(needsConsent({}), false);
    first.add(createConfig({ keyEnv: 'ONE_KEY' }).config.upstreams.map(readUpstreamAccess));
    assert.equal(needsConsent({ keyEnv: 'ONE_KEY', models: ['m'], name: 'other', allow: ['m'] }), false);
    for (const change of [
      { keyEnv: 'OTHER_KEY' },
      { keyEnv: 'ONE_KEY', baseUrl: 'https://other.example/v1' },
      { keyEnv: 'ONE_KEY', baseUrl: 'https://models.example:8443/v1' },
      { keyEnv: 'ONE_KEY', baseUrl: 'https://models.example/tenant-of-others/v1' },
      { keyEnv: 'ONE_KEY', headers: { 'x-target-url': 'https://other.example' } },
      { keyFile: '~/.ssh/id_rsa' },
      { keyCommand: 'print-key' },
      { keys: [{ keyEnv: 'ONE_KEY' }] },
      { keys: [{ keyEnv: 'ONE_KEY' }, { keyCommand: 'print-key' }] },
      { baseUrl: 'https://other.example/v1' },
    ]) {
      consents().allowNewFile(createConfig(change));
      assert.equal(needsConsent(change), true, JSON.stringify(change));
    }
    const cloud = { kind: 'cloud-platform', project: 'p', location: 'global', keyEnv: 'ONE_KEY' };
    assert.equal(needsConsent({ ...cloud, regionalUrl: 'https://other.example' }), true);
    // The location becomes part of the host.
    const open = consents();
    open.add(createConfig({ ...cloud, location: 'here' }).config.upstreams.map(readUpstreamAccess));
    assert.equal(needsConsent({ ...cloud, location: 'here', models: ['m'] }), false);
    for (const change of [{ location: 'evil' }, { location: 'here', project: 'of-others' }]) {
      assert.equal(needsConsent({ ...cloud, ...change }), true);
      const [read] = createConfig({ ...cloud, ...change }).config.upstreams;
      assert.ok(
        read &&
          readUpstreamAccess(read).addresses.some(
            (address) => !address.includes('://here-models.example/v1/projects/p/'),
          ),
      );
    }
    assert.ok(
      readUpstreamAccess(
        createConfig({ ...cloud, location: 'evil' }).config.upstreams[0] ?? assert.fail(),
      ).addresses.includes('https://evil-models.example/v1/projects/p/locations/evil'),
    );
  });

  it('is stored in a file that only the user can read', () => {
    const read = createConfig({ keyCommand: 'print-key', baseUrl: 'https://models.example/v1' });
    const open = consents();
    open.add(read.config.upstreams.map(readUpstreamAccess));
    assert.equal(open.listUpstreamsWithoutConsent(read).length, 0);
    assert.equal(consents().listUpstreamsWithoutConsent(read).length, 0);
    assert.equal(needsConsent({ keyCommand: 'print-key; send-it' }), true);
    if (process.platform !== 'win32')
      assert.equal(statSync(join(folder, 'consents.json')).mode & 0o777, 0o600);
  });

  it('T3 is not given automatically to a new configuration file that names a key', () => {
    mkdirSync(join(folder, 'project/.git'), { recursive: true });
    const keys = [{ keyEnv: 'GITHUB_TOKEN' }, { keyCommand: 'print-key' }, { keyFile: '~/.npmrc' }];
    for (const [i, key] of keys.entries()) {
      for (const file of [`project/gateway-${i}.json`, `unpacked-${i}.json`]) {
        consents().allowNewFile(createConfig(key, join(folder, file)));
        assert.equal(needsConsent(key, join(folder, file)), true);
      }
    }
  });

  it('T3 is requested again when a link replaces the folder of a key file', () => {
    const real = realpathSync(folder);
    for (const name of ['project', 'others']) mkdirSync(join(real, name));
    const fields = { keyFile: join(real, 'project', 'token') };
    consents().add(createConfig(fields).config.upstreams.map(readUpstreamAccess));
    assert.equal(needsConsent(fields), false);
    rmSync(join(real, 'project'), { recursive: true });
    symlinkSync('others', join(real, 'project'));
    assert.equal(needsConsent(fields), true);
    const [upstream] = createConfig(fields).config.upstreams;
    assert.ok(
      upstream &&
        describeAccess(readUpstreamAccess(upstream)).includes(JSON.stringify(join(real, 'others', 'token'))),
    );
  });

  it('T3 is requested with the complete values, and values with hidden parts are rejected', () => {
    for (const fields of [
      { keyCommand: 'print-key # as usual\nsend-it' },
      { keyCommand: 'print-key \u202e' },
      { keyFile: '~/key\u200b' },
      { keyEnv: 'A'.repeat(1_000) },
      { headers: { 'x-a': 'b'.repeat(10_000) } },
      { headers: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`x-${i}`, 'b'])) },
      { baseUrl: `https://models.example/${'a'.repeat(5_000)}` },
    ])
      assert.throws(() => createConfig(fields), ConfigError, JSON.stringify(fields).slice(0, 50));
    const [read] = createConfig({ keyCommand: 'print-key', headers: { 'x-a': 'b' } }).config.upstreams;
    assert.ok(read);
    const words = describeAccess(readUpstreamAccess(read), 'in-full');
    for (const each of ['https://models.example/v1', '"print-key"', '{"x-a":"b"}'])
      assert.ok(words.includes(each), words);
    assert.doesNotMatch(describeAccess(readUpstreamAccess(read)), /print-key|"b"/);
    const [several] = createConfig({ keys: [{ keyEnv: 'A_KEY' }, { keyCommand: 'print-key' }] }).config
      .upstreams;
    assert.ok(several);
    assert.match(
      describeAccess(readUpstreamAccess(several), 'in-full'),
      /^the key in the environment variable A_KEY and the key that the command "print-key" prints are sent to /,
    );
  });

  it('is not required for a server on this machine without a key', () => {
    const here = { baseUrl: 'http://127.0.0.1:11434/v1' };
    assert.equal(needsConsent(here), false);
    assert.equal(needsConsent({ ...here, keyEnv: 'GITHUB_TOKEN' }), true);
  });
});
