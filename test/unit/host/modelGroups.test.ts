import assert from 'node:assert/strict';
import { disjointModelGroups, modelGroups, rowLabels } from '../../../src/host/models/modelGroups.ts';
import { assertLinear } from '../../support/linearCost.ts';

const none = { pinned: [], recent: [] };

function models(count: number, owners = 1) {
  return Array.from({ length: count }, (_, nth) => ({ id: `m-${nth}`, owner: `owner-${nth % owners}` }));
}

function shown(groups: ReturnType<typeof modelGroups>) {
  return groups.map(({ kind, name, models }) => [`${kind}:${name}`, ...models.map(({ id }) => id)]);
}

describe('the groups of models', () => {
  it('are pinned models, recent models, and owners by name', () => {
    const list = [...models(12), { id: 'x', owner: 'another' }];
    const groups = modelGroups(list, { pinned: ['m-3', 'gone'], recent: ['m-5', 'm-3', 'gone'] });
    assert.deepEqual(shown(groups).slice(0, 3), [
      ['pinned:', 'm-3'],
      ['recent:', 'm-5'],
      ['owner:another', 'x'],
    ]);
    assert.equal(groups[3]?.models.length, 12);
  });

  it('do not include recent models for a short list, but pinned models', () => {
    const groups = modelGroups(models(4), { pinned: ['m-1'], recent: ['m-2'] });
    assert.deepEqual(
      groups.map(({ kind }) => kind),
      ['pinned', 'owner'],
    );
  });

  it('are families for a long list with a single owner', () => {
    const ids = [
      'gpt-4o',
      'gpt-4.1',
      'claude-opus',
      'claude_haiku',
      'qwen2.5',
      'qwen3:8b',
      'o3',
      'x/a',
      'x/b',
    ];
    const list = [...ids, ...Array.from({ length: 60 }, (_, nth) => `llama-${nth}`)];
    const groups = modelGroups(
      list.map((id) => ({ id, owner: 'relay' })),
      none,
    );
    assert.deepEqual(
      groups.map(({ kind, name, models }) => [kind, name, models.length]),
      [
        ['family', 'claude', 2],
        ['family', 'gpt', 2],
        ['family', 'llama', 60],
        ['family', 'qwen', 2],
        ['family', 'x', 2],
        ['family', '', 1],
      ],
    );
  });

  it('contain each model once in a picker', () => {
    const groups = disjointModelGroups(models(12), { pinned: ['m-3'], recent: ['m-5'] });
    assert.deepEqual(
      groups.map((group) => group.models.length),
      [1, 1, 10],
    );
    assert.deepEqual(disjointModelGroups([], none), []);
  });

  it('P9 are computed in linear time', () => {
    for (const owners of [100, 1]) {
      assertLinear(
        (n) => models(n, owners),
        (list) => {
          const pinned = list.slice(0, 50).map(({ id }) => id);
          for (const group of modelGroups(list, { pinned, recent: [] })) rowLabels(group.models);
        },
      );
    }
  });
});

describe('the labels of models', () => {
  const labels = (...list: readonly { id: string; name?: string }[]) => [
    ...rowLabels(list.map((model) => ({ owner: '', ...model }))).values(),
  ];

  it('are names, or ids if a name is not unique', () => {
    assert.deepEqual(
      labels({ id: 'a-1', name: 'A' }, { id: 'b-1', name: 'B' }, { id: 'b-2', name: 'B' }, { id: 'c' }),
      ['A', 'b-1', 'b-2', 'c'],
    );
  });

  it('omit a long common prefix that would hide the difference', () => {
    const prefix = 'accounts/fireworks/models/';
    assert.deepEqual(labels({ id: `${prefix}llama-v3p1-8b` }, { id: `${prefix}llama-v3p1-70b` }), [
      'llama-v3p1-8b',
      'llama-v3p1-70b',
    ]);
    assert.deepEqual(
      labels(
        { id: 'a', name: 'Anthropic: Claude Sonnet 4 (2025)' },
        { id: 'b', name: 'Anthropic: Claude Opus 4' },
      ),
      ['Claude Sonnet 4 (2025)', 'Claude Opus 4'],
    );
    assert.deepEqual(labels({ id: 'demo/chat' }, { id: 'demo/video' }), ['demo/chat', 'demo/video']);
    assert.deepEqual(labels({ id: `${prefix}only-one` }), [`${prefix}only-one`]);
    const open = `${prefix}`;
    assert.deepEqual(labels({ id: open }, { id: `${open}a` }), [open, 'a']);
  });
});
