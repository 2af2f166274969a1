import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Alias } from '../../../src/localGateway/models/alias.ts';

const models = ['a/m', 'b/m', 'c/m'];

describe('an alias of the local gateway', () => {
  it('orders its models as listed, in turn, or by weight', () => {
    const first = (alias: Alias, count: number) => Array.from({ length: count }, () => alias.takeTurn());
    assert.deepEqual(first(new Alias({ name: 'x', models }), 2), [
      [0, 1, 2],
      [0, 1, 2],
    ]);
    assert.deepEqual(first(new Alias({ name: 'x', models, strategy: 'round-robin' }), 4), [
      [0, 1, 2],
      [1, 2, 0],
      [2, 0, 1],
      [0, 1, 2],
    ]);
    const weighted = new Alias({ name: 'x', models, strategy: 'weighted', weights: { 'b/m': 2 } });
    assert.deepEqual(
      first(weighted, 8).map(([place]) => place),
      [1, 0, 2, 1, 1, 0, 2, 1],
    );
  });

  it('puts each model first exactly as often as its weight in every round', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 8 }), (weights) => {
        const names = weights.map((_, i) => `u/${i}`);
        const alias = new Alias({
          name: 'x',
          models: names,
          strategy: 'weighted',
          weights: Object.fromEntries(names.map((name, i) => [name, weights[i] ?? 1])),
        });
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        for (let round = 0; round < 2; round++) {
          const counts = weights.map(() => 0);
          for (let n = 0; n < total; n++) {
            const order = alias.takeTurn();
            counts[order[0] ?? 0] = (counts[order[0] ?? 0] ?? 0) + 1;
            assert.deepEqual(
              [...order].sort((one, other) => one - other),
              [...names.keys()],
            );
          }
          assert.deepEqual(counts, weights);
        }
      }),
    );
  });
});
