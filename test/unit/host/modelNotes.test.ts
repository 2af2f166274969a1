import assert from 'node:assert/strict';
import { ModelChoices } from '../../../src/host/models/modelChoices.ts';
import { ModelRules } from '../../../src/host/models/modelRules.ts';
import { explain } from '../../../src/wire/explanations/explanation.ts';

const gateway = { kind: 'gateway', name: 'work', baseUrl: 'https://gateway.example' } as const;
const other = { ...gateway, name: 'home' };
const list = ['text-embedding-3', 'whisper-1', 'gpt-5', 'claude-5', 'wan-t2v'].map((id) => ({
  id,
  owner: '',
}));

function notes(stored: Readonly<Record<string, unknown>> = {}, rules: unknown = []) {
  const state = new Map(Object.entries(stored));
  const memento = {
    keys: () => [...state.keys()],
    get: (key: string) => state.get(key),
    update: async (key: string, value: unknown) => void state.set(key, value),
  };
  return new ModelChoices(
    memento as unknown as ConstructorParameters<typeof ModelChoices>[0],
    () => new ModelRules(rules),
  );
}

function forChats(known: ModelChoices): readonly string[] {
  return known.filterByUse('chat', gateway, list).map(({ id }) => id);
}

describe('the model of a new chat', () => {
  it('is the first chat model if none was used yet', () => {
    assert.equal(notes().suggestForChat(gateway, list), 'gpt-5');
    assert.equal(notes().suggestForChat(undefined, list), undefined);
    assert.equal(notes().suggestForChat(gateway, list.slice(0, 2)), undefined);
  });

  it('is a model of the user’s upstreams before a model of the demo', () => {
    const local = { kind: 'local', id: 'Demo gateway', name: 'Local gateway' } as const;
    const demo = { id: 'demo/chat', owner: 'demo' };
    assert.equal(notes().suggestForChat(local, [demo, ...list]), 'gpt-5');
    assert.equal(notes().suggestForChat(local, [demo]), 'demo/chat');
    assert.equal(notes().suggestForChat(gateway, [demo, ...list]), 'demo/chat');
  });

  it('is the model that replied last', async () => {
    const known = notes({ 'recentModels/gateway/work': ['claude-5'] });
    assert.equal(known.suggestForChat(gateway, list), 'claude-5');
    assert.equal(known.suggestForChat(other, list), 'gpt-5');
    await known.memory.noteUsed(gateway, 'gpt-5');
    assert.equal(known.suggestForChat(gateway, list), 'gpt-5');
    assert.deepEqual(known.memory.recent(gateway), ['gpt-5', 'claude-5']);
  });

  it('is not a refused model as long as there is another', async () => {
    const known = notes();
    await known.memory.noteUsed(gateway, 'claude-5');
    known.memory.noteRefused(gateway, 'claude-5');
    assert.equal(known.suggestForChat(gateway, list), 'gpt-5');
    known.memory.noteRefused(gateway, 'gpt-5');
    assert.equal(known.suggestForChat(gateway, list), 'gpt-5');
    await known.memory.noteUsed(gateway, 'claude-5');
    assert.equal(known.suggestForChat(gateway, list), 'claude-5');
  });

  it('is a listed chat model for any content of the stored list', async () => {
    const known = notes({ 'recentModels/gateway/work': [7, null, 'gone', 'whisper-1', 'claude-5'] });
    assert.equal(known.suggestForChat(gateway, list), 'claude-5');
    for (const damaged of ['x', { a: 1 }, null, 7]) {
      assert.equal(notes({ 'recentModels/gateway/work': damaged }).suggestForChat(gateway, list), 'gpt-5');
    }
  });
});

describe('the recent models', () => {
  it('are listed once, even if the stored list has duplicates', () => {
    const twice = ['gpt-5', 'gpt-5', 7, 'claude-5'];
    const known = notes({ 'recentModels/gateway/work': twice });
    assert.deepEqual(known.memory.recent(gateway), ['gpt-5', 'claude-5']);
  });

  it('are the last five that were used, the latest first', async () => {
    const known = notes();
    for (const id of 'a b c d e f c'.split(' ')) await known.memory.noteUsed(gateway, id);
    assert.deepEqual(known.memory.recent(gateway), ['c', 'f', 'e', 'd', 'b']);
  });
});

describe('the models offered in chats', () => {
  it('are the chat models', () => {
    assert.deepEqual(forChats(notes()), ['gpt-5', 'claude-5']);
  });

  it('are chosen by the user for each gateway, before any rule', async () => {
    const known = notes({}, [{ models: '*-5', use: 'image' }]);
    let changes = 0;
    known.onDidChange(() => changes++);
    assert.deepEqual(forChats(known), []);
    await known.marks.offerInChats(gateway, 'gpt-5', true);
    await known.marks.offerInChats(gateway, 'whisper-1', true);
    assert.deepEqual(forChats(known), ['whisper-1', 'gpt-5']);
    await known.marks.offerInChats(gateway, 'whisper-1', false);
    assert.deepEqual(forChats(known), ['gpt-5']);
    assert.deepEqual(known.filterByUse('chat', other, list), []);
    assert.equal(changes, 3);
  });

  it('follow the first matching rule', () => {
    const rules = [
      { models: 'text-*', use: 'chat' },
      { models: '*', use: 'embedding' },
    ];
    assert.deepEqual(forChats(notes({}, rules)), ['text-embedding-3']);
  });

  it('can be chosen for ids of any form', async () => {
    const known = notes();
    for (const id of ['__proto__', 'constructor', 'a/b c:1'])
      await known.marks.offerInChats(gateway, id, false);
    const uses = known.usesLookup(gateway);
    for (const id of ['__proto__', 'constructor', 'a/b c:1']) assert.deepEqual(uses({ id, owner: '' }), []);
    assert.deepEqual(uses({ id: 'toString', owner: '' }), ['chat']);
  });
});

describe('the pinned models', () => {
  it('are stored in order, without duplicates, for each gateway', async () => {
    const { marks } = notes({ 'pinnedModels/gateway/home': ['x', 7, 'x'] });
    for (const id of ['b', 'a', 'b']) await marks.pin(gateway, id, true);
    assert.deepEqual(marks.pinned(gateway), ['a', 'b']);
    await marks.pin(gateway, 'a', false);
    assert.deepEqual(marks.pinned(gateway), ['b']);
    assert.deepEqual(marks.pinned(other), ['x']);
  });
});

describe('the models in VS Code’s own chat', () => {
  const shown = (known: ModelChoices) => list.filter(known.vsCodeChatLookup(gateway)).map(({ id }) => id);

  it('are the chat models, changed by rules and then by the choice for a single model', async () => {
    const known = notes({}, [
      { models: 'gpt-*', offered: false },
      { models: 'wan*', offered: true },
    ]);
    assert.deepEqual(shown(notes()), ['gpt-5', 'claude-5']);
    assert.deepEqual(shown(known), ['claude-5', 'wan-t2v']);
    await known.marks.offerInVsCodeChat(gateway, 'gpt-5', true);
    await known.marks.offerInVsCodeChat(gateway, 'wan-t2v', false);
    assert.deepEqual(shown(known), ['gpt-5', 'claude-5']);
    assert.equal(known.suggestForChat(gateway, list), 'gpt-5');
  });

  it('omit models that failed a verification if the Models view hides them', async () => {
    const failure = { title: 'x', explanation: explain('model-list-missing') };
    const known = notes({ 'verifiedModels/gateway/work': { 'gpt-5': { at: 1, ms: 1, failure } } });
    assert.deepEqual(shown(known), ['gpt-5', 'claude-5']);
    await known.verdicts.hideFailing(true);
    assert.deepEqual(shown(known), ['claude-5']);
  });
});
