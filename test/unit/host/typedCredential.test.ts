import assert from 'node:assert/strict';
import { cleanCredential } from '../../../src/host/gateway/typedCredential.ts';

describe('F104 the pasted credential', () => {
  for (const pasted of [
    'test-credential',
    '  test-credential\t',
    'test-credential\r\n',
    '"test-credential"',
    "'test-credential'",
    '“test-credential”',
    'Bearer test-credential',
    '"Bearer test-credential"',
    '\u200Btest-\uFEFFcredential\u2060',
  ]) {
    it(`${JSON.stringify(pasted)} is cleaned`, () => {
      assert.deepEqual(cleanCredential(pasted), { ok: true, credential: 'test-credential' });
    });
  }

  for (const [pasted, problem] of [
    ['', 'empty'],
    [' "" ', 'empty'],
    ['test\r\nx-other: header', 'line-break'],
    ['test\ncredential', 'line-break'],
    ['test credential', 'space'],
    ['tést', 'unprintable'],
    ['test\u0000credential', 'unprintable'],
  ] as const) {
    it(`${JSON.stringify(pasted)} is refused as ${problem}`, () => {
      assert.deepEqual(cleanCredential(pasted), { ok: false, problem });
    });
  }
});
