import assert from 'node:assert/strict';
import type { ConversationStore } from '../../../src/conversations/store/conversationStore.ts';
import type { ListedConversation } from '../../../src/conversations/store/listing.ts';
import {
  type ChatGroup,
  chatGroups,
  computeGroupDays,
  createGroupFilter,
  findGroup,
  LoadedChats,
} from '../../../src/host/chat/list/loadedChats.ts';
import { addExchange, addQuestion, finishReply, StoreFolder } from '../../support/conversationStores.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Noon of a day of January 2030, in local time. The first was a Tuesday. */
function noon(day: number): number {
  return new Date(2030, 0, day, 12).getTime();
}

describe('the groups of the Chats view', () => {
  const groups: readonly (readonly [string, number, number, ChatGroup])[] = [
    ['a chat of this noon', 10, noon(10), 'today'],
    ['a chat of midnight', 10, new Date(2030, 0, 10).getTime(), 'today'],
    ['a chat of the future, by a clock that was set back', 10, noon(12), 'today'],
    ['a chat of yesterday', 10, noon(9), 'yesterday'],
    ['a chat of Monday, on a Thursday', 10, noon(7), 'week'],
    ['a chat of Sunday, on a Thursday', 10, noon(6), 'older'],
    ['a chat of Sunday, on a Monday', 7, noon(6), 'yesterday'],
    ['a chat of Saturday, on a Monday', 7, noon(5), 'older'],
    ['a chat of Monday, on a Sunday', 13, noon(7), 'week'],
  ];
  for (const [name, today, changedAt, group] of groups) {
    it(`put ${name} under ${group}`, () => {
      assert.equal(findGroup({ changedAt }, computeGroupDays(noon(today))), group);
    });
  }

  it('put pinned chats under pinned and archived chats under archived, whenever they changed', () => {
    const days = computeGroupDays(noon(10));
    assert.equal(findGroup({ changedAt: noon(1), pinnedAt: 1 }, days), 'pinned');
    assert.equal(findGroup({ changedAt: noon(10), pinnedAt: 1, archivedAt: 1 }, days), 'archived');
  });
});

describe('the chats loaded by the Chats view', () => {
  let folder: StoreFolder;
  let store: ConversationStore;
  let loaded: LoadedChats;

  beforeEach(() => {
    folder = new StoreFolder();
    store = folder.open();
    folder.clock.time = noon(1);
    loaded = new LoadedChats(store, folder.clock.now);
  });
  afterEach(() => folder.remove());

  function find(id: string): ListedConversation | undefined {
    return chatGroups.flatMap((group) => loaded.getGroup(group).chats).find((each) => each.id === id);
  }

  function chat(question: string): string {
    folder.clock.time += minuteMs;
    const id = store.create({ gateway: question.length > 5 ? 'long' : 'short' });
    addExchange(store, id, question, 'So.');
    return id;
  }

  /** The groups that hold chats, each with its chats’ first questions. */
  function shown(): Readonly<Record<string, readonly string[]>> {
    const held = chatGroups.map((group) => [
      group,
      loaded.getGroup(group).chats.map((each) => each.beginning),
    ]);
    return Object.fromEntries(held.filter(([, chats]) => chats?.length !== 0));
  }

  it('are in the same groups as in a list of all chats, each chat in one group', () => {
    for (let day = 1; day <= 10; day += 1) {
      folder.clock.time = noon(day);
      const id = chat(`Day ${day}`);
      if (day === 3) store.pin(id, true);
      if (day === 4) store.archive(id, true);
    }
    loaded.reload();
    assert.deepEqual(shown(), {
      pinned: ['Day 3'],
      today: ['Day 10'],
      yesterday: ['Day 9'],
      week: ['Day 8', 'Day 7'],
      older: ['Day 6', 'Day 5', 'Day 2', 'Day 1'],
      archived: ['Day 4'],
    });
    const days = computeGroupDays(folder.clock.time);
    for (const group of chatGroups) {
      const { conversations } = store.list(createGroupFilter(group, days));
      assert.ok(
        conversations.every((each) => findGroup(each, days) === group),
        group,
      );
    }
  });

  it('are the same as after a full reload, after each change', () => {
    const ids = ['One', 'Two', 'Three', 'Four'].map(chat);
    loaded.reload();
    const [one = '', two = '', three = '', four = ''] = ids;
    const changes: readonly (() => void)[] = [
      () => store.pin(one, true),
      () => store.archive(two, true),
      () => store.rename(three, 'Another'),
      () => store.delete(four),
      () => store.undelete(four),
      () => store.pin(one, false),
      () => addExchange(store, two, 'And?', 'So.'),
      () => store.archive(two, false),
      () => void chat('Five'),
    ];
    store.onDidChange((ids) => loaded.update(ids ?? assert.fail()));
    for (const change of changes) {
      folder.clock.time += minuteMs;
      change();
      const reloaded = new LoadedChats(store, folder.clock.now);
      reloaded.reload();
      for (const group of chatGroups) assert.deepEqual(loaded.getGroup(group), reloaded.getGroup(group));
    }
  });

  it('are marked as arriving until their reply is complete', () => {
    const id = chat('One');
    loaded.reload();
    const { reply } = addQuestion(store, id, 'And?');
    loaded.update([id]);
    assert.equal(find(id)?.isArriving, true);
    finishReply(store, id, reply, 'So.');
    loaded.update([id]);
    assert.equal(find(id)?.isArriving, false);
  });

  it('are one page of each group, plus one page for each click, without duplicates', () => {
    for (let nth = 0; nth < 120; nth += 1) chat(`Chat ${nth}`);
    loaded.reload();
    const counts = [loaded.getGroup('today').chats.length];
    loaded.loadMore('today');
    counts.push(loaded.getGroup('today').chats.length);
    const [last] = loaded.getGroup('today').chats.slice(-1);
    assert.ok(last);
    // The last loaded chat changes, and moves to the top.
    addExchange(store, last.id, 'And?', 'So.');
    loaded.update([last.id]);
    loaded.loadMore('today');
    const all = loaded.getGroup('today').chats.map(({ id }) => id);
    assert.deepEqual([...counts, all.length, new Set(all).size], [50, 100, 120, 120]);
    assert.equal(loaded.getGroup('today').next, undefined);
  });

  it('continue with the next page when all loaded chats are deleted', () => {
    for (let nth = 0; nth < 60; nth += 1) chat(`Chat ${nth}`);
    loaded.reload();
    const read = loaded.getGroup('today').chats.map(({ id }) => id);
    for (const id of read) store.delete(id);
    loaded.update(read);
    assert.deepEqual(
      shown().today,
      Array.from({ length: 10 }, (_, nth) => `Chat ${9 - nth}`),
    );
    assert.equal(loaded.getGroup('today').next, undefined);
  });

  it('do not include changed chats of later pages until those pages are loaded', () => {
    for (let nth = 0; nth < 60; nth += 1) chat(`Chat ${nth}`);
    loaded.reload();
    const oldest = store.list({}, 100).conversations.at(-1)?.id ?? '';
    store.rename(oldest, 'Renamed');
    loaded.update([oldest]);
    assert.equal(find(oldest), undefined);
    loaded.loadMore('today');
    assert.equal(find(oldest)?.title, 'Renamed');
  });

  it('are filtered, including chats that change later', () => {
    chat('One');
    const long = chat('One that is longer');
    loaded.reload({ gateway: 'short' });
    assert.deepEqual(shown(), { today: ['One'] });
    store.pin(long, true);
    loaded.update([long]);
    assert.deepEqual(shown(), { today: ['One'] });
    loaded.reload({});
    assert.deepEqual(shown(), { pinned: ['One that is longer'], today: ['One'] });
  });

  it('are regrouped after a reload on the next day', () => {
    chat('One');
    loaded.reload();
    assert.equal(loaded.isFromEarlierDay, false);
    folder.clock.time += dayMs;
    assert.equal(loaded.isFromEarlierDay, true);
    loaded.reload();
    assert.deepEqual(shown(), { yesterday: ['One'] });
    assert.equal(loaded.isFromEarlierDay, false);
  });
});
