import assert from 'node:assert/strict';
import { valueAt } from '../../../src/base/nestedValues.ts';
import { countSetValues, removePaths, replaceRest } from '../../../src/webview/generate/fieldPaths.ts';

describe('the body of the Generate page', () => {
  const paths = [['input'], ['format', 'ratio'], ['config', 'video', 'task']];
  const body = {
    input: 'A cat',
    format: { ratio: '16:9', type: 'video' },
    config: { video: { task: 'edit' } },
    store: false,
  };

  it('is read along a path of own properties only', () => {
    assert.equal(valueAt(body, ['config', 'video', 'task']), 'edit');
    assert.equal(valueAt(body, ['config', 'toString']), undefined);
    assert.equal(valueAt(body, ['input', 'length']), undefined);
  });

  it('can be split at the paths and merged again', () => {
    const rest = removePaths(paths, body);
    assert.deepEqual(rest, { format: { type: 'video' }, store: false });
    assert.deepEqual(replaceRest(paths, body, rest), body);
    assert.deepEqual(replaceRest(paths, body, {}), {
      input: 'A cat',
      format: { ratio: '16:9' },
      config: { video: { task: 'edit' } },
    });
  });

  it('keeps a rest that is not an object at a path', () => {
    const list = { format: [{ type: 'video' }] };
    assert.deepEqual(removePaths(paths, list), list);
    assert.deepEqual(replaceRest(paths, body, list), {
      format: [{ type: 'video' }],
      input: 'A cat',
      config: { video: { task: 'edit' } },
    });
  });

  it('has a count of the values that can be reset separately', () => {
    const schema = {
      properties: {
        format: { type: 'object', properties: { type: { type: 'string' }, delivery: { type: 'string' } } },
        labels: { type: 'object' },
      },
    };
    assert.equal(countSetValues(schema, {}), 0);
    assert.equal(countSetValues(schema, { format: { type: 'a', delivery: 'b' } }), 2);
    assert.equal(
      countSetValues(schema, { format: { type: 'a', future: { x: 1, y: 2 } }, labels: { a: 1, b: 2 } }),
      3,
    );
    assert.equal(countSetValues(schema, { format: [1, 2], other: null }), 2);
  });
});
