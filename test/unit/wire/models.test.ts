import assert from 'node:assert/strict';
import {
  countOmittedModels,
  decodeModelEntries,
  decodeModelList,
  findNextModelPage,
  maxModels,
} from '../../../src/wire/apis/models/modelList.ts';

describe('a model list', () => {
  it('is read in the form of OpenAI', () => {
    const data = [
      { id: 'b', object: 'model', created: 1_700_000_000, owned_by: 'owner' },
      { id: 'c', created: 1_700_000_000_123 },
      { id: 'd', created: 1_700_000_000_123_456 },
      { id: 'a' },
    ];
    assert.deepEqual(decodeModelList({ object: 'list', data }), [
      { id: 'b', owner: 'owner', created: 1_700_000_000 },
      { id: 'c', owner: '', created: 1_700_000_000 },
      { id: 'd', owner: '' },
      { id: 'a', owner: '' },
    ]);
  });

  it('is read in the form of Anthropic', () => {
    const data = [{ type: 'model', id: 'a', display_name: 'A', created_at: '2026-01-01T00:00:00Z' }];
    assert.deepEqual(decodeModelList({ data, has_more: false }), [
      { id: 'a', owner: '', name: 'A', created: 1_767_225_600 },
    ]);
  });

  it('is read in the form of Gemini', () => {
    const models = [{ name: 'models/a-1', displayName: 'A 1', supportedGenerationMethods: [] }];
    assert.deepEqual(decodeModelList({ models }), [{ id: 'a-1', owner: '', name: 'A 1' }]);
  });

  it('is read in the form of the local gateway, with the upstream as the owner', () => {
    const data = [{ id: 'llama', owned_by: 'library', upstream: 'ollama' }];
    assert.deepEqual(decodeModelList({ data }), [{ id: 'llama', owner: 'ollama' }]);
  });

  it('is read in the form of OpenRouter, with the owner before the slash', () => {
    const data = [{ id: 'maker/a', name: 'Maker: A', created: 1, pricing: {} }];
    assert.deepEqual(decodeModelList({ data }), [
      { id: 'maker/a', owner: 'maker', name: 'Maker: A', created: 1 },
    ]);
  });

  it('may contain only ids, and may be in envelopes', () => {
    const ids = (reply: unknown) => decodeModelList(reply)?.map(({ id }) => id);
    for (const reply of [
      ['a', 'b'],
      { models: ['a', 'b'] },
      { data: { data: [{ id: 'a' }, { id: 'b' }] } },
      { data: { models: ['a', 'b'] } },
      { code: 0, data: { list: [{ id: 'a' }, { id: 'b' }] } },
      { result: { data: { items: [{ name: 'a' }, { name: 'b' }] } } },
      { success: true, result: [{ id: 'a' }, { id: 'b' }] },
      { models: { a: { name: 'A' }, b: { name: 'B' } } },
      { modelSummaries: [{ modelId: 'a', modelName: 'A' }, { modelId: 'b' }] },
      { value: [{ model_name: 'a' }, { model: 'b' }] },
      {
        data: [
          { slug: 'a', name: 'A' },
          { key: 'b', display_name: 'B' },
        ],
      },
      { Data: [{ Id: 'a' }, { Id: 'b' }] },
      { Code: 0, Data: { Items: [{ ModelId: 'a' }, { ModelId: 'b' }] } },
      { data: [{ ID: 'a' }, { ID: 'b' }] },
    ])
      assert.deepEqual(ids(reply), ['a', 'b'], JSON.stringify(reply));
  });

  it('may contain a list for each provider, which owns the models without an owner', () => {
    const groups = { one: [{ id: 'a' }], two: [{ id: 'b', owned_by: 'maker' }], none: [] };
    for (const reply of [groups, { data: groups }, { success: true, data: groups }, { models: groups }]) {
      const owners = decodeModelList(reply)?.map(({ id, owner }) => [id, owner]);
      assert.deepEqual(
        owners,
        [
          ['a', 'one'],
          ['b', 'maker'],
        ],
        JSON.stringify(reply),
      );
    }
    const providers = [
      { id: 'one', models: [{ id: 'a' }] },
      { provider: 'two', models: [{ id: 'b', owned_by: 'maker' }] },
    ];
    for (const reply of [providers, { data: providers }, { providers: [], data: { list: providers } }])
      assert.deepEqual(
        decodeModelList(reply)?.map(({ id, owner }) => [id, owner]),
        [
          ['a', 'one'],
          ['b', 'maker'],
        ],
      );
    // Models that lead to others are models themselves.
    for (const element of [
      { id: 'c' },
      { id: 'c', object: 'model', models: [{ id: 'd' }] },
      { id: 'c', models: ['d'] },
    ])
      assert.deepEqual(
        decodeModelList({ data: [{ id: 'b', models: [{ id: 'e' }] }, element] })?.map(({ id }) => id),
        ['b', 'c'],
      );
    const alone = { data: { one: [{ id: 'a', object: 'model' }] } };
    assert.deepEqual(
      decodeModelList(alone)?.map(({ id }) => id),
      ['a'],
    );
    for (const other of [
      { one: [{ id: 'a' }] },
      { users: [{ id: 'a' }], invoices: [{ id: 'b' }] },
      { errors: [{ id: 'a' }], hints: [{ id: 'b' }] },
      { one: [{ id: 'a', message: 'No' }], two: [{ id: 'b', message: 'No' }] },
      { one: [{ id: 'a' }], two: [{ name: 'b' }] },
      { one: [{ id: 'a' }], two: [{ id: 'b' }], more: { id: 'c' } },
    ])
      assert.equal(decodeModelList(other), undefined, JSON.stringify(other));
  });

  it('keeps capitals in ids and member names', () => {
    const ids = (reply: unknown) => decodeModelList(reply)?.map(({ id }) => id);
    assert.deepEqual(ids({ models: { 'GPT-A': { Name: 'A' }, Mistral: { Name: 'B' } } }), [
      'GPT-A',
      'Mistral',
    ]);
    assert.equal(ids({ Models: { 'GPT-A': { Name: 'A' }, Mistral: { Name: 'B' } } }), undefined);
    const entry = { id: 'A', Id: 'other', Extra: 1, modelID: 'x' };
    assert.deepEqual(
      decodeModelEntries({ data: [entry] })?.map((each) => each.entry),
      [entry],
    );
  });

  it('is undefined if no entry can be read', () => {
    for (const data of [[{}], [7], [['a']], ['']]) assert.equal(decodeModelList({ data }), undefined);
    assert.equal(decodeModelList({ providers: [{ name: 'a' }] }), undefined);
  });

  it('contains the parameters of its next page', () => {
    const data = [{ id: 'a' }, { id: 'b' }];
    const rows: readonly (readonly [envelope: object, next: object | undefined])[] = [
      [{ data, has_more: true, first_id: 'a', last_id: 'b' }, { after_id: 'b' }],
      [{ object: 'list', data, has_more: true, first_id: 'a', last_id: 'b' }, { after: 'b' }],
      [{ data, has_more: true }, { after: 'b' }],
      [{ data, has_more: false, last_id: 'b' }, undefined],
      [{ models: data, nextPageToken: 'p' }, { pageToken: 'p' }],
      [{ data: { models: data, nextPageToken: 'p' } }, { pageToken: 'p' }],
      [{ data, meta: { next_cursor: 'c' } }, { cursor: 'c' }],
      [{ data, next: 'https://elsewhere.example/models?page=2' }, { page: '2' }],
      [{ data, ['__proto__']: { next_cursor: 'c' } }, undefined],
      [{ data, meta: JSON.parse('{"__proto__":{"next_cursor":"c"}}') }, undefined],
      [data, undefined],
    ];
    for (const [reply, next] of rows) assert.deepEqual(findNextModelPage(reply), next, JSON.stringify(reply));
    assert.deepEqual(findNextModelPage({ data }, { link: '</v1/models?page=2>; rel="next"' }), { page: '2' });
  });

  it('omits impossible times and prices', () => {
    const data = [
      { id: 'a', created: 1e300, output_cost_per_second: 9e44 },
      { id: 'b', created: -1e15, pricing: { request: '1e300' } },
    ];
    assert.deepEqual(decodeModelList({ data }), [
      { id: 'a', owner: '' },
      { id: 'b', owner: '' },
    ]);
  });

  it('contains each id unchanged and once', () => {
    const ids = ['Maker/Model 1', '模型-é', 'Maker/Model 1', '../x?y#z', '__proto__'];
    const models = decodeModelList(ids.map((id) => ({ id })));
    assert.deepEqual(
      models?.map(({ id }) => id),
      ['Maker/Model 1', '模型-é', '../x?y#z', '__proto__'],
    );
  });

  it('contains the price of a request if it is reported, and ignores 0', () => {
    const models = decodeModelList({
      data: [
        { id: 'by-request', pricing: { prompt: '0', request: '0.35' } },
        { id: 'by-second', output_cost_per_second: 0.1 },
        { id: 'by-token', pricing: { prompt: '0.000001', request: '0' } },
        { id: 'odd', pricing: { request: 'free' }, output_cost_per_second: -1 },
      ],
    });
    assert.deepEqual(
      models?.map(({ price }) => price),
      [{ perRequest: 0.35 }, { perSecond: 0.1 }, undefined, undefined],
    );
  });

  it('skips elements without a model id', () => {
    const data = [null, 'a', {}, { id: 7 }, { id: '' }, { id: 'a', created: 'never', owned_by: null }];
    assert.deepEqual(decodeModelList({ data }), [{ id: 'a', owner: '' }]);
  });

  it('can be empty, and is undefined if the reply is not a list', () => {
    for (const empty of [[], { data: [] }, { object: 'list', data: null }, { models: [] }]) {
      assert.deepEqual(decodeModelList(empty), []);
    }
    for (const other of [null, 'a', 1, {}, { data: 'a' }, { error: {} }]) {
      assert.equal(decodeModelList(other), undefined);
    }
  });

  it('P9 stops after 10,000 models and counts the omitted ones', () => {
    const data = Array.from({ length: 386_040 }, (_, nth) => ({ id: `m-${nth}` }));
    const models = decodeModelList({ data }) ?? [];
    assert.deepEqual([models.length, models.at(-1)?.id], [maxModels, `m-${maxModels - 1}`]);
    assert.equal(countOmittedModels({ data }), 386_040 - maxModels);
    assert.equal(countOmittedModels({ data: data.slice(0, maxModels) }), 0);
    assert.equal(countOmittedModels({ hello: 'world' }), 0);
  });

  it('skips overlong ids, and cuts overlong names', () => {
    const long = 'x'.repeat(1025);
    const data = [{ id: long }, { id: 'a', name: long, owned_by: long }];
    const [model, ...others] = decodeModelList({ data }) ?? [];
    assert.deepEqual([model?.id, model?.name?.length, model?.owner.length], ['a', 257, 257]);
    assert.deepEqual(others, []);
  });
});
