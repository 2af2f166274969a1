import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ConversationStore } from '../../src/conversations/store/conversationStore.ts';
import type { Services } from '../../src/host/app/services.ts';
import { pickAsTyped } from '../../src/host/kit/display/pickAsTyped.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { getServices, waitForEvent } from '../support/extensionServices.ts';
import { TestQuickPick } from '../support/testQuickPick.ts';
import { createWaitingStore } from '../support/waitingStore.ts';

describe('searching all chats', () => {
  let services: Services;
  let store: ConversationStore;
  let list: TestQuickPick;
  let chatIds: string[];

  before(async () => {
    services = await getServices();
    store = createWaitingStore(await services.conversations.store());
  });

  beforeEach(() => {
    list = new TestQuickPick();
    chatIds = [];
  });

  afterEach(async () => {
    list.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const chat of chatIds) {
      services.closedChats.take(chat)?.dispose();
      store.delete(chat);
    }
  });

  function newChat(question: string, ...answers: readonly string[]) {
    const chat = store.create();
    chatIds.push(chat);
    const request = { id: 'request', model: 'provider/model', requestedAt: 1, outcome: 'complete' } as const;
    const parts = [{ type: 'text', text: question }] as const;
    const added = store.addQuestion(chat, { question: { parts }, replies: answers.map(() => ({ request })) });
    for (const [nth, text] of answers.entries()) {
      const choices = [[{ type: 'text', text } as const]];
      store.finish(chat, added?.replies[nth] ?? '', { choices, request });
    }
    return { chat, question: added?.question ?? '', answers: added?.replies ?? [] };
  }

  /** Opens the list. The returned promise settles with the command. */
  async function openSearch(): Promise<{ readonly end: Thenable<unknown> }> {
    const shown = waitForEvent(list.onDidShow, () => list.isOpen);
    const end = vscode.commands.executeCommand('modelGateway.chats.search');
    await shown;
    return { end };
  }

  /** Types, and waits for rows. */
  async function typeAndWait(text: string, isShown: () => boolean): Promise<void> {
    list.items = [];
    list.type(text);
    await waitForEvent(list.onDidShow, isShown);
  }

  const isFound = () => list.items.some(({ detail }) => detail !== undefined);

  it('shows hits while typing, and opens a hit on its own branch', async () => {
    const { chat, answers } = newChat(
      'Which bird is it?',
      'It may be a quetzalbird.',
      'It may be a sparrow.',
    );
    store.show(chat, answers[1] ?? '');
    const { end } = await openSearch();
    await typeAndWait('before:soon', () => list.labels[0]?.includes('before: requires') === true);
    list.type('que');
    await typeAndWait('quetzal', isFound);
    assert.deepEqual(list.labels, ['$(sparkle) Which bird is it?']);
    assert.match(list.items[0]?.description ?? '', /^Reply · /);
    assert.equal(list.items[0]?.detail, 'It may be a quetzalbird.');
    await typeAndWait('quetzal MAY', isFound);
    assert.equal(list.items[0]?.detail, 'It «may» be a «quetzal»bird.');
    list.accept();
    await end;
    assert.deepEqual(listShownTurns(chat), [answers[0]]);
  });

  it('shows the branch of a hit in an open chat, and opens an archived chat', async () => {
    const { chat, answers } = newChat('Which tree is it?', 'An ashoka tree.', 'A banyan tree.');
    store.archive(chat, true);
    for (const [nth, word] of ['banyan', 'ashoka'].entries()) {
      const { end } = await openSearch();
      await typeAndWait(word, isFound);
      list.accept();
      await end;
      assert.deepEqual(listShownTurns(chat), [answers[1 - nth]]);
    }
  });

  it('waits for the last typed text if Enter is pressed first', async () => {
    newChat('Where is the kiwi?', 'In the wood.');
    const { chat } = newChat('Where is the kakapo?', 'On the island.');
    const { end } = await openSearch();
    await typeAndWait('kiwi', isFound);
    list.type('kakapo');
    list.accept();
    await end;
    assert.equal(services.chats.active?.session.id, chat);
  });

  it('offers filters in an empty box and by its button, and values after a colon', async () => {
    newChat('Any question?', 'Any answer.');
    const { end } = await openSearch();
    await waitForEvent(list.onDidShow, () => list.items.length > 0);
    const filters = ['model:', 'workspace:', 'after:', 'before:', 'has:image', 'in:reasoning'];
    assert.deepEqual(
      list.labels,
      filters.map((filter) => `$(filter) ${filter}`),
    );
    list.accept();
    assert.equal(list.value, 'model:');
    await waitForEvent(list.onDidShow, () => list.labels.includes('$(filter) model:provider/model'));
    await typeAndWait('Any', isFound);
    list.pressButton();
    list.accept();
    assert.equal(list.value, 'Any model:');
    list.hide();
    await end;
  });

  it('accepts any typed text, and reports a search without results', async () => {
    newChat('A "quoted" (word) * here?', 'NEAR(it)');
    const { end } = await openSearch();
    for (const hostile of ['"', '*', '(', 'NEAR(']) {
      await typeAndWait(hostile, isFound);
      assert.ok(
        list.items.every(({ detail }) => detail?.includes(hostile)),
        hostile,
      );
    }
    for (const hostile of [
      'AND OR NOT',
      "'; DROP TABLE texts --",
      'x'.repeat(2_000_000),
      '" '.repeat(9_000),
    ]) {
      await typeAndWait(hostile, () => list.labels[0] === '$(info) No results found in any chat.');
    }
    list.accept();
    list.hide();
    await end;
  });

  it('restores a chat that was deleted meanwhile, if the user wants it', async () => {
    const { chat } = newChat('What is a wombat?', 'A marsupial.');
    for (const answer of [undefined, 'Undo']) {
      const { end } = await openSearch();
      await typeAndWait('wombat', isFound);
      store.delete(chat);
      const dialogs = await answerDialogs(answer, () => {
        list.accept();
        return end;
      });
      assert.equal(dialogs[0]?.message, 'This chat was deleted.');
      assert.equal(store.get(chat)?.deletedAt === undefined, answer === 'Undo');
      if (answer === undefined) store.undelete(chat);
    }
    assert.equal(services.chats.active?.session.id, chat);
  });

  it('reports its progress, and why a search is not possible', async () => {
    const { chatWorker } = services;
    const { request } = chatWorker;
    const shown: string[] = [];
    list.onDidShow(() => shown.push([list.title, ...list.labels].join(' | ')));
    Object.assign(chatWorker, {
      request: async (
        _: unknown,
        { text }: { text: string },
        { onProgress }: { onProgress: (found: object) => void },
      ) => {
        if (text === 'slow') onProgress({ hits: [], searched: 0.375 });
        if (text === 'broken') throw new Error('It is broken.');
        return text === 'lacking' ? 'unavailable' : { hits: [], searched: 1 };
      },
    });
    try {
      const { end } = await openSearch();
      await typeAndWait('slow', () => list.title === 'Search Chats' && list.items.length > 0);
      await typeAndWait('lacking', () => list.items.length > 0);
      await typeAndWait('broken', () => list.items.length > 0);
      list.hide();
      await end;
    } finally {
      Object.assign(chatWorker, { request });
    }
    for (const title of [
      'Search Chats (37 % Searched)',
      'Search Chats | $(warning) The SQLite of this VS Code has no full-text search.',
      'Search Chats | $(warning) The chats cannot be searched now. Type again to retry; see the log for details.',
    ]) {
      assert.ok(shown.includes(title), title);
    }
  });

  function listShownTurns(chat: string): readonly string[] | undefined {
    const open = services.chats.active;
    assert.equal(open?.session.id, chat);
    return open?.session.conversation.turns.map(({ id }) => id);
  }
});

describe('a list that searches while typing', () => {
  it('reports a failed search, is then not busy, and searches again at the next key', async () => {
    const list = new TestQuickPick();
    const find = async (typed: string, show: (rows: readonly { label: string }[], title: string) => void) => {
      if (typed === '') throw new Error('no [link](command:x)');
      show([{ label: typed }], 'Found');
    };
    try {
      const chosen = pickAsTyped({ title: 'Find', find });
      await waitForEvent(list.onDidShow, () => list.labels[0] === '$(warning) The search failed');
      await waitForEvent(list.onDidShow, () => !list.isBusy);
      assert.equal(list.items[0]?.detail, 'no [link] (command:x)');
      list.accept();
      list.type('again');
      await waitForEvent(list.onDidShow, () => list.labels[0] === 'again');
      list.accept();
      assert.deepEqual(await chosen, { label: 'again' });
    } finally {
      list.dispose();
    }
  });
});
