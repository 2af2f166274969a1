import assert from 'node:assert/strict';
import { FormMemory } from '../../../src/host/generate/formMemory.ts';
import { ModelNotes } from '../../../src/host/models/modelNotes.ts';

const gateway = { kind: 'gateway', name: 'work', baseUrl: 'https://gateway.example' } as const;

function memory(kept: Readonly<Record<string, unknown>>): FormMemory {
  const state = { get: (key: string) => kept[key] } as unknown as ConstructorParameters<typeof FormMemory>[0];
  return new FormMemory(state, new ModelNotes(state, () => []));
}

describe('the route of a model whose videos were made before', () => {
  it('is the last one', () => {
    const kept = memory({ 'generateRoute/gateway/work/maker/clips': 'videoSynthesis' });
    assert.equal(kept.route(gateway, 'maker/clips'), 'videoSynthesis');
  });

  it('is the usual one where a later version kept a route that this one lacks', () => {
    for (const route of ['laterRoute', 'constructor', 7]) {
      const kept = memory({ 'generateRoute/gateway/work/maker/clips': route });
      assert.equal(kept.route(gateway, 'maker/clips'), 'interactions');
    }
  });
});
