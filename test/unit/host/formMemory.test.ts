import assert from 'node:assert/strict';
import { ModelChoices } from '../../../src/host/models/modelChoices.ts';
import { ModelRules } from '../../../src/host/models/modelRules.ts';
import { FormMemory } from '../../../src/host/tasks/generate/formMemory.ts';

const gateway = { kind: 'gateway', name: 'work', baseUrl: 'https://gateway.example' } as const;

function memory(stored: Readonly<Record<string, unknown>>): FormMemory {
  const state = { get: (key: string) => stored[key] } as unknown as ConstructorParameters<
    typeof FormMemory
  >[0];
  return new FormMemory(state, new ModelChoices(state, () => new ModelRules()));
}

describe('the remembered route of a model', () => {
  it('is the last route that was used', () => {
    const formMemory = memory({ 'generateRoute/gateway/work/maker/clips': 'videoSynthesis' });
    assert.equal(formMemory.readRoute(gateway, 'maker/clips'), 'videoSynthesis');
  });

  it('is the default if the stored route is unknown', () => {
    for (const route of ['laterRoute', 'constructor', 7]) {
      const formMemory = memory({ 'generateRoute/gateway/work/maker/clips': route });
      assert.equal(formMemory.readRoute(gateway, 'maker/clips'), 'interactions');
    }
  });
});

describe('the remembered values of a form', () => {
  it('are ignored if the stored value is invalid', () => {
    const key = 'generate/gateway/work/maker/clips/interactions';
    const values = { input: 'A cat' };
    assert.deepEqual(memory({ [key]: values }).readValues(gateway, 'maker/clips', 'interactions'), values);
    for (const damaged of [null, 'text', 7, [values], { input: 'x'.repeat(2 ** 21) }]) {
      const formMemory = memory({ [key]: damaged });
      assert.equal(formMemory.readValues(gateway, 'maker/clips', 'interactions'), undefined);
    }
  });
});
