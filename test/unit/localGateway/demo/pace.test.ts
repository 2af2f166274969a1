import assert from 'node:assert/strict';
import fc from 'fast-check';
import { choosePace, paceItems } from '../../../../src/localGateway/demo/demoUpstream.ts';
import { createRandom } from '../../../../src/localGateway/demo/seededRandom.ts';

describe('the pace of the demo models', () => {
  it('is realistic, and the same for the same conversation', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const { firstMs, tokenMs } = choosePace(createRandom(text));
        assert.ok(firstMs >= 150 && firstMs <= 400);
        assert.ok(1000 / tokenMs >= 80 && 1000 / tokenMs <= 120);
        assert.deepEqual(choosePace(createRandom(text)), { firstMs, tokenMs });
      }),
    );
  });

  it('can be set', () => {
    assert.equal(choosePace(createRandom(''), 20).tokenMs, 50);
    assert.deepEqual(choosePace(createRandom(''), 0), { firstMs: 0, tokenMs: 0 });
  });

  it('stops waiting as soon as the signal is aborted', async () => {
    const caller = new AbortController();
    const tokens = paceItems(['a', 'b'], { firstMs: 0, tokenMs: 3_600_000 }, createRandom(''), caller.signal);
    assert.equal((await tokens.next()).value, 'a');
    const second = tokens.next();
    caller.abort();
    await assert.rejects(second, { name: 'AbortError' });
  });
});
