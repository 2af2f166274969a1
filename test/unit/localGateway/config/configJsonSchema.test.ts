import assert from 'node:assert/strict';
import { Validator } from '@cfworker/json-schema';
import { createConfigJsonSchema } from '../../../../src/localGateway/config/configSchema.ts';
import { upstreamKinds } from '../../../../src/localGateway/upstreams/kinds/upstreamKinds.ts';

describe('the JSON schema of the configuration', () => {
  const schema = createConfigJsonSchema();
  const validator = new Validator(schema, '7', false);
  const one = { name: 'one', kind: 'openai-compatible', baseUrl: 'https://models.example/v1' };

  it('contains every kind of upstream, with a description of every field', () => {
    const text = JSON.stringify(schema);
    for (const { kind } of upstreamKinds) assert.ok(text.includes(`"const":"${kind}"`), kind);
    const undescribed: string[] = [];
    const look = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null) return;
      for (const [name, value] of Object.entries(node)) {
        if (name === 'properties')
          for (const [field, member] of Object.entries(value as object))
            if (!Object.hasOwn(member, 'description')) undescribed.push(`${path}.${field}`);
        look(value, name === 'properties' ? path : `${path}.${name}`);
      }
    };
    look(schema, '');
    assert.deepEqual(undescribed, [], 'give each of these fields of the configuration a description');
  });

  it('accepts a valid configuration, and rejects configurations of the wrong form', () => {
    const credentials = [{ name: 'ci', sha256: 'ab'.repeat(32), models: ['a*'], requestsPerMinute: 5 }];
    const aliases = [{ name: 'fast', models: ['one/a'], strategy: 'weighted', weights: { 'one/a': 2 } }];
    const limited = { ...one, allow: ['a*'], hide: ['b'], concurrentRequests: 2, waitingRequests: 0 };
    const config = { $schema: 'x', port: 8080, upstreams: [limited], aliases, credentials };
    assert.equal(validator.validate(config).valid, true);
    for (const wrong of [
      {},
      { upstreams: [{ ...one, kind: 'other' }] },
      { upstreams: [{ ...one, key: 'x' }] },
      { upstreams: [one], port: 0 },
      { upstreams: [{ ...one, concurrentRequests: 0 }] },
      { upstreams: [one], aliases: [{ name: 'fast' }] },
      { upstreams: [one], aliases: [{ name: 'fast', models: ['one/a'], strategy: 'other' }] },
      { upstreams: [one], credentials: [{ name: 'ci', sha256: 'short' }] },
    ]) {
      assert.equal(validator.validate(wrong).valid, false, JSON.stringify(wrong));
    }
  });
});
