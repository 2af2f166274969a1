import assert from 'node:assert/strict';
import { describeConnectionFailure } from '../../../src/localGateway/upstreams/upstreamFailure.ts';

describe('a failed connection to an upstream', () => {
  const failed = (code: string) => Object.assign(new Error('with Bearer test-key'), { code });

  it('is explained by its error code, never by its message', () => {
    const refused = 'the connection was refused; is it running?';
    assert.deepEqual(describeConnectionFailure(failed('ECONNREFUSED')), {
      cause: refused,
      hasTimedOut: false,
    });
    assert.equal(describeConnectionFailure(new AggregateError([failed('ECONNREFUSED')])).cause, refused);
    assert.equal(describeConnectionFailure(failed('UND_ERR_HEADERS_TIMEOUT')).hasTimedOut, true);
    assert.equal(describeConnectionFailure(failed('E_NEW')).cause, 'the connection failed (E_NEW)');
    for (const odd of [failed('ERR_ASSERTION'), new SyntaxError('in a bundle')])
      assert.equal(describeConnectionFailure(odd).cause, 'its reply is not HTTP, or was cut off');
    const late = { cause: 'it took too long', hasTimedOut: true };
    assert.deepEqual(describeConnectionFailure(new DOMException('', 'TimeoutError')), late);
    assert.equal(describeConnectionFailure('test-key').cause, 'the connection failed (unknown error)');
  });
});
