import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hideSecretsInRecord, redact } from '../../../src/wire/secrets/redact.ts';

const secret = 'fake-credential-0123456789-abcdefghij';

describe('T21 redaction', () => {
  it('redacts a secret and every part of it of at least 12 characters', () => {
    assert.equal(redact(`a ${secret} b`, [secret]), 'a [redacted] b');
    for (let at = 0; at + 12 <= secret.length; at++) {
      const piece = secret.slice(at, at + 12);
      assert.equal(redact(`<${piece}>`, [secret]), '<[redacted]>');
    }
  });

  it('does not leave 12 characters of a secret in any mix of its parts', () => {
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

  it('redacts a short secret as a whole', () => {
    assert.equal(redact('pin 4711, not 47', ['4711']), 'pin [redacted], not 47');
    assert.equal(redact('unchanged', ['']), 'unchanged');
    for (const form of ['cEluLTg_', 'cEluLTg/', '%70%49%6e%2d%38%3f', '70496e2d383f'])
      assert.equal(redact(`<${form}>`, ['pIn-8?']), '<[redacted]>', form);
    assert.equal(redact('<cEluLTg>', ['pIn-8']), '<[redacted]>');
    assert.equal(
      redact('0x10, 0x20 and C:\\121 and \\u{1f600}', ['pIn-8']),
      '0x10, 0x20 and C:\\121 and \\u{1f600}',
    );
  });

  describe('of an encoded credential', () => {
    const credential = 'Qz7-canary.w_X9kLm2+Rt5/vB8=';
    const codes = (text: string, form: (code: number) => string) =>
      [...text].map((each) => form(each.charCodeAt(0))).join('');
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const hex = (text: string) => Buffer.from(text).toString('hex');
    const percent = (text: string) => codes(text, (code) => `%${code.toString(16).padStart(2, '0')}`);
    const encodings: Record<string, (text: string) => string> = {
      plain: (text) => text,
      base64,
      'base64 after one byte': (text) => base64(`:${text}`),
      'base64 after two bytes': (text) => base64(`u:${text}`),
      'base64 of a header': (text) => base64(`Authorization: Bearer ${text}\r\nAccept: */*`),
      base64url: (text) => Buffer.from(text).toString('base64url'),
      'base64 in lines': (text) => base64(text).replaceAll(/.{10}/g, '$&\r\n'),
      'percent-encoded base64': (text) => encodeURIComponent(base64(text)),
      'base64 twice': (text) => base64(base64(text)),
      'base64 twice, after a byte': (text) => base64(`.${base64(`.${text}`)}`),
      hex,
      'hex in capitals': (text) => hex(text).toUpperCase(),
      'hex with colons': (text) => hex(text).replaceAll(/../g, '$&:'),
      'hex of base64': (text) => hex(base64(text)),
      'base64 of hex': (text) => base64(hex(text)),
      'base64 of capitals': (text) => base64(`:${text.toUpperCase()}`),
      'base64 of small letters': (text) => base64(text.toLowerCase()),
      'base64 of the reversed text': (text) => base64([...text].reverse().join('')),
      'base64 of UTF-16': (text) => Buffer.from(text, 'utf16le').toString('base64'),
      'hex of capitals': (text) => hex(text.toUpperCase()),
      'hex of UTF-16': (text) => Buffer.from(text, 'utf16le').swap16().toString('hex'),
      'bytes of C': (text) => codes(text, (code) => `0x${code.toString(16)}, `),
      'octal escapes': (text) => codes(text, (code) => `\\${code.toString(8).padStart(3, '0')}`),
      'escapes of characters': (text) => codes(text, (code) => `\\u{${code.toString(16)}}`),
      'full-width letters': (text) => codes(text, (code) => String.fromCharCode(code + 0xfee0)),
      'in capitals': (text) => text.toUpperCase(),
      'in small letters': (text) => text.toLowerCase(),
      'percent-encoded where it must be': encodeURIComponent,
      'percent-encoded in part': (text) => percent(text.slice(0, 5)) + text.slice(5),
      'percent-encoded': percent,
      'percent-encoded in capitals': (text) => percent(text).toUpperCase(),
      'percent-encoded twice': (text) => encodeURIComponent(percent(text)),
      'percent-encoded in units': (text) => codes(text, (code) => `%u${code.toString(16).padStart(4, '0')}`),
      'JSON escapes': (text) => codes(text, (code) => `\\u${code.toString(16).padStart(4, '0')}`),
      'JSON escapes in JSON': (text) => codes(text, (code) => `\\\\u${code.toString(16).padStart(4, '0')}`),
      'escapes in braces': (text) => codes(text, (code) => `\\x{${code.toString(16)}}`),
      'escapes of JavaScript': (text) => codes(text, (code) => `\\x${code.toString(16).padStart(2, '0')}`),
      'entities of HTML': (text) => codes(text, (code) => `&#${code};`),
      'entities of HTML in hex': (text) => codes(text, (code) => `&#x${code.toString(16)};`),
      'soft hyphens of HTML in between': (text) => [...text].join('&shy;'),
      'zero-width spaces of JSON in between': (text) => [...text].join('\\u200b'),
      'a buffer in JSON': (text) => JSON.stringify(Buffer.from(text)),
      'octets with spaces': (text) => [...Buffer.from(text)].join(' '),
      reversed: (text) => [...text].reverse().join(''),
      'spaces in between': (text) => [...text].join(' '),
      'hyphens in between': (text) => [...text].join('-'),
      'zero-width spaces in between': (text) => [...text].join('\u200b'),
      'line breaks in between': (text) => text.replaceAll(/.{4}/g, '$&\n'),
      'spaces in between in JSON': (text) => [...text].join('\\n'),
    };
    for (const [name, encode] of Object.entries(encodings)) {
      it(`replaces it in the form: ${name}`, () => {
        const encoded = encode(credential);
        const hidden = redact(`before <${encoded}> after`, [credential]);
        assert.match(hidden, /^before <.*\[redacted\].*> after$/s);
        const coded = encoded.length - encode('').length;
        const visibleLength =
          hidden.replace('[redacted]', '').length - 'before <> after'.length - encode('').length;
        // The remainder at the edges of an encoding reveals less than one group of it.
        assert.ok(visibleLength <= Math.min(8, coded / 5), hidden);
      });

      it(`replaces pieces of 11 characters in the form: ${name}`, () => {
        for (let at = 0; at + 11 <= credential.length; at++) {
          const piece = encode(credential.slice(at, at + 11));
          assert.match(redact(`<${piece}>`, [credential]), /\[redacted\]/, piece);
        }
      });
    }
  });

  describe('of a short credential', () => {
    it('replaces one letter only where it is used as a credential', () => {
      const text = 'a model that has a name is a model';
      assert.equal(redact(text, ['a']), text);
      assert.equal(redact('Bearer a is wrong', ['a']), 'Bearer [redacted] is wrong');
      assert.equal(redact('{"api_key":"a"}', ['a']), '{"api_key":"[redacted]"}');
      assert.equal(redact('Invalid key "a"', ['a']), 'Invalid key "[redacted]"');
    });

    it('replaces a whole word, in any case and encoding', () => {
      const form = (each: string) => redact(`got ${each}, and no tested one`, ['test']);
      for (const each of ['test', 'TEST', 'dGVzdA==', '74657374']) {
        assert.equal(form(each), 'got [redacted], and no tested one');
      }
    });

    it('does not replace one repeated letter inside a longer run', () => {
      assert.equal(redact('----------------', ['--------']), '----------------');
      assert.equal(redact('aaaaaaaaaaaaaaaa aaaaaaaa', ['aaaaaaaa']), 'aaaaaaaaaaaaaaaa [redacted]');
    });

    it('matches regular expression characters literally', () => {
      assert.equal(redact('got a.c* and abc', ['a.c*']), 'got [redacted] and abc');
    });
  });

  it('does not change text without a secret', () => {
    const prose =
      'The model `demo/chat` does not exist; see https://gateway.example/v1/models?limit=20 (100% sure).';
    const data = Buffer.from(Array.from({ length: 6000 }, (_, at) => (at * 7919) % 251)).toString('base64');
    assert.equal(redact(prose, [secret, 'Qz7w0X9kLm2Rt5vB8']), prose);
    assert.equal(redact(data, ['Qz7w0X9kLm2Rt5vB8']), data);
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
    ['Bearer x', 'Bearer [redacted]'],
    ['Bearer%20abcdefgh', 'Bearer%20[redacted]'],
    ['https:\\/\\/user:pass@host.example\\/p', 'https:\\/\\/[redacted]@host.example\\/p'],
    [`https://user:${'x'.repeat(2000)}@host.example/p`, 'https://[redacted]@host.example/p'],
    ['https://user:p@ss@host.example/p', 'https://[redacted]@host.example/p'],
    ['https://tos.example/v.mp4?a=1\\u0026X-Tos-Signature=2"', 'https://tos.example/v.mp4?[redacted]"'],
    ['https://cdn.example/v.mp4?a=1&amp;Signature=2', 'https://cdn.example/v.mp4?[redacted]'],
    ['https://cos.example/v.mp4?q-sign-algorithm=sha1&q-ak=2', 'https://cos.example/v.mp4?[redacted]'],
    ['https://cdn.example/v.mp4?Policy=1&Key-Pair-Id=2', 'https://cdn.example/v.mp4?[redacted]'],
    ['https://cdn.example/v.mp4?auth_key=1-0-0-2', 'https://cdn.example/v.mp4?[redacted]'],
  ];
  for (const [text, hidden] of rows) {
    it(`T22 returns ${hidden.slice(0, 80)} for ${text.slice(0, 80)}`, () =>
      assert.equal(redact(text, []), hidden));
  }

  it('P9 is not quadratic for hostile text', () => {
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
      '%25',
      '\\u0041',
      '\\\\',
      '&amp;',
      'https://a?sig=',
      'https://u:',
      secret,
    ];
    // Quadratic time would exceed the time limit of a test.
    for (const piece of hostile) redact(piece.repeat(200_000 / piece.length), [secret]);
  });

  it('P9 accepts an address of any length', () => {
    const address = `https://${'a'.repeat(20_000_000)}`;
    assert.equal(redact(address, []).length, address.length);
  });

  it('P3 redacts a credential in a stored record, and leaves names and addresses unchanged', () => {
    const encoded = Buffer.from(secret).toString('hex');
    const record = (key: string, own: string) => ({
      id: 'task-1',
      model: 'fake-credential/video',
      request: { headers: [`Bearer ${key}`], key: own },
      results: [{ url: `https://gateway.example/v/1?key=${secret}` }],
      progress: 50,
      error: null,
    });
    assert.deepEqual(
      hideSecretsInRecord(record(secret, encoded), [secret]),
      record('[redacted]', '[redacted]'),
    );
    assert.deepEqual(hideSecretsInRecord(record('x', 'y'), []), record('x', 'y'));
  });

  it('T24 F60 accepts records of any depth and with any names', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`);
    JSON.stringify(hideSecretsInRecord(deep, [secret]));
    hideSecretsInRecord(JSON.parse('{"__proto__":{"polluted":1}}'), [secret]);
    assert.equal('polluted' in {}, false);
  });
});
