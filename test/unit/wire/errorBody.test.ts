import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readErrorBody } from '../../../src/wire/failures/errorBody.ts';

describe('the message of an error body', () => {
  const rows: readonly (readonly [form: string, body: string, message: string | undefined])[] = [
    ['OpenAI', '{"error":{"message":"M","type":"t","param":null,"code":null}}', 'M'],
    ['Google', '{"error":{"code":429,"message":"M","status":"S","details":[]}}', 'M'],
    ['Google in an array', '[{"error":{"code":429,"message":"M"}}]', 'M'],
    ['Anthropic', '{"type":"error","error":{"type":"t","message":"M"},"request_id":"r"}', 'M'],
    ['DashScope', '{"code":"InvalidApiKey","message":"M","request_id":"r"}', 'M'],
    ['a code and msg', '{"code":20012,"msg":"M","data":null}', 'M'],
    ['success false', '{"success":false,"message":"M"}', 'M'],
    ['FastAPI as text', '{"detail":"M"}', 'M'],
    ['FastAPI as a list', '{"detail":[{"loc":["body"],"msg":"M","type":"t"}]}', 'M'],
    ['only a title', '{"title":"M","status":404}', 'M'],
    ['an error as text', '{"error":"M"}', 'M'],
    ['a list of errors', '{"errors":[{"message":"M"}]}', 'M'],
    ['err', '{"err":"M"}', 'M'],
    ['error_msg', '{"error_msg":"M"}', 'M'],
    ['errorMessage', '{"errorMessage":"M"}', 'M'],
    ['MiniMax', '{"base_resp":{"status_code":1004,"status_msg":"M"}}', 'M'],
    ['a JSON string', '"M"', 'M'],
    ['a web page', '<html><head><title> M\n </title></head></html>', 'M'],
    ['plain text', '  M\n', 'M'],
    ['nothing', '', undefined],
    ['null', 'null', undefined],
    ['an empty object', '{}', undefined],
    ['an empty array', '[]', undefined],
    ['a nested error', JSON.stringify({ error: { message: '{"error":{"message":"M"}}' } }), 'M'],
    [
      'an error nested twice',
      JSON.stringify({
        error: { message: JSON.stringify({ error: { message: '[{"error":{"message":"M"}}]' } }) },
      }),
      'M',
    ],
    ['text in braces', '{"error":{"message":"{not JSON}"}}', '{not JSON}'],
  ];
  for (const [form, body, message] of rows) {
    it(`is found in ${form}`, () => assert.equal(readErrorBody(body).message, message));
  }

  it('is returned with the codes of every layer', () => {
    const inner = { error: { code: 429, message: 'M', status: 'RESOURCE_EXHAUSTED' } };
    const report = readErrorBody(
      JSON.stringify({ error: { message: JSON.stringify(inner), type: 'upstream_error' } }),
    );
    assert.deepEqual(report, { message: 'M', words: ['upstream_error', 'RESOURCE_EXHAUSTED'], code: 429 });
  });

  it('is returned with the retry delay of Google', () => {
    const details = [{ '@type': 'Help' }, { '@type': 'RetryInfo', retryDelay: '22.5s' }];
    assert.equal(readErrorBody(JSON.stringify({ error: { details } })).retryDelayMs, 22_500);
  });

  it('F36 is cut at 2048 characters', () => {
    assert.equal(readErrorBody('x'.repeat(5000)).message?.length, 2049);
  });

  it('F39 is found in nested lists at any depth', () => {
    const depth = 32_000;
    const nested = (inner: string) => '['.repeat(depth) + inner + ']'.repeat(depth);
    assert.equal(readErrorBody(nested('{"message":"Not today."}')).message, 'Not today.');
    assert.deepEqual(readErrorBody(nested('1')), { words: [] });
  });

  it('F39 is read from any body without an exception', () => {
    fc.assert(fc.property(fc.json({ maxDepth: 6 }), (json) => void readErrorBody(json)));
    fc.assert(fc.property(fc.string(), (text) => void readErrorBody(text)));
    readErrorBody('{"error":{"details":[{"retryDelay":{"toString":1}}]}}');
    for (const strange of ['{"toString":1}', `${'['.repeat(32_000)}${']'.repeat(32_000)}`]) {
      assert.deepEqual(readErrorBody(`{"base_resp":{"status_code":${strange}}}`).words, []);
      assert.equal(readErrorBody(`{"detail":[{"loc":["body",${strange}],"msg":"M"}]}`).message, 'M');
    }
    const members = fc.constantFrom(
      'error',
      'message',
      'detail',
      'errors',
      'base_resp',
      'code',
      'details',
      'metadata',
    );
    const bodies = fc.dictionary(members, fc.jsonValue());
    fc.assert(fc.property(bodies, (body) => void readErrorBody(JSON.stringify({ error: body, ...body }))));
  });
});
