import assert from 'node:assert/strict';
import { convertedError } from '../../../../src/localGateway/conversion/conversion.ts';
import { errorBody } from '../../../../src/localGateway/errorFormat.ts';
import { converted, convertible, least, names, refusalOf } from './conversions.ts';

/** The error bodies of each format, and what they say. */
const told = [
  {
    status: 429,
    body: '{"error":{"message":"Slower.","type":"requests","param":null,"code":"rate_limit_exceeded"}}',
    says: ['Slower.', 'rate_limit_exceeded', undefined],
  },
  {
    status: 429,
    body: '[{"error":{"code":429,"message":"Slower.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"x","retryDelay":"21.5s"}]}}]',
    says: ['Slower.', 'RESOURCE_EXHAUSTED', '22'],
  },
  {
    status: 529,
    body: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    says: ['Overloaded', 'overloaded_error', undefined],
  },
  {
    status: 502,
    body: '<html><title>Bad gateway</title></html>',
    says: ['Bad gateway', 'upstream_error', undefined],
  },
  { status: 500, body: '', says: ['The upstream answered 500.', 'upstream_error', undefined] },
] as const;

describe('an error of an upstream', () => {
  for (const { status, body, says } of told) {
    it(`keeps its status, its words and when to come back: ${body.slice(0, 40)}`, () => {
      const error = convertedError(status, body);
      assert.deepEqual([error.message, error.code, error.headers['retry-after']], says);
      assert.equal(error.status, status);
      for (const format of convertible)
        assert.match(JSON.stringify(errorBody(error, format, 'r')), new RegExp(says[0]), format);
    });
  }

  it('under a good status is one for the caller, too', () => {
    const { reply } = converted('messages', 'chatCompletions', least.messages);
    const bytes = Buffer.from('\n\n{"error":{"message":"Slower.","code":"rate_limit_exceeded"}}');
    const refusal = refusalOf(() => reply(bytes, names));
    assert.deepEqual([refusal.status, refusal.message], [429, 'Slower.']);
  });

  it('that is no more than a part of a reply is one', () => {
    const { reply } = converted('messages', 'chatCompletions', least.messages);
    assert.equal(refusalOf(() => reply(Buffer.from('{"choices":[{"index":0,'), names)).status, 502);
  });
});
