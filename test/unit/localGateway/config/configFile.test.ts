import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type LoadedConfig,
  parseConfig,
  refuseKeyCommandInWorkspace,
} from '../../../../src/localGateway/config/configFile.ts';
import { ConfigError, parseCredentialEnd } from '../../../../src/localGateway/config/configSchema.ts';

describe('configuration of the local gateway', () => {
  const upstream = { name: 'one', kind: 'openai-compatible', baseUrl: 'https://models.example/v1' };
  const parse = (content: unknown) => parseConfig(JSON.stringify(content), 'gateway.json');

  function assertRefused(content: unknown, ...patterns: readonly RegExp[]): void {
    assert.throws(
      () => parse(content),
      (error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, /gateway\.json/);
        for (const it of patterns) assert.match(error.message, it);
        return true;
      },
    );
  }

  it('accepts upstreams over https, and over http only on this machine', () => {
    const addresses: readonly (readonly [address: string, good: boolean])[] = [
      ['https://models.example', true],
      ['https://models.example:8443/openai/v1/', true],
      ['http://127.0.0.1:11434/v1', true],
      ['http://127.8.8.8/v1', true],
      ['http://localhost:1234/v1', true],
      ['http://[::1]:1234/v1', true],
      ['http://models.example/v1', false],
      ['http://127.0.0.1.models.example/v1', false],
      ['http://localhost.models.example', false],
      ['http://192.168.1.5:11434/v1', false],
      ['https://user:pass@models.example/v1', false],
      ['https://models.example/v1?key=test', false],
      ['https://models.example/v1#x', false],
      ['ftp://models.example', false],
      ['file:///etc/hosts', false],
      ['models.example/v1', false],
    ];
    for (const [baseUrl, good] of addresses) {
      const content = { upstreams: [{ ...upstream, baseUrl }] };
      if (good) assert.equal(parse(content).config.upstreams[0]?.baseUrl, baseUrl);
      else assertRefused(content, /upstreams\[0\]\.baseUrl: expected an https address/);
    }
  });

  it('rejects a key in the file, reports where keys belong, and does not repeat the key', () => {
    const secret = 'test-secret-value';
    const attempts: readonly object[] = [
      { key: secret },
      { apiKey: secret },
      { access_token: secret },
      { headers: { Authorization: `Bearer ${secret}` } },
      { headers: { 'X-Api-Key': secret } },
      { headers: { 'X-Custom': `Bearer ${secret}` } },
      { keyEnv: secret },
      { keyEnv: 'gsk_testsecretvalue' },
    ];
    for (const attempt of attempts) {
      assertRefused(
        { upstreams: [{ ...upstream, ...attempt }] },
        /put the key in an environment variable/,
        /^(?!.*secret)/s,
      );
    }
  });

  it('reports every invalid field and the expected value', () => {
    assertRefused({}, /upstreams: expected an array; it is missing/);
    assertRefused([], /the whole file: expected an object; got an empty array/);
    assertRefused({ upstreams: [upstream], extra: 1 }, / extra: there is no such field/);
    assertRefused({ upstreams: [upstream], 'a b': 1 }, / \["a b"\]: there is no such field/);
    assertRefused(
      { upstreams: [{ ...upstream, 'key\u2028\u202e': 1 }] },
      /upstreams\[0\]\["key\\u\{2028\}\\u\{202e\}"\]: "key\\u\{2028\}\\u\{202e\}" is not a field/,
    );
    assertRefused(
      {
        upstreams: [
          { ...upstream, kind: 'other' },
          { ...upstream, name: 'Two Words', models: [3] },
        ],
      },
      /upstreams\[0\]\.kind: expected one of "openai-compatible", "content-generation",.*; got "other"/,
      /upstreams\[1\]\.name: expected 1 to 32 lower-case/,
      /upstreams\[1\]\.models\[0\]: expected a string; got 3/,
    );
  });

  it('rejects names that would make a model id ambiguous', () => {
    assertRefused({ upstreams: [{ ...upstream, name: 'demo' }] }, /taken by the demo models/);
    assertRefused({ upstreams: [upstream, upstream] }, /upstreams\[1\]\.name: this name is already taken/);
  });

  it('rejects headers that the gateway sets itself and invalid header values', () => {
    assertRefused(
      { upstreams: [{ ...upstream, headers: { Host: 'x' } }] },
      /headers\.Host: this header is set/,
    );
    assertRefused({ upstreams: [{ ...upstream, headers: { 'X-A': 'a\r\nb: c' } }] }, /printable ASCII/);
    assertRefused({ upstreams: [{ ...upstream, headers: { 'a b': 'c' } }] }, /letters, digits and hyphens/);
  });

  it('reports the line and column of each problem, and suggests the intended field', () => {
    const hash = 'ab'.repeat(32);
    const other = 'cd'.repeat(32);
    const text = `{
  // Comments may stand here, and a comma after the last element.
  "upstreams": [
    { "name": "one", "kind": "openai-compatible", "baseUrl": "https://models.example/v1" },
    {
      "name": "one",
      "kind": "openai-compatible",
      "baseURL": "https://models.example/v1",
    },
  ],
  "credentails": [],
  "credentials": [
    { "name": "ci", "sha256": "${hash}" },
    { "name": "it", "sha256": "${other}", "modles": ["a*"] },
  ],
  "prot": 1,
  "something": 2,
}`;
    assert.throws(
      () => parseConfig(text, 'gateway.json'),
      (error) => {
        assert.ok(error instanceof ConfigError);
        assert.deepEqual(error.message.split('\n'), [
          'The configuration gateway.json cannot be used:',
          '  gateway.json:5:5 upstreams[1].baseUrl: expected a string; it is missing',
          '  gateway.json:8:7 upstreams[1].baseURL: there is no such field; did you mean "baseUrl"?',
          '  gateway.json:14:56 credentials[1].modles: there is no such field; did you mean "models"?'.replace(
            '14:56',
            `14:${`    { "name": "it", "sha256": "${hash}", "`.length}`,
          ),
          '  gateway.json:11:3 credentails: there is no such field; did you mean "credentials"?',
          '  gateway.json:16:3 prot: there is no such field; did you mean "port"?',
          '  gateway.json:17:3 something: there is no such field; the fields are port, upstreams, aliases, credentials, limits',
        ]);
        return true;
      },
    );
  });

  it('accepts aliases for models of its upstreams, and rejects invalid aliases', () => {
    const upstreams = [upstream, { ...upstream, name: 'work' }];
    const good = { name: 'fast', models: ['one/a/b', 'work/b', 'demo/chat'] };
    const weighted = { ...good, name: 'org/big:1', strategy: 'weighted', weights: { 'work/b': 3 } };
    const { aliases } = parse({ upstreams, aliases: [good, weighted] }).config;
    assert.deepEqual(aliases, [good, weighted]);
    const wrong: readonly (readonly [alias: object, pattern: RegExp])[] = [
      [
        { models: ['wrok/b'] },
        /aliases\[0\]\.models\[0\]: there is no upstream "wrok"; did you mean "work"\?/,
      ],
      [{ models: ['one/a', 'b'] }, /models\[1\]: expected name\/id, with the name of an upstream/],
      [{ models: ['one/'] }, /models\[0\]/],
      [{ models: [] }, /models: expected an array of at least 1 element/],
      [{ models: ['one/a', 'one/a'] }, /models\[1\]: this model is already in the list/],
      [{ name: 'one/x' }, /name: ids that begin with "one\/" belong to the upstream with that name/],
      [{ name: 'two words' }, /name: expected 1 to 128 letters/],
      [
        { strategy: 'random' },
        /strategy: expected one of "fallback", "round-robin", "weighted"; got "random"/,
      ],
      [{ weights: { 'one/a/b': 2 } }, /weights: weights are allowed only with the strategy "weighted"/],
      [
        { strategy: 'weighted', weights: { 'one/a/c': 2 } },
        /weights\["one\/a\/c"\]: the alias does not have this model; did you mean "one\/a\/b"\?/,
      ],
      [
        { strategy: 'weighted', weights: { 'one/a/b': 0 } },
        /weights\["one\/a\/b"\]: expected a number that is at least 1/,
      ],
      [{ nextAfterSeconds: 0 }, /nextAfterSeconds: expected a number that is at least 0\.1/],
      [{ nextOnServerErrors: true }, /there is no such field; did you mean "nextOnServerError"\?/],
    ];
    for (const [alias, pattern] of wrong)
      assertRefused({ upstreams, aliases: [{ ...good, ...alias }] }, pattern);
    assertRefused({ upstreams, aliases: [good, good] }, /aliases\[1\]\.name: this name is already taken/);
  });

  it('rejects duplicate names, hashes and members', () => {
    const hash = 'ab'.repeat(32);
    const credentials = [
      { name: 'ci', sha256: hash },
      { name: 'ci', sha256: 'cd'.repeat(32) },
      { name: 'tool', sha256: hash.toUpperCase() },
    ];
    assertRefused(
      { upstreams: [upstream], credentials },
      /gateway\.json:1:\d+ credentials\[1\]\.name: this name is already taken by another credential/,
      /credentials\[2\]\.sha256: another name has the same credential/,
    );
    assert.throws(
      () => parseConfig('{"upstreams": [],\r\n "port": 1,\r\n "port": 2}', 'gateway.json'),
      /gateway\.json:3:2 port: this name occurs twice/,
    );
  });

  it('accepts dates and times with a time zone as the end of a credential, and rejects other text', () => {
    const end = (expires: string) => new Date(parseCredentialEnd(expires) ?? Number.NaN).toISOString();
    assert.equal(end('2027-01-31'), '2027-02-01T00:00:00.000Z');
    assert.equal(end('2027-01-31T18:00:00+02:00'), '2027-01-31T16:00:00.000Z');
    assert.equal(end('2027-01-31T18:00Z'), '2027-01-31T18:00:00.000Z');
    for (const expires of [
      '',
      'soon',
      '2027',
      '2027-02-30',
      '2027-13-01',
      '2027-01-31T25:00:00Z',
      '31.1.2027',
    ])
      assert.equal(parseCredentialEnd(expires), undefined, expires);
    const credential = { name: 'ci', sha256: 'a'.repeat(64), expires: '2027-01-31T18:00:00' };
    assertRefused(
      { upstreams: [], credentials: [credential] },
      /credentials\[0\]\.expires: expected a date, such as/,
    );
  });

  it('rejects prices of one token, which would be a million times too low', () => {
    const one = { name: 'one', kind: 'openai-compatible', baseUrl: 'https://one.example/v1' };
    const withPrices = (prices: object) => ({
      upstreams: [{ ...one, prices: [{ models: 'm', ...prices }] }],
    });
    assert.doesNotThrow(() => parse(withPrices({ input: 0, output: 0.001, perRequest: 1e-6 })));
    for (const field of ['input', 'output', 'cachedInput', 'cacheWrite'])
      assertRefused(withPrices({ [field]: 0.000003 }), /expected the price of a million tokens/);
  });

  it('rejects a member named __proto__', () => {
    assert.throws(
      () => parseConfig('{"upstreams": [], "__proto__": {}}', 'gateway.json'),
      /__proto__: there is/,
    );
  });

  it('reports where the text stops being valid JSON', () => {
    for (const [text, pattern] of [
      ['', /:1:1 .*the file is empty/],
      ['{\n "port" 1 }', /:2:9 .*a colon is expected here/],
      ['{\n "port": 1\n "upstreams": [] }', /:3:2 .*a comma is expected here/],
      ['{ "port": "1 }', /:1:11 .*this text lacks its closing quote/],
      ['['.repeat(200_000), /nested too deeply/],
    ] as const) {
      assert.throws(() => parseConfig(text, 'gateway.json'), pattern);
    }
  });

  it('does not quote a file that is not JSON', () => {
    assert.throws(
      () => parseConfig('{"key": test-secret', 'gateway.json'),
      (error) =>
        error instanceof ConfigError && /not JSON/.test(error.message) && !/secret/.test(error.message),
    );
  });
});

describe('commands that print keys', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'commands-'));
    mkdirSync(join(folder, 'project/.git'), { recursive: true });
  });
  after(() => rmSync(folder, { recursive: true }));

  const upstream = { name: 'one', kind: 'openai-compatible', baseUrl: 'https://models.example/v1' };

  function configWith(file: string, ...commands: readonly string[]): LoadedConfig {
    const names = commands.map((_, i) => ({ ...upstream, name: `upstream-${i}` }));
    const read = parseConfig(JSON.stringify({ upstreams: [upstream, ...names] }), join(folder, file));
    const upstreams = read.config.upstreams.map((each, i) => ({ ...each, keyCommand: commands[i - 1] }));
    return { ...read, config: { ...read.config, upstreams } };
  }

  it('are allowed in a configuration file of the user, and rejected in a file of a workspace', () => {
    refuseKeyCommandInWorkspace(configWith('model-gateway.json', 'print-key'));
    refuseKeyCommandInWorkspace(configWith('project/model-gateway.json'));
    assert.throws(
      () => refuseKeyCommandInWorkspace(configWith('project/model-gateway.json', 'print-key')),
      (error) =>
        error instanceof ConfigError &&
        /model-gateway\.json:1:\d+ upstreams\[1\]\.keyCommand: keyCommand is not allowed in a file of the workspace/.test(
          error.message,
        ) &&
        !error.message.includes('print-key'),
    );
    const keys = [{ keyEnv: 'A_KEY' }, { keyCommand: 'print-key' }];
    const read = parseConfig(
      JSON.stringify({ upstreams: [{ ...upstream, keys }] }),
      join(folder, 'project/x.json'),
    );
    assert.throws(
      () => refuseKeyCommandInWorkspace(read),
      /upstreams\[0\]\.keys\[1\]\.keyCommand: keyCommand is not/,
    );
  });
});
