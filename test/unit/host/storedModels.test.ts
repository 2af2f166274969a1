import assert from 'node:assert/strict';
import { selectStoredModels } from '../../../src/host/connection/storedModels.ts';

const models = (count: number, length: number) =>
  Array.from({ length: count }, (_, nth) => ({ id: `${'x'.repeat(length)}-${nth}`, owner: 'vendor' }));

describe('the models that are stored for the next start', () => {
  it('are all models of a list of usual size', () => {
    for (const list of [[], models(1, 20), models(5_000, 60)]) assert.equal(selectStoredModels(list), list);
  });

  it('are the first models of a list that is too large for the state of VS Code', () => {
    const list = models(10_000, 1000);
    const stored = selectStoredModels(list);
    assert.ok(stored.length > 900 && JSON.stringify(stored).length <= 1024 * 1024 + 2);
    assert.deepEqual(stored, list.slice(0, stored.length));
  });
});
