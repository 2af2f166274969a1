import assert from 'node:assert/strict';
import {
  forwardReplyHeaders,
  forwardRequestHeaders,
} from '../../../src/localGateway/upstreams/forwardedHeaders.ts';

describe('the headers of a caller', () => {
  it('are forwarded to an upstream, except those of credentials, the connection, the client and proxies', () => {
    const forwarded = {
      'content-type': 'application/json',
      'user-agent': 'some-sdk/1.0',
      'x-unknown': 'yes',
      'x-stainless-os': 'Linux',
      traceparent: '00-1-2-01',
    };
    const dropped = [
      'authorization',
      'api-key',
      'x-api-key',
      'x-goog-api-key',
      'x-vendor-api-key',
      'cookie',
      'cookie2',
      'forwarded',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-proto',
      'x-real-ip',
      'via',
      'true-client-ip',
      'cf-connecting-ip',
      'x-client-ip',
      'x-original-url',
      'proxy-authorization',
      'connection',
      'keep-alive',
      'te',
      'trailer',
      'transfer-encoding',
      'upgrade',
      'expect',
      'host',
      'content-length',
      'origin',
      'sec-fetch-site',
    ];
    const sent = { ...forwarded, ...Object.fromEntries(dropped.map((name) => [name, 'x'])) };
    assert.deepEqual(forwardRequestHeaders(sent), forwarded);
    const headers = { ...forwarded, connection: 'close, X-Unknown , traceparent', 'keep-alive': '5' };
    const { 'x-unknown': _unknown, traceparent: _trace, ...rest } = forwarded;
    assert.deepEqual(forwardRequestHeaders(headers), rest);
  });

  it('are renamed to the names that providers know, which take precedence', () => {
    assert.deepEqual(
      forwardRequestHeaders({
        'vendor-version': '1',
        'vendor-beta': '2',
        'anthropic-beta': '3',
        'x-vendor-async': 'enable',
      }),
      { 'anthropic-version': '1', 'anthropic-beta': '3', 'x-dashscope-async': 'enable' },
    );
  });
});

describe('the headers of an upstream', () => {
  it('are returned to the caller, except those of the connection, the session and browsers', () => {
    const forwarded = {
      'content-type': 'application/json',
      'content-encoding': 'br',
      'content-length': '5',
      'retry-after': '7',
      'request-id': 'req_1',
      'anthropic-ratelimit-requests-remaining': '3',
      'x-litellm-response-cost': '0.01',
      'openai-processing-ms': '12',
    };
    const dropped = [
      'set-cookie',
      'www-authenticate',
      'connection',
      'keep-alive',
      'transfer-encoding',
      'trailer',
      'date',
      'server',
      'via',
      'alt-svc',
      'strict-transport-security',
      'location',
      'cache-control',
      'access-control-allow-origin',
      'content-security-policy',
      'proxy-authenticate',
      'refresh',
      'x-upstream',
      'x-gateway-conversion',
      'x-upstream-request-id',
    ];
    const sent = { ...forwarded, ...Object.fromEntries(dropped.map((name) => [name, 'x'])) };
    const expected = { ...forwarded, 'x-upstream': 'one', 'x-upstream-request-id': 'req_1' };
    assert.deepEqual(forwardReplyHeaders(sent, 'one', []), expected);
  });

  it('are dropped if the Connection header lists them, except content headers', () => {
    const headers = { connection: 'X-Hop, content-type', 'x-hop': '1', 'content-type': 'a/b', 'x-kept': '2' };
    assert.deepEqual(forwardReplyHeaders(headers, 'one', []), {
      'content-type': 'a/b',
      'x-kept': '2',
      'x-upstream': 'one',
    });
  });

  it('include the upstream’s request id as a separate header', () => {
    const of = (headers: Record<string, string>) =>
      forwardReplyHeaders(headers, 'one', [])['x-upstream-request-id'];
    assert.equal(of({ 'x-request-id': 'a', 'request-id': 'b' }), 'a');
    assert.equal(of({ 'x-dashscope-request-id': 'c' }), 'c');
    assert.equal(of({}), undefined);
    assert.equal(forwardReplyHeaders({ 'x-request-id': 'a' }, 'one', [])['x-request-id'], undefined);
  });

  it('P3 are dropped if they contain the key or invalid characters', () => {
    const headers = {
      'x-a': 'key canary-key!',
      'x-b': 'fine',
      'x-c': 'a\u0000b',
      'x-request-id': 'canary-key',
    };
    assert.deepEqual(forwardReplyHeaders(headers, 'one', ['canary-key']), {
      'x-b': 'fine',
      'x-upstream': 'one',
    });
    const cut = { 'x-a': 'key canary-key!', 'x-b': 'Bearer canary', 'x-c': '-key', 'x-d': 'fine' };
    assert.deepEqual(forwardReplyHeaders(cut, 'one', ['canary-key']), { 'x-upstream': 'one' });
  });
});
