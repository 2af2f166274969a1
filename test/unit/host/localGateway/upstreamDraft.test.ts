import assert from 'node:assert/strict';
import { maxRestarts, pauseBefore } from '../../../../src/host/localGateway/restartPauses.ts';
import {
  draftOf,
  entryOf,
  readUpstreamAddress,
  upstreamNameProblem,
  withAddress,
} from '../../../../src/host/localGateway/upstreamDraft.ts';
import { freeName, upstreamOffers } from '../../../../src/host/localGateway/upstreamOffers.ts';
import { upstream } from '../../../../src/localGateway/config/configSchema.ts';
import { upstreamKinds } from '../../../../src/localGateway/upstreams/upstreamKinds.ts';

describe('a new upstream', () => {
  it('is offered with what the gateway takes, for every kind that it knows', () => {
    const kinds = upstreamKinds.map(({ kind }) => kind);
    const offers = upstreamOffers.filter(({ kind }) => kinds.includes(kind));
    assert.deepEqual(new Set(offers.map(({ kind }) => kind)), new Set(kinds), 'add an offer for each kind');
    for (const offer of offers) {
      const draft = draftOf(offer, []);
      const { baseUrl } = draft;
      const fields = { ...draft.fields, ...(offer.fields && { project: 'my-project' }) };
      const entry = entryOf({
        ...draft,
        fields,
        baseUrl: baseUrl === '' ? 'https://models.example/v1' : baseUrl,
      });
      const result = upstream.safeParse(entry);
      assert.ok(result.success, `${offer.id}: ${result.error?.message}`);
      assert.equal(upstreamNameProblem(entry.name, []), undefined);
    }
  });

  it('names the command for its key, where it has one, and never a key', () => {
    const cloud = upstreamOffers.find(({ id }) => id === 'cloud');
    const openai = upstreamOffers.find(({ id }) => id === 'openai');
    assert.ok(cloud && openai);
    const draft = { ...draftOf(cloud, []), command: 'print-token', key: 'canary' };
    assert.equal(entryOf(draft).keyCommand, 'print-token');
    assert.equal(entryOf(draftOf(openai, [])).keyCommand, undefined);
    assert.doesNotMatch(JSON.stringify(entryOf(draft)), /canary/);
  });

  it('of OpenAI is asked by chat completions and by responses', () => {
    const [openai] = upstreamOffers;
    assert.ok(openai);
    assert.deepEqual(entryOf(draftOf(openai, [])).formats, ['chatCompletions', 'responses']);
  });

  it('sends its key to no other origin than the one it was entered for', () => {
    const offer = upstreamOffers.find(({ id }) => id === 'compatible');
    assert.ok(offer);
    const draft = { ...withAddress(draftOf(offer, []), 'https://models.example/v1'), key: 'canary' };
    assert.equal(withAddress(draft, 'https://models.example/v2').key, 'canary');
    assert.equal(withAddress(draft, 'https://other.example/v1').key, '');
    assert.equal(withAddress(draft, 'https://models.example:8443/v1').key, '');
  });

  it('gets a name that no other has', () => {
    assert.equal(freeName('ollama', []), 'ollama');
    assert.equal(freeName('ollama', ['ollama', 'ollama-2']), 'ollama-3');
    const long = 'a'.repeat(32);
    assert.equal(upstreamNameProblem(freeName(long, [long]), [long]), undefined);
    assert.equal(upstreamNameProblem('ollama', ['ollama']), 'taken');
    assert.equal(upstreamNameProblem('demo', []), 'taken');
    for (const name of ['', 'A', 'a b', '-a', 'a/b', 'a'.repeat(33)])
      assert.equal(upstreamNameProblem(name, []), 'form');
  });

  it('has an address on https, or on this machine', () => {
    for (const [typed, baseUrl] of [
      ['https://models.example/v1/', 'https://models.example/v1'],
      ['models.example/v1', 'https://models.example/v1'],
      ['localhost:11434/v1', 'http://localhost:11434/v1'],
      [' http://127.0.0.1:8000/v1 ', 'http://127.0.0.1:8000/v1'],
      ['[::1]:8080', 'http://[::1]:8080'],
      ['https://models.example/v1/chat/completions', 'https://models.example/v1'],
      ['https://models.example/anthropic/v1/messages/', 'https://models.example/anthropic/v1'],
    ] as const)
      assert.deepEqual(readUpstreamAddress(typed), { ok: true, baseUrl }, typed);
    for (const [typed, problem] of [
      ['', 'empty'],
      ['https://', 'not-an-address'],
      ['http://models.example', 'not-https'],
      ['ftp://127.0.0.1', 'not-https'],
      ['https://me:word@models.example', 'holds-more'],
      ['https://models.example/?key=x', 'holds-more'],
      ['https://models.example/#x', 'holds-more'],
    ] as const)
      assert.deepEqual(readUpstreamAddress(typed), { ok: false, problem }, typed);
  });
});

describe('the pauses before the gateway is started again', () => {
  it('grow to a minute, and end', () => {
    const pauses = Array.from({ length: maxRestarts }, (_, i) => pauseBefore(i + 1));
    assert.deepEqual(pauses, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
  });
});
