import assert from 'node:assert/strict';
import { valueAt, withValue } from '../../../src/base/nestedValues.ts';

describe('nested values', () => {
  const object = { a: { b: 1 }, c: 'text' };

  it('are found by their path, but nothing that an object inherits', () => {
    assert.equal(valueAt(object, ['a', 'b']), 1);
    assert.equal(valueAt(object, []), object);
    for (const path of [['a', 'x'], ['c', 'length'], ['a', 'b', 'c'], ['toString'], ['__proto__', 'a']]) {
      assert.equal(valueAt(object, path), undefined, path.join('.'));
    }
  });

  it('are set without touching the object, with what is missing on the way', () => {
    assert.deepEqual(withValue(object, ['a', 'd', 'e'], 2), { a: { b: 1, d: { e: 2 } }, c: 'text' });
    assert.deepEqual(withValue(object, ['c', 'd'], 2), { a: { b: 1 }, c: { d: 2 } });
    assert.deepEqual(object, { a: { b: 1 }, c: 'text' });
    assert.equal(withValue(object, [], 2), object);
  });

  it('are taken out by undefined, with the objects that are left empty', () => {
    assert.deepEqual(withValue(object, ['a', 'b'], undefined), { c: 'text' });
    assert.deepEqual(withValue({ a: {} }, ['b'], {}), { a: {}, b: {} });
  });
});
