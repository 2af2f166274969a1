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

describe('the remembered input of a prompt', () => {
  it('is the input of its last run', async () => {
    const memory = new PromptMemory(memento());
    assert.deepEqual(memory.read('a'), {});
    await memory.remember('a', { who: 'you' });
    await memory.remember('a', { who: 'me' });
    assert.deepEqual(memory.read('a'), { who: 'me' });
    assert.deepEqual(memory.read('b'), {});
  });

  it('does not include long values or likely credentials', async () => {
    const values = new Map<string, unknown>();
    const memory = new PromptMemory(memento(values));
    await memory.remember('a', { key: 'password: canary-credential', text: 'x'.repeat(5000), who: 'me' });
    assert.deepEqual(memory.read('a'), { who: 'me' });
    assert.doesNotMatch(JSON.stringify([...values]), /canary/);
  });

  it('is limited to the prompts that were run last', async () => {
    const memory = new PromptMemory(memento());
    for (let at = 0; at < 60; at += 1) await memory.remember(`p${at}`, { at: String(at) });
    assert.deepEqual([memory.read('p0'), memory.read('p59')], [{}, { at: '59' }]);
  });

  it('is the valid part of the stored value', () => {
    const stored = (value: unknown) =>
      new PromptMemory(memento(new Map([['promptValues', value]]))).read('a');
    assert.deepEqual(stored({ a: { who: 'me', count: 3 } }), { who: 'me' });
    for (const broken of ['x', [], { a: 'x' }, null]) assert.deepEqual(stored(broken), {});
  });
});
