import assert from 'node:assert/strict';
import { emptyConfig } from '../../../../src/host/connection/emptyConfig.ts';
import {
  aliasesUsing,
  readUpstreamEntries,
  UneditableConfigError,
  withoutUpstream,
  withUpstream,
} from '../../../../src/host/gateway/local/configEdit.ts';
import { parseConfig } from '../../../../src/localGateway/config/configFile.ts';

const local = { name: 'local', kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:11434/v1' };
const team = { name: 'team', kind: 'openai-compatible', baseUrl: 'https://models.example/v1' };

const commented = `{
  // first of all
  "port": 21000, // kept
  "upstreams": [
    // on this machine
    {
      "name": "local", "kind": "openai-compatible", // as it is
      "baseUrl": "http://127.0.0.1:11434/v1"
    },
    /* the team's */
    { "name": "team", "kind": "openai-compatible", "baseUrl": "https://models.example/v1" }, // shared
  ],
  // last of all
}
`;

/** The names of the upstreams that the gateway itself reads from a text. */
function readNames(text: string): readonly string[] {
  return parseConfig(text, 'gateway.json').config.upstreams.map(({ name }) => name);
}

function readAliases(text: string): number | undefined {
  return parseConfig(text, 'gateway.json').config.aliases?.length;
}

function readComments(text: string): readonly string[] {
  return text.match(/\/\/ .*|\/\*.*?\*\//g) ?? [];
}

describe('the edits of the configuration', () => {
  it('add an upstream to a file that is empty or has none', () => {
    for (const text of ['', ' \n', '{}', emptyConfig, '{ "upstreams": [] }']) {
      assert.deepEqual(readUpstreamEntries(withUpstream(text, local)), [local], text);
      assert.deepEqual(readNames(withUpstream(text, local)), ['local'], text);
    }
  });

  it('add an upstream at the end, and preserve comments, order and whitespace', () => {
    const other = { ...team, name: 'other' };
    const text = withUpstream(commented, other);
    assert.deepEqual(readNames(text), ['local', 'team', 'other']);
    assert.deepEqual(readComments(text), readComments(commented));
    const lines = new Set(text.split('\n').map((line) => line.replace(/,/g, '').trim()));
    for (const line of commented.split('\n')) assert.ok(lines.has(line.replace(/,/g, '').trim()), line);
  });

  it('remove an upstream at any position, and preserve the comments around it', () => {
    for (const name of ['local', 'team']) {
      const text = withoutUpstream(commented, name);
      assert.ok(text !== undefined);
      assert.deepEqual(
        readNames(text),
        ['local', 'team'].filter((each) => each !== name),
      );
      const inside = name === 'local' ? ['// as it is'] : [];
      assert.deepEqual(
        readComments(text),
        readComments(commented).filter((comment) => !inside.includes(comment)),
      );
    }
  });

  it('remove an added upstream, and preserve the other upstreams and comments', () => {
    for (const text of [emptyConfig, withUpstream(emptyConfig, local), '{\r\n\t"upstreams": []\r\n}\r\n']) {
      const rest = withoutUpstream(withUpstream(text, team), 'team');
      assert.deepEqual(readUpstreamEntries(rest ?? ''), readUpstreamEntries(text));
      assert.deepEqual(readComments(rest ?? ''), readComments(text));
    }
  });

  it('remove the models of an upstream from aliases, with their weights, and empty aliases', () => {
    const text = `{
  "upstreams": [
    { "name": "local", "kind": "openai-compatible", "baseUrl": "http://127.0.0.1:11434/v1" },
    { "name": "team", "kind": "openai-compatible", "baseUrl": "https://models.example/v1" }
  ],
  "aliases": [
    { "name": "only", "models": ["team/a", "team/b"] },
    // for everything
    {
      "name": "fast", "strategy": "weighted",
      "models": ["local/a", "team/a", /* the big one */ "local/team/b", "team/b"],
      "weights": { "team/a": 2, "local/a": 3, "team/b": 4 }
    },
    { "name": "last", "models": ["team/c"] }
  ]
}
`;
    assert.deepEqual(aliasesUsing(text, 'team'), [
      { name: 'only', models: ['team/a', 'team/b'], isRemoved: true },
      { name: 'fast', models: ['team/a', 'team/b'], isRemoved: false },
      { name: 'last', models: ['team/c'], isRemoved: true },
    ]);
    const rest = withoutUpstream(text, 'team') ?? '';
    const models = ['local/a', 'local/team/b'];
    const remaining = { name: 'fast', strategy: 'weighted', models, weights: { 'local/a': 3 } };
    assert.deepEqual(parseConfig(rest, 'gateway.json').config.aliases, [remaining]);
    assert.deepEqual(readComments(rest), readComments(text));
    assert.deepEqual(aliasesUsing(rest, 'team'), []);
    assert.equal(readAliases(withoutUpstream(rest, 'local') ?? ''), 0);
  });

  it('remove an upstream from a file whose aliases are invalid', () => {
    const unnamed = '[{ "name": { "toString": 1 } }]';
    for (const aliases of ['{}', '"x"', '[1, null, {}, { "name": "a", "models": "team/a" }]', unnamed]) {
      const text = `{ "upstreams": [${JSON.stringify(team)}], "aliases": ${aliases} }`;
      assert.deepEqual(readUpstreamEntries(withoutUpstream(text, 'team') ?? ''), [], aliases);
      assert.deepEqual(aliasesUsing(text, 'team'), [], aliases);
    }
  });

  it('use the indentation and the line ends of the file', () => {
    const text = withUpstream('{\r\n\t"upstreams": []\r\n}\r\n', local);
    assert.equal(/[^\r]\n/.test(text), false);
    assert.match(text, /\r\n\t\t\{/);
  });

  it('do not remove text if the upstream does not exist', () => {
    assert.equal(withoutUpstream(commented, 'missing'), undefined);
    assert.equal(withoutUpstream('', 'missing'), undefined);
  });

  it('reject a file that is incomplete or has another structure', () => {
    for (const text of ['{ "upstreams": [', '[]', '"x"', '{ "upstreams": {} }', '{ "a": 1 "b": 2 }']) {
      assert.throws(() => withUpstream(text, local), UneditableConfigError, text);
      assert.throws(() => readUpstreamEntries(text), UneditableConfigError, text);
      assert.throws(() => withoutUpstream(text, 'local'), UneditableConfigError, text);
    }
  });
});
