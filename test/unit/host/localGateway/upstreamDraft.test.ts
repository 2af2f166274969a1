import assert from 'node:assert/strict';
import {
  createUpstreamEntry,
  newUpstreamDraft,
  readUpstreamAddress,
  upstreamNameProblem,
  withAddress,
} from '../../../../src/host/gateway/local/upstreamDraft.ts';
import { unusedName, upstreamPresets } from '../../../../src/host/gateway/local/upstreamPresets.ts';
import { maxRestarts, pauseBefore } from '../../../../src/host/gateway/restartPauses.ts';
import { upstream } from '../../../../src/localGateway/config/configSchema.ts';
import { upstreamKinds } from '../../../../src/localGateway/upstreams/kinds/upstreamKinds.ts';

describe('a new upstream', () => {
  it('has an offer with a valid configuration for every kind that the gateway supports', () => {
    const kinds = upstreamKinds.map(({ kind }) => kind);
    const offers = upstreamPresets.filter(({ kind }) => kinds.includes(kind));
    assert.deepEqual(new Set(offers.map(({ kind }) => kind)), new Set(kinds), 'add an offer for each kind');
    for (const offer of offers) {
      const draft = newUpstreamDraft(offer, []);
      const { baseUrl } = draft;
      const fields = { ...draft.fields, ...(offer.fields && { project: 'my-project' }) };
      const entry = createUpstreamEntry({
        ...draft,
        fields,
        baseUrl: baseUrl === '' ? 'https://models.example/v1' : baseUrl,
      });
      const result = upstream.safeParse(entry);
      assert.ok(result.success, `${offer.id}: ${result.error?.message}`);
      assert.equal(upstreamNameProblem(entry.name, []), undefined);
    }
  });

  it('contains the command for its key if there is one, and never a key', () => {
    const cloud = upstreamPresets.find(({ id }) => id === 'cloud');
    const openai = upstreamPresets.find(({ id }) => id === 'openai');
    assert.ok(cloud && openai);
    const draft = { ...newUpstreamDraft(cloud, []), command: 'print-token', key: 'canary' };
    assert.equal(createUpstreamEntry(draft).keyCommand, 'print-token');
    assert.equal(createUpstreamEntry(newUpstreamDraft(openai, [])).keyCommand, undefined);
    assert.doesNotMatch(JSON.stringify(createUpstreamEntry(draft)), /canary/);
  });

  it('of OpenAI uses chat completions and responses', () => {
    const [openai] = upstreamPresets;
    assert.ok(openai);
    assert.deepEqual(createUpstreamEntry(newUpstreamDraft(openai, [])).formats, [
      'chatCompletions',
      'responses',
    ]);
  });

  it('loses its key when its origin changes', () => {
    const offer = upstreamPresets.find(({ id }) => id === 'compatible');
    assert.ok(offer);
    const draft = {
      ...withAddress(newUpstreamDraft(offer, []), ['https://models.example/v1']),
      key: 'canary',
    };
    assert.equal(withAddress(draft, ['https://models.example/v2']).key, 'canary');
    assert.equal(withAddress(draft, ['https://other.example/v1']).key, '');
    assert.equal(withAddress(draft, ['https://models.example:8443/v1']).key, '');
  });

  it('gets a unique and valid name', () => {
    assert.equal(unusedName('ollama', []), 'ollama');
    assert.equal(unusedName('ollama', ['ollama', 'ollama-2']), 'ollama-3');
    const long = 'a'.repeat(32);
    assert.equal(upstreamNameProblem(unusedName(long, [long]), [long]), undefined);
    assert.equal(upstreamNameProblem('ollama', ['ollama']), 'taken');
    assert.equal(upstreamNameProblem('demo', []), 'taken');
    for (const name of ['', 'A', 'a b', '-a', 'a/b', 'a'.repeat(33)])
      assert.equal(upstreamNameProblem(name, []), 'form');
  });

  for (const [typed, path, ...others] of [
    ['https://m.example/v1/', '/v1', '', '/api/v1'],
    [' m.example/v1 ', '/v1', '', '/api/v1'],
    ['https://m.example/api/v1', '/api/v1', '/api', '/v1'],
    ['HTTPS://M.Example', '/v1', '', '/api/v1'],
    ['m.example:8443/', '/v1', '', '/api/v1'],
    ['https://m.example/api', '/api/v1', '/api', '/v1'],
    ['https://m.example//compat/', '/compat', '/compat/v1'],
    ['https://m.example/v1/chat/completions', '/v1', '', '/api/v1'],
    ['https://m.example/v1/models?limit=5', '/v1', '', '/api/v1'],
    ['https://m.example/v1/images/generations', '/v1', '', '/api/v1'],
    ['https://m.example/v1/models/a/b', '/v1', '', '/api/v1'],
    ['https://m.example/proxy/v1/messages/count_tokens', '/proxy/v1', '/proxy'],
    ['http://0.0.0.0:8000', '/v1', '', '/api/v1'],
    ['https://m.example/chat/completions', '/v1', '', '/api/v1'],
    ['https://m.example/v1beta/openai/', '/v1beta/openai'],
    ['"https://m.example/paas/v4"', '/paas/v4', '/paas'],
  ] as const)
    it(`at ${typed} is tried below ${[path, ...others].map((each) => each || '/').join(', ')}`, () => {
      const reading = readUpstreamAddress(typed, 'openai-compatible');
      assert.ok(reading.ok);
      const origins = new Set(reading.candidates.map((url) => new URL(url).origin));
      assert.equal(origins.size, 1);
      const [origin = ''] = origins;
      assert.deepEqual(
        reading.candidates.map((url) => url.slice(origin.length)),
        [path, ...others],
      );
    });

  it('of the kind messages is tried only at its address without the endpoint path', () => {
    assert.deepEqual(readUpstreamAddress('https://m.example/anthropic/v1/messages/', 'messages'), {
      ok: true,
      candidates: ['https://m.example/anthropic/v1'],
    });
  });

  it('T5 may use plain http in a private network, with plainHttp in its entry', () => {
    const offer = upstreamPresets.find(({ id }) => id === 'compatible');
    assert.ok(offer);
    for (const typed of ['http://192.168.1.5:8000', '10.0.0.7:8000', 'http://models.lan:8000']) {
      const reading = readUpstreamAddress(typed, 'openai-compatible');
      assert.ok(reading.ok, typed);
      const entry = createUpstreamEntry(withAddress(newUpstreamDraft(offer, []), reading.candidates));
      assert.equal(entry.plainHttp, true, typed);
      assert.ok(upstream.safeParse(entry).success, typed);
      assert.ok(!upstream.safeParse({ ...entry, plainHttp: undefined }).success, typed);
    }
    assert.equal(
      createUpstreamEntry(withAddress(newUpstreamDraft(offer, []), ['https://m.example'])).plainHttp,
      undefined,
    );
  });

  it('T5 cannot have a public address with plain http, or an address with credentials or a query', () => {
    for (const [typed, problem] of [
      ['', 'empty'],
      ['https://', 'not-an-address'],
      ['http://8.8.8.8', 'plain-http'],
      ['http://169.254.169.254/v1', 'plain-http'],
      ['ftp://127.0.0.1', 'not-http'],
      ['https://me:word@models.example', 'contains-credentials'],
      ['https://models.example/?key=x', 'contains-query'],
      ['https://models.example/#x', 'contains-query'],
    ] as const)
      assert.deepEqual(readUpstreamAddress(typed, 'openai-compatible'), { ok: false, problem }, typed);
  });
});

describe('the pauses before the gateway is started again', () => {
  it('grow to a minute, and end after seven attempts', () => {
    const pauses = Array.from({ length: maxRestarts }, (_, i) => pauseBefore(i + 1));
    assert.deepEqual(pauses, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
  });
});
