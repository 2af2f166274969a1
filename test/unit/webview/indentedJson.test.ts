import assert from 'node:assert/strict';
import fc from 'fast-check';
import { indentJson } from '../../../src/webview/chat/turns/indentedJson.ts';
import { assertLinear } from '../../support/linearCost.ts';

describe('indented JSON', () => {
  it('is the same as the output of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        assert.equal(indentJson(JSON.stringify(value)), JSON.stringify(value, null, 2));
        assert.equal(indentJson(JSON.stringify(value, null, '\t')), JSON.stringify(value, null, 2));
      }),
    );
  });

  it('F60 keeps the digits of numbers and duplicate names', () => {
    assert.equal(
      indentJson('{"n":12345678901234567890,"n":1.00,"e":[ ]}'),
      '{\n  "n": 12345678901234567890,\n  "n": 1.00,\n  "e": []\n}',
    );
  });

  it('is undefined if it would consist mostly of indentation', () => {
    const deep = (n: number) => `[${`${'['.repeat(19)}1${']'.repeat(19)},`.repeat(n)}1]`;
    assert.match(indentJson(deep(10)) ?? '', /\n {40}1\n/);
    assert.equal(indentJson(deep(5000)), undefined);
  });

  it('P9 takes linear time at any depth', () => {
    assertLinear((n) => `[${'{"a":"b","c":[1,2]},'.repeat(n)}0]`, indentJson, 1000);
    assertLinear((n) => '['.repeat(n) + ']'.repeat(n), indentJson, 1000);
  });
});
