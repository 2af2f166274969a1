import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { ConversationStore } from '../../../../src/conversations/store/conversationStore.ts';
import {
  addExchange,
  addQuestion,
  createRequest,
  createTextParts,
  finishReply,
  StoreFolder,
} from '../../../support/conversationStores.ts';

const dayMs = 24 * 3_600_000;

describe('the conversation store', () => {
  let folder: StoreFolder;
  let store: ConversationStore;

  beforeEach(() => {
    folder = new StoreFolder();
    store = folder.open();
  });
  afterEach(() => folder.remove());

  function files(): readonly string[] {
    return readdirSync(join(dirname(folder.file), 'attachments'));
  }

  it('stores drafts of each conversation and of the next one', () => {
    store.drafts.write({ text: 'half a', attachments: [] });
    store.drafts.write({ text: 'half a question', attachments: ['ab'] });
    store.drafts.write({ text: 'other', attachments: [] }, 'chat');
    const other = folder.open();
    assert.deepEqual(other.drafts.read(), { text: 'half a question', attachments: ['ab'] });
    assert.deepEqual(other.drafts.read('chat'), { text: 'other', attachments: [] });
    other.drafts.write({ text: '', attachments: [] });
    assert.equal(store.drafts.read(), undefined);
  });

  it('stores each attachment once', async () => {
    const hash = await store.attachments.add(Buffer.from('a picture'));
    assert.equal(await folder.open().attachments.add(Buffer.from('a picture')), hash);
    assert.deepEqual(files(), [hash]);
    assert.equal(Buffer.from((await store.attachments.read(hash)) ?? []).toString(), 'a picture');
    assert.equal(await store.attachments.read('../conversations.sqlite'), undefined);
    assert.equal(await store.attachments.read('0'.repeat(64)), undefined);
  });

  it('T25 stores attachments in files and a folder that only the user can read', async () => {
    if (process.platform === 'win32') return;
    const hash = await store.attachments.add(Buffer.from('a picture'));
    const path = store.attachments.path(hash);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(statSync(dirname(path)).mode & 0o777, 0o700);
  });

  it('stores an attachment again that another window erases at the same time', async () => {
    const bytes = Buffer.from('a picture');
    const hash = await store.attachments.add(bytes);
    const { port1, port2 } = new MessageChannel();
    const purging = new Worker(
      `const { DatabaseSync } = require('node:sqlite');
       const { workerData: { file, path, port } } = require('node:worker_threads');
       const database = new DatabaseSync(file);
       database.exec('BEGIN IMMEDIATE');
       port.postMessage('locked');
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
       require('node:fs').rmSync(path);
       database.exec('DELETE FROM attachments; COMMIT');
       database.close();`,
      {
        eval: true,
        workerData: { file: folder.file, path: store.attachments.path(hash), port: port2 },
        transferList: [port2],
      },
    );
    const ended = once(purging, 'exit');
    await once(port1, 'message');
    await store.attachments.add(bytes);
    await ended;
    port1.close();
    assert.equal(store.attachments.has(hash), true);
    assert.equal(store.database.all('SELECT * FROM attachments').length, 1);
  });

  it('erases attachments after 30 days without a message or a draft that uses them', async () => {
    const names = ['used', 'drafted', 'unused', 'used by a deleted message'];
    const [used = '', drafted = '', unused = '', deleted = ''] = await Promise.all(
      names.map((name) => store.attachments.add(Buffer.from(name))),
    );
    const chat = store.create();
    const parts = [{ type: 'image', mimeType: 'image/png', hash: used } as const];
    store.addQuestion(chat, { question: { parts }, replies: [] });
    const added = store.addQuestion(chat, {
      question: { parts: [{ type: 'file', mimeType: 'text/plain', hash: deleted }] },
      replies: [],
    });
    store.drafts.write({ text: '', attachments: [drafted] });
    store.deleteMessages(chat, added?.question ?? '');
    folder.clock.time += 29 * dayMs;
    store.purge();
    assert.deepEqual([...files()].sort(), [used, drafted, unused, deleted].sort());
    folder.clock.time += 2 * dayMs;
    store.purge();
    assert.deepEqual([...files()].sort(), [used, drafted].sort());
    await store.attachments.add(Buffer.from('unused'));
    assert.equal(store.attachments.has(unused), true);
  });

  it('erases deleted conversations after 30 days, but not their usage', () => {
    const stored = store.create();
    addExchange(store, stored, 'Why?', 'Because.');
    const deletedChat = store.create({ parameters: { a: 1 } });
    addExchange(store, deletedChat, 'How?', 'So.');
    const empty = store.create();
    const drafted = store.create();
    store.drafts.write({ text: 'x', attachments: [] }, drafted);
    store.delete(deletedChat);
    folder.clock.time += 29 * dayMs;
    assert.equal(store.purge(), false);
    assert.ok(store.get(deletedChat));
    folder.clock.time += 2 * dayMs;
    assert.equal(store.purge(), false);
    assert.deepEqual(
      [stored, deletedChat, empty, drafted].map((id) => store.get(id) !== undefined),
      [true, false, false, true],
    );
    for (const table of ['messages', 'contents']) {
      assert.equal(store.database.all(`SELECT * FROM ${table}`).length, 2, table);
    }
    assert.deepEqual(store.database.all('SELECT * FROM details'), []);
    assert.equal(store.usage.sum({ by: [] })[0]?.replies, 2);
  });

  it('purges many conversations in several steps', () => {
    for (let nth = 0; nth < 120; nth++) {
      const id = store.create();
      addQuestion(store, id, 'Why?');
      store.delete(id);
    }
    folder.clock.time += 31 * dayMs;
    assert.deepEqual([store.purge(), store.purge(), store.purge()], [true, true, false]);
    assert.deepEqual(store.database.all('SELECT * FROM contents'), []);
  });

  it('purges long conversations in parts, and does not restore them after the first part', () => {
    const counts = () =>
      store.database
        .values('SELECT count(*) FROM messages GROUP BY conversation ORDER BY 1')
        .map(([count]) => Number(count));
    const long = [1_200, 700].map((length) => {
      const id = store.create();
      for (let nth = 0; nth < length; nth++) {
        store.addQuestion(id, { question: { parts: createTextParts('Why?') }, replies: [] });
      }
      store.delete(id);
      return id;
    });
    const branch = store.create();
    for (let nth = 0; nth < 600; nth++) {
      const added = store.addQuestion(branch, { question: { parts: createTextParts('Why?') }, replies: [] });
      store.deleteMessages(branch, added?.question ?? '');
    }
    folder.clock.time += 31 * dayMs;
    const remaining: (readonly number[])[] = [];
    while (store.purge()) {
      remaining.push(counts());
      if (remaining.length > 1) store.undelete(long[0] ?? '');
    }
    assert.deepEqual(remaining, [[100, 700, 1_200], [700, 700], [200, 700], [200]]);
    assert.deepEqual(store.database.all('SELECT * FROM contents'), []);
  });

  it('sums up usage by day, month, model and gateway, with the number of unknown values', () => {
    const chat = store.create();
    const spend = (change: Parameters<typeof createRequest>[0], isUnbilled = false) => {
      const { reply: secondReply } = addQuestion(store, chat, 'Why?');
      const reply = createRequest({ outcome: 'complete', ...change });
      store.finish(chat, secondReply, { choices: [createTextParts('x')], request: reply, isUnbilled });
    };
    const may = new Date(2030, 4, 31, 12).getTime();
    const june = new Date(2030, 5, 1, 12).getTime();
    const usage = { inputTokens: 10, outputTokens: 5, cachedTokens: 4 };
    spend({ requestedAt: may, model: 'a', usage, cost: { usd: 0.25, source: 'gateway' } });
    spend({ requestedAt: june, model: 'a', usage, cost: { usd: 0.5, source: 'listed-price' } });
    spend({ requestedAt: june, model: 'b', usage: { outputTokens: 1 }, outcome: 'cancelled' });
    spend({ requestedAt: june, model: 'b', outcome: 'failed' }, true);
    const {
      gateway: _,
      gatewayName: __,
      ...nowhere
    } = createRequest({ requestedAt: june, model: 'c', outcome: 'complete' });
    const { reply: secondReply } = addQuestion(store, chat, 'Why?');
    store.finish(chat, secondReply, { choices: [], request: nowhere });
    const [all] = store.usage.sum({ by: [] });
    assert.deepEqual(all, {
      replies: 4,
      inputTokens: 20,
      outputTokens: 11,
      cachedTokens: 8,
      withoutTokens: 2,
      chargedUsd: 0.25,
      estimatedUsd: 0.5,
      withoutPrice: 2,
      cutTokens: 1,
      cutPrices: 0,
    });
    const by = (...groups: Parameters<typeof store.usage.sum>[0]['by']) =>
      store.usage
        .sum({ by: groups })
        .map(({ day, month, model, gatewayName, replies }) => [
          ...[day, month, model, gatewayName].filter((name) => name !== undefined),
          replies,
        ]);
    assert.deepEqual(by('day'), [
      ['2030-06-01', 3],
      ['2030-05-31', 1],
    ]);
    assert.deepEqual(by('month', 'model'), [
      ['2030-06', 'a', 1],
      ['2030-06', 'b', 1],
      ['2030-06', 'c', 1],
      ['2030-05', 'a', 1],
    ]);
    assert.deepEqual(by('gateway'), [['work', 3], [1]]);
    assert.equal(store.usage.sum({ by: [], from: june, to: june + 1 })[0]?.replies, 3);
    assert.deepEqual(store.usage.sum({ by: [], to: may }), []);
  });

  it('lists the usage of a gateway under its latest name', () => {
    const chat = store.create();
    for (const [requestedAt, gatewayName] of [
      [2, 'apple'],
      [1, 'zebra'],
    ] as const) {
      const { reply } = addQuestion(store, chat, 'Why?');
      finishReply(store, chat, reply, 'x', { requestedAt, gatewayName });
    }
    const [sum, ...others] = store.usage.sum({ by: ['gateway'] });
    assert.deepEqual([sum?.gatewayName, sum?.replies, others], ['apple', 2, []]);
    assert.equal(sum && 'lastAt' in sum, false);
  });

  it('sums up the usage of a conversation, even after it was erased', () => {
    const chat = store.create();
    const { reply } = addQuestion(store, chat, 'Why?');
    finishReply(store, chat, reply, 'x', { usage: { inputTokens: 1 } });
    addExchange(store, store.create(), 'How?', 'So.');
    store.delete(chat);
    folder.clock.time += 31 * dayMs;
    store.purge();
    assert.equal(store.usage.sum({ by: ['model'] })[0]?.replies, 2);
    const [own] = store.usage.sum({ by: [], conversation: chat });
    assert.deepEqual([own?.replies, own?.inputTokens], [1, 1]);
    assert.deepEqual(store.usage.sum({ by: [], conversation: 'nothing' }), []);
  });
});
