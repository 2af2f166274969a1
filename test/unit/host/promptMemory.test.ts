import assert from 'node:assert/strict';
import type { Memento } from 'vscode';
import { PromptMemory } from '../../../src/host/chat/prompts/promptMemory.ts';

function memento(values = new Map<string, unknown>()): Memento {
  return {
    keys: () => [...values.keys()],
    get: (key: string) => values.get(key) as never,
    update: async (key: string, value: unknown) => void values.set(key, value),
  };
}

describe('what is remembered of a prompt', () => {
  it('is what was written when it was run last', async () => {
    const memory = new PromptMemory(memento());
    assert.deepEqual(memory.of('a'), {});
    await memory.remember('a', { who: 'you' });
    await memory.remember('a', { who: 'me' });
    assert.deepEqual(memory.of('a'), { who: 'me' });
    assert.deepEqual(memory.of('b'), {});
  });

  it('is nothing that looks like a credential, and nothing long', async () => {
    const values = new Map<string, unknown>();
    const memory = new PromptMemory(memento(values));
    await memory.remember('a', { key: 'password: canary-credential', text: 'x'.repeat(5000), who: 'me' });
    assert.deepEqual(memory.of('a'), { who: 'me' });
    assert.doesNotMatch(JSON.stringify([...values]), /canary/);
  });

  it('is of the prompts that were run last, not of all there ever were', async () => {
    const memory = new PromptMemory(memento());
    for (let at = 0; at < 60; at += 1) await memory.remember(`p${at}`, { at: String(at) });
    assert.deepEqual([memory.of('p0'), memory.of('p59')], [{}, { at: '59' }]);
  });

  it('is as much as fits of what another hand wrote', () => {
    const kept = (value: unknown) => new PromptMemory(memento(new Map([['promptValues', value]]))).of('a');
    assert.deepEqual(kept({ a: { who: 'me', count: 3 } }), { who: 'me' });
    for (const broken of ['x', [], { a: 'x' }, null]) assert.deepEqual(kept(broken), {});
  });
});
