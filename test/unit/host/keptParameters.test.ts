import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { type ChatParameters, noParameters, withCommon } from '../../../src/conversations/chatParameters.ts';
import { KeptParameters, maxKeptLength } from '../../../src/host/parameters/keptParameters.ts';
import { defaultState, withFormValue } from '../../../src/host/parameters/parameterForm.ts';

const brief: ChatParameters = {
  systemPrompt: 'Be brief',
  common: { temperature: 0.5, tools: [{ type: 'function', function: { name: 'f' } }] },
  others: { chatCompletions: { seed: 7 } },
};

/** The state of one window; several windows share what is kept. */
function stateOf(kept: Map<string, unknown>): vscode.Memento {
  return {
    keys: () => [...kept.keys()],
    get: (key: string) => structuredClone(kept.get(key)),
    update: async (key: string, value: unknown) => {
      if (value === undefined) kept.delete(key);
      else kept.set(key, JSON.parse(JSON.stringify(value)));
    },
  } as vscode.Memento;
}

describe('the parameters that outlive a chat', () => {
  let state: Map<string, unknown>;
  let kept: KeptParameters;

  beforeEach(() => {
    state = new Map([['style/gateway/work/m', 'messages']]);
    kept = new KeptParameters(stateOf(state));
  });

  it('are the default of a model, as it was saved, until it is removed', async () => {
    assert.equal(kept.defaultOf('maker/model'), undefined);
    await kept.setDefault('maker/model', brief);
    assert.deepEqual(kept.defaultOf('maker/model'), brief);
    assert.equal(kept.defaultOf('maker/other'), undefined);
    await kept.setDefault('maker/model', noParameters);
    assert.equal(kept.defaultOf('maker/model'), undefined);
    assert.deepEqual([...state.keys()], ['style/gateway/work/m']);
  });

  it('are presets by name, whatever the name is', async () => {
    for (const name of ['b', 'a', 'constructor', '../x']) await kept.savePreset({ name, parameters: brief });
    assert.deepEqual(
      kept.presets.map(({ name }) => name),
      ['../x', 'a', 'b', 'constructor'],
    );
    await kept.removePreset('a');
    assert.equal(kept.presets.length, 3);
  });

  it('are read anew: what another window saved is there at once', async () => {
    const other = new KeptParameters(stateOf(state));
    await other.setDefault('m', brief);
    await other.savePreset({ name: 'p', parameters: brief });
    assert.deepEqual(kept.defaultOf('m'), brief);
    assert.deepEqual(kept.presets, [{ name: 'p', parameters: brief }]);
  });

  it('are refused where they are too long, and what was kept before stays', async () => {
    await kept.setDefault('m', brief);
    const long = { ...noParameters, systemPrompt: 'x'.repeat(maxKeptLength) };
    await assert.rejects(kept.setDefault('m', long), RangeError);
    await assert.rejects(kept.savePreset({ name: 'p', parameters: long }), RangeError);
    assert.deepEqual(kept.defaultOf('m'), brief);
    assert.deepEqual(kept.presets, []);
  });

  it('count as far as they are understood, whoever wrote them', () => {
    const written = {
      systemPrompt: 7,
      common: { temperature: 'hot', outputLimit: 5, later: true, tools: 'x', reasoningEffort: '' },
      others: { 'chat-completions': { seed: 1, max_tokens: 9 }, later: { a: 1 }, messages: [] },
      credential: 'canary-credential',
    };
    state.set('parameterDefault/m', written);
    assert.deepEqual(kept.defaultOf('m'), {
      systemPrompt: '',
      common: { outputLimit: 5 },
      others: { chatCompletions: { seed: 1 } },
    });
    const useless = [null, 7, 'x', [], {}, { common: [] }, { systemPrompt: 'x'.repeat(maxKeptLength + 1) }];
    for (const [index, value] of useless.entries()) state.set(`parameterPreset/${index}`, value);
    assert.deepEqual(kept.presets, []);
  });
});

describe('the form of a chat’s parameters', () => {
  it('sets and takes out a common one, and takes nothing that is none', () => {
    const set = (name: string, value: unknown) => withFormValue(brief, name, value);
    assert.equal(set('temperature', 1).common.temperature, 1);
    assert.ok(!('temperature' in set('temperature', undefined).common));
    assert.ok(!('temperature' in set('temperature', 'hot').common));
    assert.equal(set('systemPrompt', 'Other').systemPrompt, 'Other');
    assert.equal(set('systemPrompt', undefined).systemPrompt, '');
    assert.equal(set('constructor', 1), brief);
  });

  it('tells whether the default of the model is the same, in whatever order it was set', () => {
    const one = withCommon(withCommon(noParameters, 'temperature', 1), 'outputLimit', 5);
    const other = withCommon(withCommon(noParameters, 'outputLimit', 5), 'temperature', 1);
    assert.equal(defaultState(one, other), 'same');
    assert.equal(defaultState(one, undefined), 'none');
    assert.equal(defaultState(one, brief), 'other');
  });
});
