import assert from 'node:assert/strict';
import { firstModels } from '../../../src/host/connection/keptModels.ts';

const models = (count: number, length: number) =>
  Array.from({ length: count }, (_, nth) => ({ id: `${'x'.repeat(length)}-${nth}`, owner: 'vendor' }));

describe('the models that are kept for the next start', () => {
  it('are all of an ordinary list', () => {
    for (const list of [[], models(1, 20), models(5_000, 60)]) assert.equal(firstModels(list), list);
  });

  it('are the first of a list that would fill what VS Code keeps', () => {
    const list = models(10_000, 1000);
    const kept = firstModels(list);
    assert.ok(kept.length > 900 && JSON.stringify(kept).length <= 1024 * 1024 + 2);
    assert.deepEqual(kept, list.slice(0, kept.length));
  });
});
