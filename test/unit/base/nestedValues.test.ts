import assert from 'node:assert/strict';
import { valueAt, withValue } from '../../../src/base/nestedValues.ts';

describe('nested values', () => {
  const object = { a: { b: 1 }, c: 'text' };

  it('are found by their path, without inherited properties', () => {
    assert.equal(valueAt(object, ['a', 'b']), 1);
    assert.equal(valueAt(object, []), object);
    for (const path of [['a', 'x'], ['c', 'length'], ['a', 'b', 'c'], ['toString'], ['__proto__', 'a']]) {
      assert.equal(valueAt(object, path), undefined, path.join('.'));
    }
  });

  it('are set in a copy of the object, together with missing parents', () => {
    assert.deepEqual(withValue(object, ['a', 'd', 'e'], 2), { a: { b: 1, d: { e: 2 } }, c: 'text' });
    assert.deepEqual(withValue(object, ['c', 'd'], 2), { a: { b: 1 }, c: { d: 2 } });
    assert.deepEqual(object, { a: { b: 1 }, c: 'text' });
    assert.equal(withValue(object, [], 2), object);
  });

  it('are removed by undefined, together with parents that become empty', () => {
    assert.deepEqual(withValue(object, ['a', 'b'], undefined), { c: 'text' });
    assert.deepEqual(withValue({ a: {} }, ['b'], {}), { a: {}, b: {} });
  });
});
