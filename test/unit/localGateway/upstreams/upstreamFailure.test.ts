import assert from 'node:assert/strict';
import { adaptErrorToGroup } from '../../../../src/localGateway/http/errorReply.ts';
import { noReplyError, redirectError } from '../../../../src/localGateway/upstreams/upstreamFailure.ts';

describe('an upstream that does not reply', () => {
  const upstream = { name: 'work', origin: 'https://models.example' };
  const failed = (code: string) => Object.assign(new Error('no answer'), { code });

  for (const [code, status] of [
    ['UND_ERR_HEADERS_TIMEOUT', 504],
    ['UND_ERR_BODY_TIMEOUT', 504],
    ['ECONNRESET', 502],
    ['EPIPE', 502],
  ] as const) {
    it(`F10 F33 may have processed a request that was sent: ${code}`, () => {
      const failure = noReplyError(upstream, failed(code), true);
      assert.deepEqual([failure.status, failure.neverSent], [status, false]);
      assert.equal(adaptErrorToGroup(failure, 'interactions'), failure);
    });

    it(`F10 has not processed a request that was not sent: ${code}`, () => {
      const error = adaptErrorToGroup(noReplyError(upstream, failed(code), false), 'interactions');
      assert.deepEqual([error.status, error.headers['x-should-retry']], [424, 'false']);
    });
  }
});

describe('an upstream that redirects', () => {
  const upstream = {
    name: 'work',
    origin: 'https://models.example',
    keyPlace: 'in the environment variable WORK_KEY',
  };
  const key = 'canary-upstream-key';

  it('is reported with the target, without the key if the target contains it', () => {
    const readMessage = (location: string) =>
      redirectError(upstream, { statusCode: 302, headers: { location } }, [key]).message;
    assert.match(readMessage('https://other.example/x'), /redirected to https:\/\/other\.example\./);
    assert.match(
      readMessage(`https://${key}.other.example/x`),
      /redirected to https:\/\/\[redacted\]\.other\.example\./,
    );
  });

  it('F33 is reported differently from another status below 400, such as 304', () => {
    for (const statusCode of [300, 304, 305, 399]) {
      const { status, message } = redirectError(upstream, { statusCode, headers: {} }, [key]);
      assert.equal(status, 502);
      assert.match(
        message,
        new RegExp(`^Upstream 'work' returned ${statusCode}, which is not a valid status`),
      );
    }
  });
});
