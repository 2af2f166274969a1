import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { buildRequestFields, noParameters } from '../../../src/conversations/conversation/chatParameters.ts';
import {
  findLikelySecrets,
  formatPresetFile,
  readPresetFile,
} from '../../../src/host/chat/parameters/presetFile.ts';
import type { Preset } from '../../../src/host/chat/parameters/store/parameterStore.ts';
import { type AcceptParameters, loadParameterFilter } from '../../../src/host/kit/pages/parameterSchema.ts';

const brief: Preset = {
  name: 'Brief',
  parameters: { ...noParameters, systemPrompt: 'Be brief', common: { temperature: 0.5 } },
};

const seeded: Preset = {
  name: 'constructor',
  parameters: {
    ...noParameters,
    others: { chatCompletions: { seed: 7, stop: ['x'] }, messages: { top_k: 3 } },
  },
};

describe('a preset file', () => {
  let accept: AcceptParameters;

  before(async () => {
    accept = await loadParameterFilter();
  });

  const entries = (presets: unknown, existing: readonly Preset[] = []) => {
    const text = JSON.stringify({ type: 'model-gateway-presets', version: 1, presets });
    return readPresetFile(text, existing, accept).entries ?? assert.fail();
  };
  const kinds = (presets: unknown, existing: readonly Preset[] = []) =>
    entries(presets, existing).map((entry) => (entry.kind === 'skipped' ? entry.reason : entry.kind));

  it('is imported as it was exported, and exported again with the same bytes', () => {
    const text = formatPresetFile([seeded, brief]);
    const read = readPresetFile(text, [], accept).entries ?? assert.fail();
    const presets = read.flatMap((entry) => (entry.kind === 'new' ? [entry] : []));
    assert.deepEqual(
      presets.map(({ name, parameters, invalid }) => ({ name, parameters, invalid })),
      [
        { ...brief, invalid: [] },
        { ...seeded, invalid: [] },
      ],
    );
    assert.equal(formatPresetFile(presets), text);
  });

  it('does not change a preset when it is imported again, in any order of its members', () => {
    const { name, parameters } = seeded;
    const { others } = parameters;
    const turned = { others: { messages: others.messages, chatCompletions: { stop: ['x'], seed: 7 } } };
    assert.deepEqual(kinds([{ parameters: turned, name }, brief], [brief, seeded]), ['same', 'same']);
  });

  it('reports for each preset whether it is new, replaces another, or why it is skipped', () => {
    const presets = [
      { ...brief, parameters: { ...brief.parameters, systemPrompt: 'Be long' } },
      seeded,
      seeded,
      { parameters: {} },
      { name: 'x'.repeat(81), parameters: brief.parameters },
      { name: 'empty', parameters: { common: { temperature: 'hot' } } },
      { name: 'none', parameters: 7 },
      'Brief',
    ];
    assert.deepEqual(kinds(presets, [brief]), [
      'replaces',
      'new',
      'duplicate',
      'no-name',
      'long-name',
      'no-valid-parameters',
      'unreadable',
      'no-name',
    ]);
  });

  it('imports the valid fields of a preset, and reports the invalid ones', () => {
    const [entry] = entries([
      { name: 'Some', parameters: { systemPrompt: 'Hi', common: { temperature: 99, later: 1 } } },
    ]);
    assert.ok(entry?.kind === 'new');
    assert.deepEqual(entry.parameters, { ...noParameters, systemPrompt: 'Hi' });
    assert.deepEqual(entry.invalid, [
      { kind: 'common', name: 'temperature' },
      { kind: 'unknown', name: 'later' },
    ]);
  });

  it('imports no more presets than the limit of 100', () => {
    const many = Array.from({ length: 120 }, (_, at) => ({ ...brief, name: `P${at}` }));
    const counted = Map.groupBy(kinds(many, [brief]), (kind) => kind);
    assert.deepEqual([counted.get('new')?.length, counted.get('limit')?.length], [99, 21]);
  });

  it('is rejected if it is another file, truncated, too long, or of a later version', () => {
    const problem = (text: string) => readPresetFile(text, [], accept).problem?.kind;
    assert.equal(problem('{"type": "model-gateway-presets", "version": 1, "pres'), 'not-json');
    for (const other of ['[]', '7', 'null', '{}', '{"type":"model-gateway-presets","presets":[]}'])
      assert.equal(problem(other), 'other-file');
    assert.equal(problem('{"type":"model-gateway-presets","version":2,"presets":[]}'), 'newer');
    assert.equal(problem(' '.repeat(17 * 1024 * 1024)), 'too-long');
  });

  it('with hostile names and contents is imported as plain data, and exported unchanged', () => {
    const hostile = `{"type": "model-gateway-presets", "version": 1, "__proto__": {"canary": 1}, "presets": [
      {"name": "__proto__", "parameters": {"systemPrompt": "<script>alert(1)</script>", "__proto__": {"canary": 1},
        "common": {"temperature": 1, "__proto__": {"canary": 1}}}},
      {"name": "constructor", "parameters": {"common": {"responseFormat": "json_schema",
        "responseSchema": {"properties": {"__proto__": {"type": "string"}}}}}},
      {"name": "others", "parameters": {"systemPrompt": "Hi",
        "others": {"__proto__": {"canary": 1}, "chatCompletions": {"__proto__": {"canary": 1}, "seed": 7}}}},
      {"name": "huge", "parameters": {"systemPrompt": "${'x'.repeat(5 * 1024 * 1024)}"}},
      {"name": "deep", "parameters": {"others": {"chatCompletions": {"metadata": ${'['.repeat(20_000)}${']'.repeat(20_000)}}}}}
    ]}`;
    const read = readPresetFile(hostile, [], accept).entries ?? assert.fail();
    const accepted = read.flatMap((entry) => (entry.kind === 'new' ? [entry] : []));
    assert.deepEqual(
      read.map((entry) => (entry.kind === 'skipped' ? `${entry.name} ${entry.reason}` : entry.name)),
      ['__proto__', 'constructor', 'others', 'huge unreadable', 'deep unreadable'],
    );
    for (const { parameters } of accepted) buildRequestFields(parameters, 'chatCompletions', 'm');
    assert.ok(!('canary' in {}), 'nothing outside is changed');
    const again = formatPresetFile(accepted);
    assert.doesNotMatch(again, /canary/);
    assert.match(again, /"__proto__": \{\s*"type": "string"/);
    const stored = readPresetFile(again, accepted, accept).entries ?? assert.fail();
    assert.deepEqual(
      stored.map(({ kind }) => kind),
      ['same', 'same', 'same'],
    );
  });

  it('is read without an exception for any content', () => {
    fc.assert(fc.property(fc.array(fc.jsonValue()), (presets) => void entries(presets)));
  });
});

describe('likely credentials in a preset', () => {
  it('are reported by their path', () => {
    const value = {
      systemPrompt: 'Use Bearer canary-credential to call',
      others: { chatCompletions: { metadata: { api_key: 'canary-credential' }, user: 'ada' } },
      tools: [{ headers: { Authorization: 'Basic Y2FuYXJ5LWNyZWRlbnRpYWw=' } }],
    };
    assert.deepEqual(findLikelySecrets(value), [
      'systemPrompt',
      'others.chatCompletions.metadata.api_key',
      'tools.0.headers.Authorization',
    ]);
  });

  it('include all header values, and values that are nested too deeply to be checked', () => {
    const deep = JSON.parse(`${'['.repeat(40)}"x"${']'.repeat(40)}`);
    const others = {
      responses: { tools: [{ type: 'mcp', headers: { 'X-Team': 'canary-value', Cookie: 'a=b' } }] },
      messages: { metadata: deep },
    };
    assert.deepEqual(
      findLikelySecrets({ others }).map((place) => place.replace(/(?:\.0)+$/, '…')),
      [
        'others.responses.tools.0.headers.X-Team',
        'others.responses.tools.0.headers.Cookie',
        'others.messages.metadata…',
      ],
    );
  });

  it('do not include usual fields of presets', () => {
    const schema = { type: 'object', properties: { token: { type: 'string' } }, required: ['token'] };
    const tool = {
      type: 'function',
      function: { name: 'key', description: 'The key: one word', parameters: schema },
    };
    const common = { temperature: 1, outputLimit: 4096, tools: [tool], responseSchema: schema };
    assert.deepEqual(findLikelySecrets({ systemPrompt: 'Be brief.', common, others: {} }), []);
  });
});
