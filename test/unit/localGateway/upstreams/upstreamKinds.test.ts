import assert from 'node:assert/strict';
import * as z from 'zod';
import { parseConfig } from '../../../../src/localGateway/config/configFile.ts';
import { ConfigError } from '../../../../src/localGateway/config/configSchema.ts';
import { createRegionalAddress } from '../../../../src/localGateway/upstreams/kinds/cloudPlatform.ts';
import { upstreamKinds } from '../../../../src/localGateway/upstreams/kinds/upstreamKinds.ts';
import { upstreamFields } from '../../../../src/localGateway/upstreams/upstreamConfig.ts';
import { openConfiguredUpstream } from '../../../support/configuredUpstream.ts';

const common = { name: 'one', baseUrl: 'https://models.example' };
const cloud = { ...common, kind: 'cloud-platform', project: 'demo-1', location: 'us-east5' };

describe('the kinds of upstreams', () => {
  function assertRefused(upstream: object, pattern: RegExp): void {
    assert.throws(
      () => parseConfig(JSON.stringify({ upstreams: [upstream] }), 'gateway.json'),
      (error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, pattern);
        return true;
      },
    );
  }

  it('have a description for every field of their configuration', () => {
    for (const { kind, fields } of upstreamKinds) {
      const schema = z.toJSONSchema(z.strictObject({ ...upstreamFields.shape, ...fields }), { io: 'input' });
      for (const [name, field] of Object.entries(schema.properties ?? {})) {
        const described = typeof field === 'object' ? field.description : undefined;
        assert.ok(described, `${kind}: ${name}`);
        assert.match(described, /^[A-Z~].*\.$/, `${kind}: ${name}`);
      }
    }
  });

  it('need only the common fields, except for the cloud platform', async () => {
    for (const { kind } of upstreamKinds) {
      const upstream = openConfiguredUpstream({ ...cloud, ...(kind !== 'cloud-platform' && bare(kind)) });
      assert.equal(upstream.name, 'one');
      await upstream.close();
    }
    assertRefused({ ...common, kind: 'cloud-platform' }, /project: expected a string; it is missing/);
    assertRefused({ ...common, kind: 'cloud-platform' }, /location: expected a string; it is missing/);
  });

  it('reject fields of other kinds and invalid values', () => {
    assertRefused({ ...common, kind: 'messages', project: 'demo-1' }, /project: there is no such field/);
    assertRefused(
      { ...common, kind: 'openai-compatible', formats: ['contentGeneration'] },
      /formats\[0\]: expected one of "chatCompletions", "responses", "messages"; got "contentGeneration"/,
    );
    assertRefused({ ...common, kind: 'openai-compatible', formats: [] }, /formats: expected .* at least 1/);
    assertRefused({ ...cloud, location: '../x' }, /location: expected lower-case letters/);
    assertRefused({ ...cloud, project: 'a/b' }, /project: expected the id of a project/);
    assertRefused(
      { ...cloud, regionalUrl: 'http://models.example' },
      /regionalUrl: expected an https address/,
    );
  });

  it('accept only one source for the key', () => {
    const messages = { ...common, kind: 'messages' };
    assertRefused(
      { ...messages, keyEnv: 'A_KEY', keyCommand: 'print-key' },
      /upstreams\[0\]\.keyCommand: there is already a keyEnv; use only one of them/,
    );
    assertRefused({ ...messages, keyCommand: 'x', keyFile: '/x' }, /keyFile: there is already a keyCommand/);
    const keys = [{ keyEnv: 'A_KEY' }];
    assertRefused({ ...messages, keyEnv: 'A_KEY', keys }, /keys: there is already a keyEnv/);
    assertRefused({ ...messages, keys: [] }, /keys: expected .* at least 1/);
    assertRefused(
      { ...messages, keys: [{ name: 'a' }] },
      /keys\[0\]: expected keyEnv, keyCommand or keyFile/,
    );
    assertRefused(
      { ...messages, keys: [{ keyEnv: 'A_KEY', keyFile: '/x' }] },
      /keys\[0\]\.keyFile: there is already a keyEnv/,
    );
    assertRefused({ ...messages, keys: [{ key: 'canary' }] }, /keys\[0\]\.key: "key" is not a field/);
    assertRefused(
      {
        ...messages,
        keys: [
          { name: 'a', keyEnv: 'A_KEY' },
          { name: 'a', keyEnv: 'B_KEY' },
        ],
      },
      /keys\[1\]\.name: this name is already taken/,
    );
    assertRefused({ ...messages, keyFile: 'token' }, /keyFile: expected an absolute path/);
    for (const keyFile of ['/run/token', '~/token', 'C:\\token', '\\\\host\\token']) {
      const text = JSON.stringify({ upstreams: [{ ...messages, keyFile }] });
      assert.equal(parseConfig(text, 'x').config.upstreams[0]?.keyFile, keyFile);
    }
  });

  it('use the regional address of the cloud platform', () => {
    for (const [base, location, regional] of [
      ['https://cloud.example/', 'us-east5', 'https://us-east5-cloud.example/'],
      ['https://cloud.example:8443/x', 'us-east5', 'https://us-east5-cloud.example:8443/x'],
      ['https://us-east5-cloud.example/', 'us-east5', 'https://us-east5-cloud.example/'],
      ['https://cloud.example/', 'global', 'https://cloud.example/'],
      ['https://aiplatform.cloud.example/', 'eu', 'https://aiplatform.eu.rep.cloud.example/'],
      ['https://aiplatform.us.rep.cloud.example/', 'us', 'https://aiplatform.us.rep.cloud.example/'],
      ['http://127.0.0.1:1/', 'us-east5', 'http://127.0.0.1:1/'],
      ['http://[::1]:1/', 'us-east5', 'http://[::1]:1/'],
      ['http://localhost:1/', 'us-east5', 'http://localhost:1/'],
    ] as const) {
      assert.equal(createRegionalAddress(new URL(base), location).href, regional);
    }
  });
});

function bare(kind: string): object {
  return { kind, project: undefined, location: undefined };
}
