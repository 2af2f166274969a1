import assert from 'node:assert/strict';
import { findGatewayRequestId } from '../../../src/client/callIdentity.ts';

describe('the gateway’s request id', () => {
  const rows: readonly (readonly [
    source: string,
    headers: Readonly<Record<string, string | string[]>>,
    body: string | undefined,
    id: string | undefined,
  ])[] = [
    ['OpenAI', { 'x-request-id': 'req_1' }, undefined, 'req_1'],
    ['Anthropic', { 'request-id': 'req_1', 'cf-ray': 'ray' }, undefined, 'req_1'],
    ['new-api', { 'x-oneapi-request-id': '2026' }, undefined, '2026'],
    ['LiteLLM', { 'x-litellm-call-id': 'call' }, undefined, 'call'],
    ['OpenRouter', { 'x-generation-id': 'gen-1' }, undefined, 'gen-1'],
    ['DashScope', { 'x-dashscope-request-id': 'ds' }, undefined, 'ds'],
    ['the edge header if there is no other id', { 'cf-ray': 'ray-FRA' }, undefined, 'ray-FRA'],
    ['the body', {}, '{"code":"Throttling","message":"M","request_id":"r-1"}', 'r-1'],
    ['the body before the edge header', { 'cf-ray': 'ray' }, '{"requestId":"r-1"}', 'r-1'],
    ['an error in the body', {}, '[{"error":{"message":"M","request_id":"r-1"}}]', 'r-1'],
    ['a message of one-api', {}, '{"error":{"message":"M (request id: 20261122-ab)"}}', '20261122-ab'],
    [
      'our own id next to the gateway’s id',
      { 'x-request-id': 'ours', 'request-id': 'theirs' },
      undefined,
      'theirs',
    ],
    ['only our own id', { 'x-request-id': 'ours' }, '{"request_id":"ours"}', undefined],
    ['several ids', { 'x-request-id': ['ours', 'theirs'] }, undefined, 'theirs'],
    [
      'an id that cannot be shown',
      { 'x-request-id': 'a b', 'request-id': 'x'.repeat(201) },
      '{"request_id":7}',
      undefined,
    ],
    ['nothing', {}, 'not JSON', undefined],
  ];
  for (const [source, headers, body, id] of rows) {
    it(`is read correctly from ${source}`, () =>
      assert.equal(findGatewayRequestId(headers, body, 'ours'), id));
  }
});
