import assert from 'node:assert/strict';
import { valueAt } from '../../../src/base/nestedValues.ts';
import { countSet, restOf, withRest } from '../../../src/webview/generate/body.ts';

describe('the body of the Generate page', () => {
  const paths = [['input'], ['format', 'ratio'], ['config', 'video', 'task']];
  const body = {
    input: 'A cat',
    format: { ratio: '16:9', type: 'video' },
    config: { video: { task: 'edit' } },
    store: false,
  };

  it('is looked into along a path, never into what is inherited', () => {
    assert.equal(valueAt(body, ['config', 'video', 'task']), 'edit');
    assert.equal(valueAt(body, ['config', 'toString']), undefined);
    assert.equal(valueAt(body, ['input', 'length']), undefined);
  });

  it('can be split at the paths and put together again', () => {
    const rest = restOf(paths, body);
    assert.deepEqual(rest, { format: { type: 'video' }, store: false });
    assert.deepEqual(withRest(paths, body, rest), body);
    assert.deepEqual(withRest(paths, body, {}), {
      input: 'A cat',
      format: { ratio: '16:9' },
      config: { video: { task: 'edit' } },
    });
  });

  it('keeps a rest that is no object where a path leads through it', () => {
    const list = { format: [{ type: 'video' }] };
    assert.deepEqual(restOf(paths, list), list);
    assert.deepEqual(withRest(paths, body, list), {
      format: [{ type: 'video' }],
      input: 'A cat',
      config: { video: { task: 'edit' } },
    });
  });

  it('has as many fields set as can be reset one by one', () => {
    const schema = {
      properties: {
        format: { type: 'object', properties: { type: { type: 'string' }, delivery: { type: 'string' } } },
        labels: { type: 'object' },
      },
    };
    assert.equal(countSet(schema, {}), 0);
    assert.equal(countSet(schema, { format: { type: 'a', delivery: 'b' } }), 2);
    assert.equal(
      countSet(schema, { format: { type: 'a', future: { x: 1, y: 2 } }, labels: { a: 1, b: 2 } }),
      3,
    );
    assert.equal(countSet(schema, { format: [1, 2], other: null }), 2);
  });
});
