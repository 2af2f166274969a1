import assert from 'node:assert/strict';
import { FormatChoice } from '../../../src/host/models/formatChoice.ts';
import { ModelRules } from '../../../src/host/models/modelRules.ts';

const gateway = { kind: 'gateway', name: 'work', baseUrl: 'https://gateway.example' } as const;

function createChoice(stored: Readonly<Record<string, unknown>>, rules: unknown = []) {
  const state = new Map(Object.entries(stored));
  const memento = {
    keys: () => [...state.keys()],
    get: (key: string) => state.get(key),
    update: async (key: string, value: unknown) => void state.set(key, value),
  };
  return new FormatChoice(
    memento as ConstructorParameters<typeof FormatChoice>[0],
    () => new ModelRules(rules),
  );
}

describe('the API format of requests to a model', () => {
  it('is the stored choice, or the default if that is invalid', () => {
    const key = 'format/gateway/work/maker/model';
    assert.equal(
      createChoice({ [key]: 'contentGeneration' }).of(gateway, 'maker/model'),
      'contentGeneration',
    );
    for (const stored of ['content-generation', 'unheard-of', 7])
      assert.equal(createChoice({ [key]: stored }).of(gateway, 'maker/model'), 'chatCompletions');
  });

  it('is a new choice from the next question on', async () => {
    const formats = createChoice({ 'format/gateway/work/m': 'messages' });
    await formats.remember(gateway, 'm', 'contentGeneration');
    assert.equal(formats.of(gateway, 'm'), 'contentGeneration');
    assert.equal(formats.of(gateway, 'other'), 'chatCompletions');
  });

  it('is taken from the first matching rule without a choice of the user', () => {
    const rules = [
      { models: 'claude-*', format: 'messages' },
      { models: 'gemini-*', format: 'contentGeneration' },
      { models: '*', format: 'chatCompletions' },
    ];
    const formats = createChoice({}, rules);
    for (const [model, format] of [
      ['Claude-5', 'messages'],
      ['gemini-9', 'contentGeneration'],
      ['other', 'chatCompletions'],
    ] as const)
      assert.equal(formats.of(gateway, model), format);
  });
});
