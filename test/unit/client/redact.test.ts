import assert from 'node:assert/strict';
import fc from 'fast-check';
import { redact } from '../../../src/client/redact.ts';

const secret = 'fake-credential-0123456789-abcdefghij';

describe('T21 redaction', () => {
  it('hides a secret and every piece of it from 12 characters on', () => {
    assert.equal(redact(`a ${secret} b`, [secret]), 'a [redacted] b');
    for (let at = 0; at + 12 <= secret.length; at++) {
      const piece = secret.slice(at, at + 12);
      assert.equal(redact(`<${piece}>`, [secret]), '<[redacted]>');
    }
  });

  it('leaves no 12 characters of a secret, wherever it is cut and pasted', () => {
    const pieces = fc.array(
      fc.oneof(
        fc.string(),
        fc.tuple(fc.nat(36), fc.nat(36)).map(([a, b]) => secret.slice(a, b)),
      ),
    );
    fc.assert(
      fc.property(pieces, (parts) => {
        const hidden = redact(parts.join(''), [secret]);
        for (let at = 0; at + 12 <= secret.length; at++)
          assert.ok(!hidden.includes(secret.slice(at, at + 12)));
      }),
    );
  });

  it('hides a short secret whole', () => {
    assert.equal(redact('pin 4711, not 47', ['4711']), 'pin [redacted], not 47');
    assert.equal(redact('unchanged', ['']), 'unchanged');
  });

  const rows: readonly (readonly [text: string, hidden: string])[] = [
    ['authorization: Bearer abcdefgh', 'authorization: Bearer [redacted]'],
    ['{"authorization":"Basic dXNlcjpw"}', '{"authorization":"Basic [redacted]"}'],
    ['Incorrect API key provided: sk-test-000000', 'Incorrect API key provided: sk-[redacted]'],
    ['GET /v1/models?key=abcdef&x=1', 'GET /v1/models?key=[redacted]&x=1'],
    ['x-vendor-api-key: abcdef', 'x-vendor-api-key: [redacted]'],
    ['{"access_token":"abcdef"}', '{"access_token":"[redacted]"}'],
    ['password=abcdef;', 'password=[redacted];'],
    ['https://user:pass@host.example/p', 'https://[redacted]@host.example/p'],
    [
      'at https://cdn.example/v.mp4?X-Amz-Date=1&X-Amz-Signature=2 now',
      'at https://cdn.example/v.mp4?[redacted] now',
    ],
    ['https://cdn.example/v.mp4?Expires=1&OSSAccessKeyId=2', 'https://cdn.example/v.mp4?[redacted]'],
    ['https://cdn.example/v.mp4?sv=1&sig=2', 'https://cdn.example/v.mp4?[redacted]'],
    ['https://gateway.example/v1/tasks?limit=20', 'https://gateway.example/v1/tasks?limit=20'],
    ['used 12 tokens: fine', 'used 12 tokens: fine'],
  ];
  for (const [text, hidden] of rows) {
    it(`T22 ${text}`, () => assert.equal(redact(text, []), hidden));
  }

  it('P9 takes no longer for hostile text than for its length', () => {
    const hostile = [
      'http://a?',
      'a://',
      'a.',
      'a@',
      'key=',
      'api-key',
      'key ',
      'Bearer ',
      'sk-',
      'token',
      `${secret.slice(0, 11)}!`,
    ];
    // Quadratic time would be minutes here.
    for (const piece of hostile) redact(piece.repeat(500_000 / piece.length), [secret]);
  });
});
