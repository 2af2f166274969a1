import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import {
  type ChatParameters,
  noParameters,
  withCommonParameter,
} from '../../../src/conversations/conversation/chatParameters.ts';
import { compareWithDefault, withFormValue } from '../../../src/host/chat/parameters/parameterForm.ts';
import {
  checkParameters,
  maxStoredParametersLength,
} from '../../../src/host/chat/parameters/store/checkParameters.ts';
import { ParameterStore } from '../../../src/host/chat/parameters/store/parameterStore.ts';
import { type AcceptParameters, loadParameterFilter } from '../../../src/host/kit/pages/parameterSchema.ts';
import { assertLinear } from '../../support/linearCost.ts';

const brief: ChatParameters = {
  systemPrompt: 'Be brief',
  common: { temperature: 0.5, tools: [{ type: 'function', function: { name: 'f' } }] },
  others: { chatCompletions: { seed: 7 } },
};

/** The state of one window; several windows share the stored values. */
function createState(stored: Map<string, unknown>): vscode.Memento {
  return {
    keys: () => [...stored.keys()],
    get: (key: string) => structuredClone(stored.get(key)),
    update: async (key: string, value: unknown) => {
      if (value === undefined) stored.delete(key);
      else stored.set(key, JSON.parse(JSON.stringify(value)));
    },
  } as vscode.Memento;
}

describe('stored parameters', () => {
  let state: Map<string, unknown>;
  let store: ParameterStore;
  let accept: AcceptParameters;

  before(async () => {
    accept = await loadParameterFilter();
  });

  beforeEach(() => {
    state = new Map([['format/gateway/work/m', 'messages']]);
    store = new ParameterStore(createState(state), accept);
  });

  it('are the default of a model until it is removed', async () => {
    assert.equal(store.getDefaultParameters('maker/model'), undefined);
    await store.setDefault('maker/model', brief);
    assert.deepEqual(store.getDefaultParameters('maker/model'), brief);
    assert.equal(store.getDefaultParameters('maker/other'), undefined);
    await store.setDefault('maker/model', noParameters);
    assert.equal(store.getDefaultParameters('maker/model'), undefined);
    assert.deepEqual([...state.keys()], ['format/gateway/work/m']);
  });

  it('are presets with any name, sorted by name', async () => {
    for (const name of ['b', 'a', 'constructor', '../x']) await store.savePreset({ name, parameters: brief });
    assert.deepEqual(
      store.presets.map(({ name }) => name),
      ['../x', 'a', 'b', 'constructor'],
    );
    await store.removePreset('a');
    assert.equal(store.presets.length, 3);
  });

  it('keep the invalid parts of a preset that is renamed', async () => {
    const written = { ...brief, later: 'a field of a later version' };
    state.set('parameterPreset/old', written);
    await store.renamePreset('old', 'new');
    assert.deepEqual(state.get('parameterPreset/new'), written);
    assert.deepEqual(
      store.presets.map(({ name }) => name),
      ['new'],
    );
  });

  it('are the same as the default in any order of their fields', () => {
    const reordered = { others: { chatCompletions: { a: 1, seed: 7 } }, common: {}, systemPrompt: '' };
    const stored = { systemPrompt: '', common: {}, others: { chatCompletions: { seed: 7, a: 1 } } };
    assert.equal(compareWithDefault(reordered, stored), 'same');
  });

  it('are read each time, so that values saved by another window are available at once', async () => {
    const other = new ParameterStore(createState(state), accept);
    await other.setDefault('m', brief);
    await other.savePreset({ name: 'p', parameters: brief });
    assert.deepEqual(store.getDefaultParameters('m'), brief);
    assert.deepEqual(store.presets, [{ name: 'p', parameters: brief, invalid: [] }]);
  });

  it('are rejected when they are too long, without changing the stored ones', async () => {
    await store.setDefault('m', brief);
    const long = { ...noParameters, systemPrompt: 'x'.repeat(maxStoredParametersLength) };
    await assert.rejects(store.setDefault('m', long), RangeError);
    await assert.rejects(store.savePreset({ name: 'p', parameters: long }), RangeError);
    assert.deepEqual(store.getDefaultParameters('m'), brief);
    assert.deepEqual(store.presets, []);
  });

  it('apply as far as they are valid, and report invalid fields', () => {
    const written = {
      systemPrompt: 7,
      common: { temperature: 'hot', outputLimit: 5, later: true, tools: 'x', reasoningEffort: '' },
      others: { chatCompletions: { seed: 1, max_tokens: 9 }, later: { a: 1 }, messages: [] },
      credential: 'canary-credential',
    };
    state.set('parameterDefault/m', written);
    assert.deepEqual(store.getDefaultParameters('m'), {
      systemPrompt: '',
      common: { outputLimit: 5 },
      others: { chatCompletions: { seed: 1 } },
    });
    assert.deepEqual(listInvalidNames('m'), [
      'credential',
      'systemPrompt',
      'temperature',
      'later',
      'tools',
      'reasoningEffort',
      'chatCompletions max_tokens',
      'later',
      'messages',
    ]);
  });

  it('omit fields that a format of this version rejects or sets itself', () => {
    const hostile = {
      common: { temperature: 99, outputLimit: 5 },
      others: {
        chatCompletions: {
          top_p: 7,
          seed: 1,
          model: 'another',
          messages: [],
          stream: false,
          vendor_field: 2,
        },
        contentGeneration: { generationConfig: { topP: 'much' }, contents: [] },
        messages: { top_k: 'x' },
      },
    };
    state.set('parameterDefault/m', hostile);
    state.set('parameterPreset/p', hostile);
    const fitting = {
      systemPrompt: '',
      common: { outputLimit: 5 },
      others: { chatCompletions: { seed: 1, vendor_field: 2 } },
    };
    assert.deepEqual(store.getDefaultParameters('m'), fitting);
    assert.deepEqual(store.presets[0]?.parameters, fitting);
    assert.deepEqual(listInvalidNames('m'), [
      'temperature',
      ...['top_p', 'model', 'messages', 'stream'].map((name) => `chatCompletions ${name}`),
      ...['generationConfig', 'contents'].map((name) => `contentGeneration ${name}`),
      'messages top_k',
    ]);
  });

  it('are no default if they are unreadable, but an empty preset that can be deleted', async () => {
    const useless = [null, 7, 'x', [], { systemPrompt: 'x'.repeat(maxStoredParametersLength + 1) }];
    for (const value of useless) {
      state.set('parameterDefault/m', value);
      state.set('parameterPreset/p', value);
      assert.equal(store.getDefaultParameters('m'), undefined);
      assert.deepEqual(listInvalidNames('m'), ['everything']);
      assert.deepEqual(store.presets, [
        { name: 'p', parameters: noParameters, invalid: [{ kind: 'everything' }] },
      ]);
    }
    await store.removePreset('p');
    assert.deepEqual(store.presets, []);
  });

  it('are undefined when they were never stored, and report no fields when all are valid', async () => {
    assert.equal(store.readStoredDefault('m'), undefined);
    await store.setDefault('m', brief);
    assert.deepEqual(listInvalidNames('m'), []);
  });

  function listInvalidNames(model: string): readonly string[] {
    return (store.readStoredDefault(model)?.invalid ?? []).map((problem) => {
      if (problem.kind === 'everything') return 'everything';
      return problem.kind === 'field' ? `${problem.format} ${problem.name}` : problem.name;
    });
  }

  it('P9 are checked in linear time with many unknown names', () => {
    const names = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, nth) => [`name${nth}`, 1]));
    for (const part of ['common', 'others'])
      assertLinear(
        (n) => ({ [part]: names(n) }),
        (parameters) => checkParameters(parameters, accept, Number.POSITIVE_INFINITY),
      );
  });
});

describe('the form of a chat’s parameters', () => {
  it('sets and removes common parameters, and ignores unknown names and invalid values', () => {
    const set = (name: string, value: unknown) => withFormValue(brief, name, value);
    assert.equal(set('temperature', 1).common.temperature, 1);
    assert.ok(!('temperature' in set('temperature', undefined).common));
    assert.ok(!('temperature' in set('temperature', 'hot').common));
    assert.equal(set('systemPrompt', 'Other').systemPrompt, 'Other');
    assert.equal(set('systemPrompt', undefined).systemPrompt, '');
    assert.equal(set('constructor', 1), brief);
  });

  it('reports whether the default of the model is the same, in any order of its fields', () => {
    const one = withCommonParameter(withCommonParameter(noParameters, 'temperature', 1), 'outputLimit', 5);
    const other = withCommonParameter(withCommonParameter(noParameters, 'outputLimit', 5), 'temperature', 1);
    assert.equal(compareWithDefault(one, other), 'same');
    assert.equal(compareWithDefault(one, undefined), 'none');
    assert.equal(compareWithDefault(one, brief), 'other');
  });
});
