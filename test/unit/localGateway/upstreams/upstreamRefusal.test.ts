import assert from 'node:assert/strict';
import { readRefusal } from '../../../../src/localGateway/upstreams/upstreamFailure.ts';

describe('the refusal of an upstream', () => {
  async function isKeyAtFault(status: number, code: string): Promise<boolean> {
    const error = Buffer.from(JSON.stringify({ error: { code, message: 'Refused' } }));
    const body = { readBeginning: async () => error };
    const reply = { statusCode: status, headers: { 'content-type': 'application/json' }, body };
    const upstream = { name: 'one', baseUrl: 'http://127.0.0.1:1' };
    const { keyFault } = await readRefusal(upstream as never, reply as never, [], true);
    return keyFault !== undefined;
  }

  it('P5 lets another key be tried, but not after a reply that may be billed', async () => {
    for (const [status, code, expected] of [
      [401, 'invalid_api_key', true],
      [402, 'insufficient_quota', true],
      [429, 'rate_limit_exceeded', true],
      [403, 'insufficient_quota', true],
      [403, 'content_policy_violation', false],
      [400, 'invalid_value', false],
      [408, 'insufficient_quota', false],
      [503, 'insufficient_quota', false],
    ] as const)
      assert.equal(await isKeyAtFault(status, code), expected, `${status} ${code}`);
  });
});
